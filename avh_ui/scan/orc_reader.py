"""ORC files read as Spark reads them: by stripes, of the types that both read alike.

Timestamps are declined: Spark takes them for times of day where its Java is, Arrow for those of UTC, and of years that nanoseconds do not
reach. So are dates before 1582, which Java counts by another calendar.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import orc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.type_names import arrow_tree
from avh_ui.scan import columnar
from avh_ui.scan.columnar import FilePiece, FilePlan
from avh_ui.scan.columnar_tables import planned_table
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.parquet_types import distinct
from avh_ui.scan.partitions import Partitions
from avh_ui.scan.schemas import Layout
from avh_ui.scan.shares import Opener, RowReader, Share

if TYPE_CHECKING:
    from avh_ui.config import Source

# The kernel measures so many rows at once.
_BATCH_ROWS = 200_000
_GREGORIAN = date(1582, 10, 15)
_TYPES = frozenset(
    {pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string(), pa.binary(), pa.date32()}
)
# Where Spark leaves the types that ORC has not.
_SPARK_TYPE = b"spark.sql.catalyst.type"
# Settings of Spark that change how it reads these files: at other values they are Spark's to read.
SETTINGS: Mapping[str, str] = {"spark.sql.orc.impl": "native", "spark.sql.orc.mergeSchema": "false", **columnar.SETTINGS}


@dataclass(frozen=True)
class OrcReader:
    """Reads the stripes of ORC files. `schema` has the columns in Spark's types, those of `partitions` last."""

    schema: pa.Schema
    partitions: Partitions

    @property
    def flagged(self) -> bool:
        """No row of an ORC file is malformed."""
        return False

    def read(self, share: Share, open_file: Opener, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """The rows of a share's stripes: the columns at these places of `schema`, absent ones null."""
        with open_file(share.path) as stream:
            file = orc.ORCFile(stream)
            found = file_columns(file.schema)
            asked = columnar.AskedColumns.of(self.schema, self.partitions, share.path, found, places)
            for stripe in range(file.nstripes) if share.parts is None else share.parts:
                whole = file.read_stripe(stripe, columns=_names(found, asked.inside))
                for batch in (whole.slice(at, _BATCH_ROWS) for at in range(0, whole.num_rows, _BATCH_ROWS)):
                    yield asked.rows({field.name: _conformed(batch, field) for field in asked.inside}, batch.num_rows)


def plan(source: Source, listing: FileListing, layouts: Sequence[Layout]) -> tuple[RowReader, tuple[Share, ...]]:
    """A reader and shares for the files of batches; `DeclinedError` where Spark is to read them. Files without rows give no share."""
    schema, partitions, shares = columnar.planned(source, listing, layouts, look, same_order=True)
    return OrcReader(schema, partitions), shares


def plan_table(
    source: Source, listing: FileListing, files: Files, batches: Collection[str] | None = None
) -> tuple[RowReader, tuple[Share, ...]]:
    """The same for batches (None = all) of a table with a batch column, whose files are these: see `planned_table`."""
    schema, partitions, shares = planned_table(source, listing, files, batches, look, same_order=True)
    return OrcReader(schema, partitions), shares


def look(_: str, stream: pa.NativeFile | IO[bytes]) -> FilePlan:
    """A file's columns and stripes; how many rows each of these has, the footer does not say here."""
    file = orc.ORCFile(stream)
    count = file.nstripes
    pieces = [FilePiece((k,), file.nrows // count, file.content_length // count) for k in range(count)] if file.nrows else []
    return FilePlan(file_columns(file.schema), tuple(pieces))


def file_columns(found: pa.Schema) -> pa.Schema:
    """The columns of a file in Spark's types, which are Arrow's; `DeclinedError` where they may differ."""
    if not len(found):
        raise DeclinedError("a file has no columns")
    try:
        _named(found.names)
        for field in found:
            _check(field, field.name)
    except UnicodeDecodeError as error:
        raise DeclinedError("the name of a column is no text") from error
    return pa.schema([(field.name, field.type) for field in found])


def _named(names: Sequence[str]) -> None:
    distinct(names)
    for name in names:
        # Spark writes the type of all columns as one text, in which these are lost.
        if not name or "`" in name:
            raise DeclinedError(f"Spark does not take {name!r} for the name of a column")


def _check(field: pa.Field, name: str) -> None:
    said = (field.metadata or {}).get(_SPARK_TYPE)
    if said is not None and said.decode("utf-8", "replace") != arrow_tree(field.type).name:
        raise DeclinedError(f"{name!r} is of a type of Spark's own")
    types = pa.types
    if types.is_struct(field.type):
        _named([inner.name for inner in field.type])
    if types.is_struct(field.type) or types.is_list(field.type) or types.is_map(field.type):
        for inner in _within(field.type):
            _check(inner, name)
            if types.is_date(inner.type):
                raise DeclinedError(f"{name!r} holds dates, which may be of an old calendar")
    elif field.type not in _TYPES and not types.is_decimal128(field.type):
        raise DeclinedError(f"{name!r} is of type {field.type}")


def _within(arrow: Any) -> list[pa.Field]:
    if pa.types.is_map(arrow):
        return [arrow.key_field, arrow.item_field]
    return [arrow.field(i) for i in range(arrow.num_fields)]


def _names(found: pa.Schema, wanted: Sequence[pa.Field]) -> list[str] | None:
    """The columns to read; at least one, since rows without columns are not counted, and all where a name may mean a field of a struct."""
    names = [field.name for field in wanted] or found.names[:1]
    return None if any("." in name for name in names) else names


def _conformed(batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
    array = columnar.conformed(batch.column(field.name), field)
    if pa.types.is_date(field.type):
        columnar.since(array, _GREGORIAN, field.name)
    return array
