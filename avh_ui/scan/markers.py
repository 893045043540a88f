"""Which batch a row is of, where columns of the table say it: told of Arrow's columns as Spark tells it of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.config_places import BatchKey
from avh_ui.errors import SourceError, nearest
from avh_ui.metrics.column import decoded
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.errors import FAULTS, declined
from avh_ui.metrics.sql.naming import Table
from avh_ui.metrics.sql.nodes import Evaluation, Node, nodes_of
from avh_ui.metrics.sql.parsing import parsed

if TYPE_CHECKING:
    from avh_ui.config import Pipeline


class NoColumnError(DeclinedError):
    """A table lacks a column that says which batch a row is of: Spark says so too."""

    def __init__(self, name: str, there: Sequence[str]) -> None:
        super().__init__(f"it has no column {name!r}")
        self.name, self.there = name, tuple(there)


def require_columns(key: BatchKey, there: Sequence[str]) -> None:
    """`NoColumnError` for a table without one of the key's columns."""
    if missing := [name for name in key.columns if name not in there]:
        raise NoColumnError(missing[0], there)


@dataclass(frozen=True)
class Marker:
    """Makes the batch of each row; `places` are the columns of the table that it looks at, `node` what is made of them (None: the one as
    it is).
    """

    places: tuple[int, ...]
    node: Node | None = None

    def of(self, columns: Mapping[int, pa.Array], count: int) -> pa.Array:
        """The batches of `count` rows as texts, null for those without; `columns` has those of `places`. `DeclinedError` for values that
        only Spark can tell.
        """
        if self.node is None:
            return as_texts(columns[self.places[0]])
        try:
            return Evaluation(columns, count).array(self.node)
        except FAULTS as error:
            raise declined(error) from error


def marker_of(key: BatchKey, schema: pa.Schema, setting: Callable[[str], str | None] = lambda _: None) -> Marker:
    """What makes the batch of rows with this schema; `DeclinedError` for what takes Spark: a column that is not there, a fraction, a point
    in time in a session that is not in UTC.
    """
    require_columns(key, schema.names)
    places = tuple(schema.get_field_index(name) for name in key.columns)
    if key.column:
        splits(key.column, schema.field(places[0]).type)
        return Marker(places)
    # Needs sqlglot, which takes a tenth of a small file's validation: for tables cut by an expression alone.
    from avh_ui.metrics.sql.binding import Binder

    table = Table([(field.name, field.type) for field in schema], exact=True)
    node = Binder(table, datetime.now(UTC)).value(parsed(key.sql()))
    zone = setting("spark.sql.session.timeZone") or "UTC"
    if zone != "UTC" and any(one.type == t.TIMESTAMP for one in nodes_of([node])):
        raise DeclinedError(f"the time zone is {zone}, and its batches are cut from points in time")
    return Marker(places, node)


def markers_of_folders(key: BatchKey, fields: Sequence[pa.Field], rows: Sequence[Sequence[object]]) -> list[str | None]:
    """The batch of each folder, whose columns `fields` have these values; all columns of the key are among them."""
    arrays = [pa.array([row[k] for row in rows], field.type) for k, field in enumerate(fields)]
    found = marker_of(key, pa.schema(list(fields))).of(dict(enumerate(arrays)), len(rows)).to_pylist()
    return [None if batch is None else str(batch) for batch in found]


def no_column(pipeline: Pipeline, name: str, there: Sequence[str], file: str = "") -> SourceError:
    """The error for a table without a column that says which batch a row is of."""
    what = f"The file {file}" if file else f"The source of {pipeline.name!r}"
    says = "`batch_column` names" if pipeline.source.batch_column else "`batch` names"
    return SourceError(f"{what} has no column {name!r}, which {says}.", hint=nearest(name, there))


def as_texts(values: pa.Array) -> pa.Array:
    """Values as texts; texts that are a dictionary stay one."""
    if pa.types.is_dictionary(values.type) and pa.types.is_string(values.type.value_type):
        return values
    return decoded(values).cast(pa.string())


def splits(name: str, arrow_type: pa.DataType) -> None:
    """`DeclinedError` for a column that splits rows and whose text only Spark can tell."""
    types = pa.types
    if not (types.is_string(arrow_type) or types.is_integer(arrow_type) or types.is_boolean(arrow_type) or types.is_date32(arrow_type)):
        raise DeclinedError(f"the column {name!r} splits its rows and is a {arrow_type}, whose text is Spark's")
