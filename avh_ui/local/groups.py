"""Which batches of a source are measured together without Spark: files of the same columns, or the rows of one table of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from avh_ui.config import Pipeline
from avh_ui.config_places import BatchKey
from avh_ui.errors import AvhError, SourceError, sentence_of
from avh_ui.history.series import sort_batches
from avh_ui.local.group import BatchGroup
from avh_ui.metrics.column import decoded
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.profiler import FailedBatch
from avh_ui.metrics.rows import RowTest
from avh_ui.scan.commas import require_commas
from avh_ui.scan.facts import COLUMNAR, LINES, FileFacts, drops
from avh_ui.scan.file_source import FileSource, TakesSparkError, fault_of
from avh_ui.scan.listing import FileListing
from avh_ui.scan.markers import NoColumnError, marker_of, no_column, require_columns
from avh_ui.scan.partials import NOBODYS
from avh_ui.scan.partition_folders import PartitionFolders
from avh_ui.scan.planning import Planned, Setting, planned_lines, planned_table
from avh_ui.scan.schemas import Layout

# A killed run loses at most two chunks: one that is put together, and one that is measured meanwhile. Of 1,781 small files chunks of half
# the size, in half the portions (`pool`), took 1.04 times the time (5.26 to 5.44 s, 5.14 to 5.20).
CHUNK_BATCHES = 192
# So many batches of a table are measured in one scan of it, whatever part of it they are: a year of hours.
_TABLE_BATCHES = 10_000
# What a table of files is called where a batch is looked for: a name for what is in no template.
TABLE = "table"


class Groups(Protocol):
    """The batches of a source in groups."""

    @property
    def chunk(self) -> int:
        """How many batches are asked for at once, at most."""
        ...

    @property
    def declined(self) -> Mapping[str, str]:
        """Of the batches asked for last those that take Spark, and why."""
        ...

    def of(self, batches: Sequence[str]) -> Iterator[BatchGroup | FailedBatch]:
        """The groups of some batches, and those that cannot be read."""
        ...


def groups_of(pipeline: Pipeline, listing: FileListing, setting: Setting, *, only: bool = False) -> Groups:
    """The batches of a source of files; with `only` what takes Spark is left out of them alone (`BatchGroup.left_out`)."""
    left_out: Mapping[RowTest, str] | None = {} if only else None
    if pipeline.source.key:
        return TableBatches(pipeline, listing, setting, left_out)
    return FileBatches(pipeline, listing, setting, left_out)


class FileBatches:
    """Batches that are files; implements `Groups`."""

    chunk = CHUNK_BATCHES

    def __init__(self, pipeline: Pipeline, listing: FileListing, setting: Setting, left_out: Mapping[RowTest, str] | None = None) -> None:
        self._pipeline, self._listing, self._setting, self._left_out = pipeline, listing, setting, left_out
        self.declined: Mapping[str, str] = {}

    def of(self, batches: Sequence[str]) -> Iterator[BatchGroup | FailedBatch]:
        """Those whose columns agree together."""
        source = FileSource(self._pipeline, no_parser)
        for members in source.groups(self._listing, batches):
            if isinstance(members, FailedBatch):
                yield members
            else:
                yield BatchGroup(self._pipeline, self._listing, members, self._setting, self._left_out)
        self.declined = source.declined


class TableBatches:
    """Batches that columns of a table of files say; implements `Groups`."""

    chunk = _TABLE_BATCHES

    def __init__(self, pipeline: Pipeline, listing: FileListing, setting: Setting, left_out: Mapping[RowTest, str] | None = None) -> None:
        self._pipeline, self._listing, self._setting, self._left_out = pipeline, listing, setting, left_out
        self.declined: Mapping[str, str] = {}

    @cached_property
    def _files(self) -> FileSource:
        return FileSource(self._pipeline, no_parser)

    @cached_property
    def _partitions(self) -> PartitionFolders:
        return PartitionFolders(self._pipeline.source, self._listing, self._files)

    def listed(self) -> list[str]:
        """All batches, in natural order: the columns that say them are read; `DeclinedError` where that takes Spark."""
        plan = self.planned(None)
        marker = marker_of(plan.key or BatchKey(()), plan.reader.schema, self._setting)
        places = dict.fromkeys(marker.places)
        found: set[str] = set()
        for share in plan.shares:
            if share.batch:
                found |= {share.batch} - {NOBODYS}
                continue
            try:
                for rows in plan.reader.read(share, plan.opener, list(places)):
                    batches = marker.of(dict(zip(places, rows.columns, strict=False)), rows.num_rows)
                    found |= {batch for batch in decoded(batches).unique().to_pylist() if batch is not None}
            except OSError as error:
                raise SourceError(f"The source of {self._pipeline.name!r} cannot be read: {sentence_of(error)}") from error
        return sort_batches(found | self._partitions.without_a_byte(found))

    def planned(self, batches: Sequence[str] | None) -> Planned:
        """How the table is read for some batches (None: all of it); `DeclinedError` where Spark is to, `SourceError` for what is wrong."""
        source = self._pipeline.source
        files = self._listing.locate(TABLE)
        try:
            if source.format in COLUMNAR:
                return planned_table(source, self._listing, files, batches, self._setting)
            (layout,) = self._files.look(self._listing, [files])
            if isinstance(layout, TakesSparkError):
                raise DeclinedError(str(layout))
            if isinstance(layout, SourceError):
                raise layout
            require_commas(source, layout.names, f"The source of {self._pipeline.name!r}")
            plan = planned_lines(source, self._listing, layout, self._setting)
            require_columns(plan.key or BatchKey(()), plan.reader.schema.names)
            return plan
        except NoColumnError as error:
            raise no_column(self._pipeline, error.name, error.there) from error

    def of(self, batches: Sequence[str]) -> Iterator[BatchGroup | FailedBatch]:
        """All in one group: the table is read once for them."""
        self.declined = {}
        layouts = self._partitions.layouts(batches)
        wrong = {batch: error for batch, error in layouts.items() if isinstance(error, AvhError)}
        yield from (FailedBatch(batch, str(error), fault_of(error)) for batch, error in wrong.items())
        asked = [batch for batch in batches if batch not in wrong]
        if not asked:
            return
        found = {batch: layout for batch, layout in layouts.items() if isinstance(layout, Layout)}
        try:
            plan = self.planned(asked)
            yield TableGroup(self._pipeline, self._listing, (), self._setting, self._left_out, ids=tuple(asked), plan=plan, layouts=found)
        except DeclinedError as why:
            self.declined = dict.fromkeys(asked, str(why))
        except AvhError as error:
            yield from (FailedBatch(batch, str(error), fault_of(error)) for batch in asked)


@dataclass(frozen=True)
class TableGroup(BatchGroup):
    """Batches of a table, read by `plan`; `layouts` are those of the batches that are folders of their own."""

    ids: tuple[str, ...] = ()
    plan: Planned | None = None
    layouts: Mapping[str, Layout] = field(default_factory=dict)

    @property
    def batches(self) -> list[str]:
        """Their ids."""
        return list(self.ids)

    def alone(self) -> Sequence[BatchGroup]:
        """Each batch by itself."""
        return [replace(self, ids=(batch,)) for batch in self.ids]

    def _planned(self) -> tuple[Planned, FileFacts]:
        if self.plan is None:
            raise DeclinedError("how the table is read is not known")
        source, known = self.pipeline.source, self.plan.reader.schema.names
        facts = FileFacts(
            batches=self.ids,
            untyped=source.format == "csv",
            columnar=source.format in COLUMNAR,
            flagged=source.format in LINES,
            drops=drops(source),
            deliveries={batch: self.layouts[batch].delivery(known) if batch in self.layouts else Delivery() for batch in self.ids},
        )
        return self.plan, facts


def no_parser(_listing: FileListing, path: str) -> list[str]:
    """Without Spark there is none."""
    raise TakesSparkError(f"the first line of {path} takes Spark's parser")
