"""Parquet files read as Spark reads them: footers decide which, tasks read the row groups of their share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan import columnar
from avh_ui.scan.columnar import FilePiece, FilePlan
from avh_ui.scan.columnar_tables import planned_table
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.parquet_statistics import holding
from avh_ui.scan.parquet_types import FileColumns, file_columns
from avh_ui.scan.partitions import Partitions
from avh_ui.scan.schemas import Layout
from avh_ui.scan.shares import Opener, RowReader, Share

if TYPE_CHECKING:
    from avh_ui.config import Source

# The kernel measures so many rows at once.
_BATCH_ROWS = 200_000
# Spark takes the columns from these where a folder has them, whatever the files hold.
_SUMMARIES = ("_metadata", "_common_metadata")
# Both calendars count days alike since then, and so do all time zones.
_SAME_CALENDAR = date(1900, 1, 1)
# Above so many bytes a value the texts are written out, or the dictionary is nearly as long as the rows: to make one of those while reading
# took six times as long as to read them (2 million rows), and saved half as much in counting.
_BYTES_OF_INDEX = 4
# The headers of a few pages, which weigh in small files.
_BYTES_OF_HEADERS = 256
# Settings of Spark that change how it reads these files: at other values they are Spark's to read.
SETTINGS: Mapping[str, str] = {
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.fieldId.read.enabled": "false",
    **columnar.SETTINGS,
}


@dataclass(frozen=True)
class ParquetReader:
    """Reads the row groups of Parquet files. `schema` has the columns in Spark's types, those of `partitions` last."""

    schema: pa.Schema
    partitions: Partitions

    @property
    def flagged(self) -> bool:
        """No row of a Parquet file is malformed."""
        return False

    def read(self, share: Share, open_file: Opener, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """The rows of a share's row groups: the columns at these places of `schema`, absent ones null; texts may be dictionaries."""
        with open_file(share.path) as stream:
            file = _opened(stream)
            found = file_columns(file)
            asked = columnar.AskedColumns.of(self.schema, self.partitions, share.path, found.schema, places)
            groups = list(range(file.metadata.num_row_groups) if share.parts is None else share.parts)
            file = _opened(stream, file.metadata, _as_dictionaries(file, groups, asked.inside))
            expected = sum(file.metadata.row_group(g).num_rows for g in groups)
            for batch in _batches(file, groups, [field.name for field in asked.inside]):
                expected -= batch.num_rows
                yield asked.rows({field.name: _conformed(batch, field, found) for field in asked.inside}, batch.num_rows)
            if expected:
                raise OSError(f"{share.path} has not the rows that its footer says")


def plan(source: Source, listing: FileListing, layouts: Sequence[Layout]) -> tuple[RowReader, tuple[Share, ...]]:
    """A reader and shares for the files of batches; `DeclinedError` where Spark is to read them. Files without rows give no share."""
    for layout in layouts:
        _no_summaries(listing, layout.files)
    schema, partitions, shares = columnar.planned(source, listing, layouts, look)
    return ParquetReader(schema, partitions), shares


def plan_table(
    source: Source, listing: FileListing, files: Files, batches: Collection[str] | None = None
) -> tuple[RowReader, tuple[Share, ...]]:
    """The same for batches (None = all) of a table with a batch column, whose files are these: see `planned_table`.

    Row groups that hold none of the batches, by their statistics, are not read.
    """
    _no_summaries(listing, files)

    def pruned(path: str, stream: Any) -> FilePlan:
        found = look(path, stream)
        if batches is None or source.key is None:
            return found
        kept = holding(_opened(stream).metadata, found.schema, source.key, batches)
        return replace(found, pieces=tuple(piece for piece in found.pieces if piece.parts[0] in kept))

    schema, partitions, shares = planned_table(source, listing, files, batches, pruned)
    return ParquetReader(schema, partitions), shares


def look(_: str, stream: pa.NativeFile | IO[bytes]) -> FilePlan:
    """A file's columns and row groups, told from its footer."""
    file = _opened(stream)
    found, groups = file_columns(file), [file.metadata.row_group(k) for k in range(file.metadata.num_row_groups)]
    return FilePlan(found.schema, tuple(FilePiece((k,), g.num_rows, g.total_byte_size) for k, g in enumerate(groups) if g.num_rows))


def _no_summaries(listing: FileListing, files: Files) -> None:
    for folder in set(files.roots) - {part.path for part in files.parts}:
        if any(listing.fs.exists(f"{folder}/{name}") for name in _SUMMARIES):
            raise DeclinedError("Spark takes its columns from a summary file in its folder")


def _opened(stream: Any, footer: pq.FileMetaData | None = None, dictionaries: Sequence[str] = ()) -> pq.ParquetFile:
    # Reading ahead in threads hides the latency of an object store; of a disk there is none.
    ahead = not isinstance(stream, pa.NativeFile)
    try:
        return pq.ParquetFile(
            stream, metadata=footer, read_dictionary=list(dictionaries), pre_buffer=ahead, coerce_int96_timestamp_unit="us",
            arrow_extensions_enabled=False,
        )  # fmt: skip
    except UnicodeDecodeError as error:
        raise DeclinedError("the name of a column is no text") from error


def _batches(file: pq.ParquetFile, groups: list[int], columns: list[str]) -> Iterator[pa.RecordBatch]:
    # The dictionaries within a struct or a list are of a row group each, and Arrow does not put those of several together.
    within = any(pa.types.is_nested(field.type) and "dictionary<" in str(field.type) for field in file.schema_arrow)
    for some in ([group] for group in groups) if within else [groups]:
        yield from file.iter_batches(_BATCH_ROWS, row_groups=some, columns=columns, use_threads=False)


def _as_dictionaries(file: pq.ParquetFile, groups: Sequence[int], wanted: Sequence[pa.Field]) -> list[str]:
    """The columns of texts that these row groups hold as dictionaries, in the main."""
    schema = file.metadata.schema
    places = {schema.column(k).path: k for k in range(len(schema))}
    # With a dot it could be a field of a struct that is meant.
    texts = [
        f.name
        for f in wanted
        if pa.types.is_string(f.type) and "." not in f.name and schema.column(places[f.name]).max_repetition_level == 0
    ]
    return [name for name in texts if all(_indexed(file.metadata.row_group(g).column(places[name])) for g in groups)]


def _indexed(chunk: pq.ColumnChunkMetaData) -> bool:
    return bool(chunk.has_dictionary_page) and chunk.total_uncompressed_size <= _BYTES_OF_INDEX * chunk.num_values + _BYTES_OF_HEADERS


def _conformed(batch: pa.RecordBatch, field: pa.Field, found: FileColumns) -> pa.Array:
    array = columnar.conformed(batch.column(field.name), field)
    if found.rebased and pa.types.is_temporal(field.type):
        columnar.since(array, _SAME_CALENDAR, field.name)
    return array
