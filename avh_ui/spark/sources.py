"""A pipeline's source as Spark DataFrames: one frame for all batches of a chunk whose columns agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.constraints.sql_text import backticked
from avh_ui.errors import AvhError, BatchNotFoundError, SourceError
from avh_ui.history.ranges import nearest_batches
from avh_ui.history.series import sort_batches
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.profiler import FailedBatch
from avh_ui.scan import batch_ids, snapshots
from avh_ui.scan.commas import require_commas
from avh_ui.scan.facts import COLUMNAR, FILE_FORMATS, drops, file_facts, option
from avh_ui.scan.file_source import FileSource, fault_of
from avh_ui.scan.listing import FileListing
from avh_ui.scan.partials import NOBODYS
from avh_ui.scan.partition_folders import PartitionFolders
from avh_ui.scan.planning import Planned, Setting, planned, without_lines
from avh_ui.scan.schemas import Layout
from avh_ui.scan.xml_looking import refuse_cut
from avh_ui.spark.arrow_rows import or_by_arrow, rows_by_arrow
from avh_ui.spark.csv_tables import LikeFiles, parts_of, placed
from avh_ui.spark.jobs import reason, require_there
from avh_ui.spark.markers import marker_of, within
from avh_ui.spark.reading import FILE, FLAG, Frame, by_arrow, by_spark, file_rows, flagged, left_out, lenient, reader, spark_names
from avh_ui.spark.table_plans import plan_of_lines, plan_of_table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# Of a table with a batch column every chunk is a scan of the whole, unless it is partitioned by that column. So many profiles (batches
# times columns) come to the driver at once: 160 MB at the median of 8 KB, a year of 50 columns.
_CHUNK_PROFILES = 20_000


class SparkSource:
    """Reads one pipeline."""

    def __init__(self, pipeline: Pipeline, root: Path, start: Callable[[], SparkSession]) -> None:
        self.pipeline, self._start = pipeline, start
        self._by_file = pipeline.source.format in FILE_FORMATS and pipeline.source.key is None
        self.listing = FileListing(pipeline.source, root) if pipeline.source.path else None

    @property
    def spark(self) -> SparkSession:
        """The session, started when the source needs it: files are listed without."""
        return self._start()

    def batches(self) -> list[str]:
        """Batch ids at the source now; for a query with `{batch}` they are what `batches` of the source lists, or an empty list."""
        if self.pipeline.source.key is None:
            now = snapshots.current(self.pipeline.source)
            return self.listing.batches() if self.listing else self._listed() if self.pipeline.source.batches else list(filter(None, [now]))
        with self._readable():
            if self._parts:
                found = {batch for part in self._parts for batch in part.places}
            else:
                rows = self._whole.select(self._marker(self._whole)).distinct().collect()
                found = {row[0] for row in rows if row[0] is not None}
        # Of a partition without a byte Spark knows no row.
        return sort_batches(found | self._partitions.without_a_byte(found))

    def _listed(self) -> list[str]:
        """The first column of the source's own query for its batches."""
        from pyspark.sql import functions as F

        source = self.pipeline.source
        with self._readable():
            if source.format == "jdbc":
                rows = reader(self.spark, source).option("query", source.batches).load()
            else:
                rows = self.spark.sql(source.batches)
            found = rows.select(F.col(backticked(rows.columns[0])).cast("string")).distinct().collect()
        return sort_batches({row[0] for row in found if row[0] is not None})

    def chunk(self, size: int) -> int:
        """How many batches to read at once: `size`, or more of a table that is scanned as a whole for whatever part of it."""
        if self.pipeline.source.key is None:
            return size
        with self._readable():
            return max(size, _CHUNK_PROFILES // max(len(self._whole.columns), 1))

    def frames(self, batches: Sequence[str], declined: str = "") -> Iterator[Frame | FailedBatch]:
        """The frames that together hold the batches; a batch that cannot be read is yielded as failed. `declined` says why Arrow does not
        read these, if it was tried.
        """
        if self._by_file and self.listing:
            for members in self._files.groups(self.listing, batches):
                yield from [members] if isinstance(members, FailedBatch) else self._together(self.listing, members, declined)
        elif self.pipeline.source.key:
            yield from self._column_frames(batches, declined)
        else:
            from pyspark.sql import functions as F

            now = snapshots.current(self.pipeline.source)
            for batch in batches:
                try:
                    snapshots.require_current(self.pipeline.source, batch, now)
                    with self._readable(batch):
                        self._refuse_cut(batch)
                        rows = self._table(batch).select("*", F.lit(batch).alias("__batch"))
                        rows.schema.fieldNames()  # Spark Connect looks at a query only now
                        facts = {batch: self._facts}
                    untyped = self.pipeline.source.untyped
                    yield Frame(spark=self.spark, open=partial(_same, rows), batches=(batch,), untyped=untyped, deliveries=facts)
                except SourceError as error:
                    yield FailedBatch(batch, str(error), fault_of(error))

    def _together(self, listing: FileListing, members: Sequence[Layout], declined: str) -> Iterator[Frame | FailedBatch]:
        """One frame of batches; where a file of one cannot be read each alone, since that is not the others' fault."""
        try:
            with self._readable(*(m.files.batch for m in members)):
                frame = self._frame(listing, members, declined)
                if frame.planned is None:
                    frame.rows.schema.fieldNames()  # Spark Connect looks at a query only now
        except SourceError as error:
            if len(members) == 1:
                yield FailedBatch(members[0].files.batch, str(error), fault_of(error))
                return
            for one in members:
                yield from self._together(listing, [one], declined)
        else:
            yield frame

    def _frame(self, listing: FileListing, members: Sequence[Layout], declined: str = "") -> Frame:
        """The frame over the files of batches with the same columns, or one whose files differ; by Arrow where it may read them."""
        source, spark = self.pipeline.source, self.spark
        facts = replace(file_facts(self.pipeline, members), notes=lenient(spark, source))
        plan, read = partial(planned, source, listing, members, self._setting), partial(file_rows, spark, source, listing, members)
        frame = Frame(**vars(facts), spark=spark, open=partial(or_by_arrow, read, plan, spark, FILE), declined=declined)
        if source.skip_lines:
            frame = replace(frame, open=lambda: rows_by_arrow(spark, without_lines(plan), FILE, FLAG))
        return frame if declined else by_arrow(frame, source, plan)

    def _table_plan(self, batches: Sequence[str] | None) -> Planned:
        return plan_of_table(self.pipeline.source, self.listing, batches, self._setting)

    def _column_frames(self, batches: Sequence[str], declined: str) -> Iterator[Frame | FailedBatch]:
        found = self._partitions.layouts(batches)
        asked = []
        for batch in batches:
            try:
                asked.append(batch_ids.compared(batch) if self.pipeline.source.format == "jdbc" else batch)
                if isinstance(fault := found.get(batch), AvhError):
                    asked.remove(batch)
                    raise fault
            except AvhError as error:
                yield FailedBatch(batch, str(error), fault_of(error))
        layouts = {b: layout for b, layout in found.items() if isinstance(layout, Layout)}
        with self._readable():
            tables = [part.rows for part in self._parts] or [self._whole]
            of, split = placed(self._parts, asked) if self._parts else ([asked], [])
        yield from split
        source = self.pipeline.source
        for table, mine in zip(tables, of, strict=True):
            if mine:
                frame = self._column_frame(table, mine, layouts)
                yield replace(frame, declined=declined) if declined else by_arrow(frame, source, partial(self._table_plan, mine))

    @cached_property
    def _partitions(self) -> PartitionFolders:
        return PartitionFolders(self.pipeline.source, self.listing, self._files)

    @cached_property
    def _files(self) -> FileSource:
        """The source's batches as files; Spark is asked of a CSV's header where its options take Spark to read it."""

        def ask(listing: FileListing, path: str) -> list[str]:
            with self._readable():
                return spark_names(self.spark, self.pipeline.source, listing.url_of(path))

        return FileSource(self.pipeline, ask)

    @cached_property
    def _setting(self) -> Setting:
        """What is set in the session, asked once."""
        return cache(lambda name: self.spark.conf.get(name, None))

    def outside(self, path: str) -> Frame:
        """The frame of a file or folder outside the source, read as the source is; `SourceError` and its kinds when it cannot be."""
        if self.pipeline.source.format not in FILE_FORMATS:
            return by_spark(self._start, self.pipeline, path)
        listing, layout = self._files.outside(path)
        with self._readable():
            return self._frame(listing, [layout])

    def _column_frame(self, table: DataFrame, batches: Sequence[str], layouts: Mapping[str, Layout]) -> Frame:
        from pyspark.sql import functions as F

        source = self.pipeline.source
        with self._readable():
            marker = self._marker(table)
            # Rows of no batch are counted.
            wanted = within(table, source.key, batches) & (marker.isin(list(batches)) | marker.isNull())
            rows = table.where(wanted).select("*", F.coalesce(marker, F.lit(NOBODYS)).alias("__batch"))
            notes, known = lenient(self.spark, source), table.columns
            facts = {b: layouts[b].delivery(known) if b in layouts else self._facts for b in batches}
        kind = source.format
        return Frame(
            spark=self.spark, open=lambda: rows, batches=tuple(batches), others=True, untyped=source.untyped, columnar=kind in COLUMNAR,
            flagged=self._lines, drops=drops(source), deliveries=facts, notes=notes,
        )  # fmt: skip

    @property
    def _lines(self) -> bool:
        """Whether the table is read from lines, of which some may be malformed."""
        return self.listing is not None and self.pipeline.source.format in ("csv", "json")

    @cached_property
    def _facts(self) -> Delivery:
        """What is known of how a batch that is no file was delivered: whether Spark may have left out files below it."""
        if self.pipeline.source.format in (*FILE_FORMATS, "jdbc"):
            return Delivery()
        return Delivery(remarks=left_out(self.spark))

    def _marker(self, table: DataFrame, file: str = "") -> Column:
        """The batch of each row as text; `SourceError` when the table, or a file of it, lacks a column that says it."""
        return marker_of(self.pipeline, table, file)

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
                what += f" ({self.listing.place(batches[0])})"
            require_there(why := reason(error), error)
            raise SourceError(f"{what} cannot be read: {why.rstrip('.')}.", hint="Check its source in avh.yml.") from error

    @cached_property
    def _parts(self) -> list[LikeFiles]:
        """The parts of a CSV table whose files differ in their columns; none of any other table."""
        source = self.pipeline.source
        if source.format != "csv" or self.listing is None or source.skip_lines:
            return []
        parts = parts_of(self.spark, source, self.listing, self._files.look, self._marker)
        if parts:
            require_commas(source, {name for part in parts for name in part.schema.names}, f"The source of {self.pipeline.name!r}")
        return parts

    @cached_property
    def _whole(self) -> DataFrame:
        """The table of all batches, opened once: of JSON Spark reads every line to find its columns."""
        table = self._table(None)
        require_commas(self.pipeline.source, table.columns, f"The source of {self.pipeline.name!r}")
        return table

    def _refuse_cut(self, batch: str) -> None:
        """`SourceError` for a batch of XML that is cut between two rows."""
        source = self.pipeline.source
        if source.format == "xml" and self.listing is not None:
            refuse_cut(self.listing, self.listing.locate(batch), option(source, "rowTag"))

    def _table(self, batch: str | None) -> DataFrame:
        source = self.pipeline.source
        if source.format == "table":
            return self.spark.table(source.table)
        if source.format == "query":
            query, values = batch_ids.bound(source.query, batch or "")
            return self.spark.sql(query, args=values)
        read = reader(self.spark, source)
        if source.format == "jdbc":
            key, value = ("query", source.query) if source.query else ("dbtable", source.table)
            asked = batch_ids.in_database(value, batch) if batch else value
            return (read.option(key, asked) if value else read).load()
        if self.listing is None:
            return read.table(source.table)
        url = self.listing.url(batch)
        if source.skip_lines:
            return rows_by_arrow(self.spark, plan_of_lines(source, self.listing, self._files.look, self._setting), flag=FLAG)
        if self._lines:
            return flagged(self.spark, source, url)
        return or_by_arrow(partial(read.load, url), partial(self._table_plan, None), self.spark)


def missing(source: SparkSource, batch: str) -> BatchNotFoundError:
    """The error for a batch without rows in a table or query."""
    known = source.batches()
    return BatchNotFoundError(f"Batch {batch!r} of {source.pipeline.name!r} has no rows at its source.", hint=nearest_batches(batch, known))


def _same(rows: DataFrame) -> DataFrame:
    return rows
