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
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.scan.markers import Marker, as_texts, splits
from avh_ui.scan.partials import NOBODYS


@dataclass(frozen=True)
class FieldPart:
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
    of malformed lines, if the rows have one last, and the batch that `marker` makes of columns, where the table says it. After the columns
    as they are, `parts`, come those that `conditions` make of them.
    """

    places: tuple[int, ...]
    names: tuple[Name, ...]
    parts: tuple[FieldPart, ...]
    segments: tuple[int, ...] = ()
    flagged: bool = False
    marker: Marker | None = None
    conditions: Conditions = field(default_factory=Conditions)

    def __call__(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Rows for the kernel; `DeclinedError` where a condition has values that only Spark can tell."""
        texts = [as_texts(rows.column(position)) for position in self.segments]
        flag = [rows.column(len(self.places))] if self.flagged else []
        marker = [] if self.marker is None else [self._batches(self.marker, rows)]
        arrays = [*(part.of(rows) for part in self.parts), *self._made(rows), *texts, *flag, *marker]
        if not arrays:
            # Of a table without columns to measure the rows count nevertheless.
            arrays = [pa.nulls(rows.num_rows)]
        return pa.RecordBatch.from_arrays(arrays, names=[str(i) for i in range(len(arrays))])

    def _batches(self, marker: Marker, rows: pa.RecordBatch) -> pa.Array:
        looked_at = {place: rows.column(self.places.index(place)) for place in marker.places}
        found = marker.of(looked_at, rows.num_rows)
        return pc.fill_null(decoded(found), NOBODYS) if found.null_count else found

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
    marker: Marker | None = None,
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
    for name in segments:
        splits(name, schema.field(name).type)
    roots = [*(plain[name].path[0] for name in names), *conditions.places, *(marker.places if marker else ())]
    places = tuple(dict.fromkeys([*roots, *(schema.get_field_index(name) for name in segments)]))
    parts = tuple(FieldPart(places.index(f.path[0]), tuple(f.path[1:]), f.how) for f in (plain[name] for name in names))
    texts = tuple(places.index(schema.get_field_index(name)) for name in segments)
    return RowValues(places, (*names, *conditions.names), parts, texts, flagged, marker, conditions)


def declined(name: Name, why: object) -> DeclinedError:
    """That what is made of the columns takes Spark."""
    said = f"the condition {name.text!r}" if isinstance(name, RowTest) else f"what is made of {name}"
    return DeclinedError(f"{said} takes Spark ({why})", name if isinstance(name, RowTest) else None)
