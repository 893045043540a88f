"""The values that the kernel looks at, from rows as Arrow's readers give them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import decoded
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.fields import How, MeasuredField
from avh_ui.metrics.rows import Name, RowTest
from avh_ui.metrics.sql.conditions import Conditions
from avh_ui.metrics.type_names import Reading
from avh_ui.metrics.values import sizes
from avh_ui.scan.kernel import KernelColumn


@dataclass(frozen=True)
class Part:
    """What is measured of a column: its position among those that are read, the path to a field within, and how."""

    position: int
    within: tuple[int, ...] = ()
    how: How = "values"

    def of(self, rows: pa.RecordBatch) -> pa.Array:
        """Its values in some rows; texts that are a dictionary stay one."""
        values = rows.column(self.position)
        for place in self.within:
            # Null where the struct is, whatever lies below.
            values = pc.struct_field(values, [place])
        if self.how == "size":
            return sizes(decoded(values))
        return pc.if_else(values.is_valid(), True, pa.scalar(None, pa.bool_())) if self.how == "nulls" else values


@dataclass(frozen=True)
class RowValues:
    """Which of a table's columns are read (`places`), and what becomes of them: the kernel's columns, those of segments as texts, the flag
    of malformed lines, if the rows have one last, and the batch column as texts, where the batches are its values. After the columns as
    they are, `parts`, come those that `conditions` make of them.
    """

    places: tuple[int, ...]
    names: tuple[Name, ...]
    parts: tuple[Part, ...]
    segments: tuple[int, ...] = ()
    flagged: bool = False
    marker: int | None = None
    conditions: Conditions = field(default_factory=Conditions)

    def __call__(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Rows for the kernel; `DeclinedError` where a condition has values that only Spark can tell."""
        texts = [_texts(rows.column(position)) for position in self.segments]
        flag = [rows.column(len(self.places))] if self.flagged else []
        marker = [] if self.marker is None else [_texts(rows.column(self.marker))]
        arrays = [*(part.of(rows) for part in self.parts), *self._made(rows), *texts, *flag, *marker]
        if not arrays:
            # Of a table without columns to measure the rows count nevertheless.
            arrays = [pa.nulls(rows.num_rows)]
        return pa.RecordBatch.from_arrays(arrays, names=[str(i) for i in range(len(arrays))])

    def _made(self, rows: pa.RecordBatch) -> Iterator[pa.Array]:
        looked_at = {place: rows.column(self.places.index(place)) for place in self.conditions.places}
        for name, values in self.conditions.of(looked_at, rows.num_rows).items():
            if isinstance(values, DeclinedError):
                raise declined(name, values)
            yield values


def row_values(
    schema: pa.Schema,
    columns: Sequence[KernelColumn],
    fields: Sequence[MeasuredField],
    ways: Mapping[str, Reading],
    segments: Sequence[str] = (),
    *,
    conditions: Conditions,
    flagged: bool = False,
    marker: str = "",
) -> RowValues:
    """What the kernel needs of rows with this schema, where `conditions` make all that is no column of it; `DeclinedError` for what takes
    Spark's expressions.
    """
    plain = {f.name: f for f in fields if f.asked is None}
    names = tuple(dict.fromkeys(name for column in columns for name in column.names if isinstance(name, str)))
    for name in names:
        if ways[name] == "text":
            raise DeclinedError(f"the program knows {name!r} as texts of a file without types")
        if plain[name].how == "months":
            raise DeclinedError(f"{name!r} is an interval of months")
    markers = [marker] if marker else []
    for name in (*segments, *markers):
        _splits(name, schema.field(name).type)
    roots = [*(plain[name].path[0] for name in names), *conditions.places]
    places = tuple(dict.fromkeys([*roots, *(schema.get_field_index(name) for name in (*segments, *markers))]))
    parts = tuple(Part(places.index(f.path[0]), tuple(f.path[1:]), f.how) for f in (plain[name] for name in names))
    texts = tuple(places.index(schema.get_field_index(name)) for name in segments)
    place = places.index(schema.get_field_index(marker)) if marker else None
    return RowValues(places, (*names, *conditions.names), parts, texts, flagged, place, conditions)


def declined(name: Name, why: object) -> DeclinedError:
    """That what is made of the columns takes Spark."""
    said = f"the condition {name.text!r}" if isinstance(name, RowTest) else f"what is made of {name}"
    return DeclinedError(f"{said} takes Spark ({why})")


def _texts(values: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(values.type) and pa.types.is_string(values.type.value_type):
        return values
    return decoded(values).cast(pa.string())


def _splits(name: str, arrow_type: pa.DataType) -> None:
    types = pa.types
    if not (types.is_string(arrow_type) or types.is_integer(arrow_type) or types.is_boolean(arrow_type) or types.is_date32(arrow_type)):
        raise DeclinedError(f"the column {name!r} splits its rows and is a {arrow_type}, whose text is Spark's")
