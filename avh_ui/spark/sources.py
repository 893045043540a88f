"""A pipeline's source as Spark DataFrames: one frame for all batches of a chunk whose columns agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.errors import AvhError, BatchNotFoundError, EmptyBatchError, SourceError, nearest
from avh_ui.history.series import sort_batches
from avh_ui.metrics.profiler import FailedBatch, Fault
from avh_ui.spark import batch_ids
from avh_ui.spark.kernel import strip_scheme
from avh_ui.spark.listing import FileListing, Files
from avh_ui.spark.reasons import reason
from avh_ui.spark.schemas import FileSchema, file_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc"})
# Some columns of these are read without reading the others.
_COLUMNAR = frozenset({"parquet", "orc", "delta", "iceberg"})
# Of a table with a batch column every chunk is a scan of the whole, unless it is partitioned by that column. So many profiles (batches
# times columns) come to the driver at once: 160 MB at the median of 8 KB, a year of 50 columns.
_CHUNK_PROFILES = 20_000


@dataclass(frozen=True)
class Frame:
    """Rows of some batches. The last column of `rows` says which batch a row is of: its id, or its file, to be looked up in
    `files`. `untyped` when the columns' types must be found from their texts; `columnar` when some columns can be read without the
    others; `size` in bytes, None when unknown.
    """

    rows: DataFrame
    batches: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    untyped: bool
    size: int | None
    columnar: bool = False


class Source:
    """Reads one pipeline."""

    def __init__(self, pipeline: Pipeline, root: Path, start: Callable[[], SparkSession]) -> None:
        self.pipeline, self._start = pipeline, start
        self._by_file = pipeline.source.format in FILE_FORMATS and not pipeline.source.batch_column
        self.listing = FileListing(pipeline.source, root) if pipeline.source.path else None

    @property
    def spark(self) -> SparkSession:
        """The session, started when the source needs it: files are listed without."""
        return self._start()

    def batches(self) -> list[str]:
        """Batch ids at the source now; for a query with `{batch}` they cannot be listed, which is an empty list."""
        if self.listing and not self.pipeline.source.batch_column:
            return self.listing.batches()
        if not self.pipeline.source.batch_column:
            return []
        with self._readable():
            distinct = self._whole.select(self._marker()).distinct().collect()
        return sort_batches(row[0] for row in distinct if row[0] is not None)

    def chunk(self, size: int) -> int:
        """How many batches to read at once: `size`, or more of a table that is scanned as a whole for whatever part of it."""
        if not self.pipeline.source.batch_column:
            return size
        with self._readable():
            return max(size, _CHUNK_PROFILES // max(len(self._whole.columns), 1))

    def frames(self, batches: Sequence[str]) -> Iterator[Frame | FailedBatch]:
        """The frames that together hold the batches; a batch that cannot be read is yielded as failed."""
        if self._by_file and self.listing:
            yield from self._file_frames(self.listing, batches)
        elif self.pipeline.source.batch_column:
            yield from self._column_frames(batches)
        else:
            from pyspark.sql import functions as F

            for batch in batches:
                try:
                    with self._readable(batch):
                        rows = self._table(batch).select("*", F.lit(batch).alias("__batch"))
                        rows.schema.fieldNames()  # Spark Connect looks at a query only now
                    yield Frame(rows, (batch,), (), untyped=False, size=None)
                except SourceError as error:
                    yield FailedBatch(batch, str(error), _fault(error))

    def _file_frames(self, listing: FileListing, batches: Sequence[str]) -> Iterator[Frame | FailedBatch]:
        groups: dict[FileSchema | str, list[Files]] = {}
        for batch in batches:
            try:
                files = listing.locate(batch)
                # JSON has no header: each batch is its own group, and Spark finds its columns.
                groups.setdefault(file_schema(self.pipeline.source, listing, files) or batch, []).append(files)
            except AvhError as error:
                yield FailedBatch(batch, str(error), _fault(error))
        for schema, members in groups.items():
            try:
                with self._readable(*(m.batch for m in members)):
                    frame = file_frame(self.spark, self.pipeline, schema if isinstance(schema, FileSchema) else None, members)
                    frame.rows.schema.fieldNames()  # Spark Connect looks at a query only now
            except SourceError as error:
                yield from (FailedBatch(m.batch, str(error), _fault(error)) for m in members)
            else:
                yield frame

    def _column_frames(self, batches: Sequence[str]) -> Iterator[Frame | FailedBatch]:
        if self.pipeline.source.format != "jdbc":
            yield self._column_frame(batches)
            return
        asked = []
        for batch in batches:
            try:
                asked.append(batch_ids.compared(batch))
            except SourceError as error:
                yield FailedBatch(batch, str(error), "unreadable")
        if asked:
            yield self._column_frame(asked)

    def _column_frame(self, batches: Sequence[str]) -> Frame:
        with self._readable():
            marker = self._marker()
            rows = self._whole.where(marker.isin(list(batches))).select("*", marker.alias("__batch"))
        kind = self.pipeline.source.format
        return Frame(rows, tuple(batches), (), untyped=kind == "csv", size=None, columnar=kind in _COLUMNAR)

    def _marker(self) -> Column:
        """The batch column as text; `SourceError` when the table has none of that name."""
        from pyspark.sql import functions as F

        name, there = self.pipeline.source.batch_column, self._whole.columns
        if name not in there:
            message = f"The source of {self.pipeline.name!r} has no column {name!r}, which `batch_column` names."
            raise SourceError(message, hint=nearest(name, there))
        return F.col(_quoted(name)).cast("string")

    @contextmanager
    def _readable(self, *batches: str) -> Iterator[None]:
        """What Spark says of a table, query or database that it cannot read, as a `SourceError`; of one batch, or the whole source."""
        try:
            yield
        except AvhError:
            raise
        except Exception as error:
            what = f"Batch {batches[0]!r} of {self.pipeline.name!r}" if len(batches) == 1 else f"The source of {self.pipeline.name!r}"
            if len(batches) == 1 and self.listing is not None:
                what += f" ({self.listing.template.replace('{batch}', batches[0])})"
            raise SourceError(f"{what} cannot be read: {reason(error)}", hint="Check its source in avh.yml.") from error

    @cached_property
    def _whole(self) -> DataFrame:
        """The table of all batches, opened once: of JSON Spark reads every line to find its columns."""
        return self._table(None)

    def _table(self, batch: str | None) -> DataFrame:
        source = self.pipeline.source
        if source.format == "table":
            return self.spark.table(source.table)
        if source.format == "query":
            query, values = batch_ids.bound(source.query, batch or "")
            return self.spark.sql(query, args=values)
        reader = self.spark.read.format(source.format).options(**source.options)
        if source.format == "jdbc":
            key, value = ("query", source.query) if source.query else ("dbtable", source.table)
            asked = batch_ids.in_database(value, batch) if batch else value
            return (reader.option(key, asked) if value else reader).load()
        if self.listing is None:
            return reader.table(source.table)
        return reader.load(self.listing.url(batch))


def file_frame(spark: SparkSession, pipeline: Pipeline, schema: FileSchema | None, members: Sequence[Files]) -> Frame:
    """One frame over the files of batches with the same columns."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType, StructField, StructType

    source = pipeline.source
    reader = spark.read.format(source.format).options(**source.options)
    untyped = source.format == "csv"
    if untyped and schema is not None:
        reader = reader.schema(StructType([StructField(name, StringType()) for name in schema.names]))
    rows = reader.load([m.url for m in members])
    located = tuple((strip_scheme(m.path), m.batch) for m in members)
    marked, size = rows.select("*", F.input_file_name()), sum(m.size for m in members)
    return Frame(marked, tuple(m.batch for m in members), located, untyped, size, source.format in _COLUMNAR)


def _fault(error: AvhError) -> Fault:
    if isinstance(error, BatchNotFoundError):
        return "missing"
    return "empty" if isinstance(error, EmptyBatchError) else "unreadable"


def missing(source: Source, batch: str) -> BatchNotFoundError:
    """The error for a batch without rows in a table or query."""
    known = source.batches()
    return BatchNotFoundError(f"Batch {batch!r} of {source.pipeline.name!r} has no rows at its source.", hint=nearest(batch, known))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
