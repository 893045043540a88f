"""The Spark engine behind the profiler port: batches in, profiles out, one job per chunk of batches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.config import ColumnsSetting, Config, Pipeline, Source
from avh_ui.errors import EmptyBatchError, SourceError, SparkError
from avh_ui.metrics.column import Kind
from avh_ui.metrics.conformance import Conformance, ConformanceState
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Watch
from avh_ui.metrics.rows import Need
from avh_ui.scan.kernel import scan_of, scanned
from avh_ui.scan.partials import PARTIAL_DDL, Declined
from avh_ui.scan.planning import refused
from avh_ui.scan.profiles import NOTHING, Empty, Result
from avh_ui.scan.settling import TypeMemory
from avh_ui.spark.chunks import chunks
from avh_ui.spark.columns import Measurable, chosen, to_measure
from avh_ui.spark.delta import require_delta
from avh_ui.spark.drawing import draw
from avh_ui.spark.failing_rows import SparkRows
from avh_ui.spark.grouping import distinct_values, untold
from avh_ui.spark.jobs import collect, spark_errors
from avh_ui.spark.measuring import measure, one_by_one, with_groups, with_unique
from avh_ui.spark.reading import Frame, left_out
from avh_ui.spark.references import beside_alone, with_beside
from avh_ui.spark.session import get_spark
from avh_ui.spark.sources import SparkSource, missing
from avh_ui.validator.kept_rows import usable_target
from avh_ui.validator.row_table import DELTA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A killed run loses at most one chunk. 96 small batches keep a job's fixed cost (0.5 s) below 10 ms a batch.
CHUNK_BATCHES = 96
# With segments a batch's profile is up to 200 times as large (about 20 MB for 20 columns), and all of a chunk come to the driver at once.
SEGMENTED_CHUNK_BATCHES = 16


class SparkProfiler:
    """Implements `metrics.profiler.Profiler`; the session starts with the first call that needs it."""

    def __init__(self, config: Config, root: Path) -> None:
        self._config, self._root = config, root

    @cached_property
    def _spark(self) -> SparkSession:
        return get_spark(self._config.spark)

    def _source(self, pipeline: str) -> SparkSource:
        return SparkSource(self._config.pipeline(pipeline), self._root, lambda: self._spark)

    def batches(self, pipeline: str) -> list[str]:
        """Batch ids at the source now, in natural order."""
        return self._source(pipeline).batches()

    def profile(
        self, pipeline: str, batches: Sequence[str], watch: Watch, known: KnownTypes = UNKNOWN
    ) -> Iterator[BatchProfile | FailedBatch]:
        """Profiles as their chunk is finished; failed batches as such."""
        source, total = self._source(pipeline), len(batches)
        run, done = _Run(source, TypeMemory(known), watch, total), 0
        watch.report(0, total, "starting")
        segmented, by_file = bool(source.pipeline.segments), source.pipeline.source.key is None
        size = SEGMENTED_CHUNK_BATCHES if segmented else source.chunk(CHUNK_BATCHES) if total else 1
        for chunk in chunks(batches, size, grows=by_file and not segmented):
            for part in source.frames(chunk):
                watch.check()
                if isinstance(part, FailedBatch):
                    done += 1
                    yield part
                    continue
                yield from run.frame(part, done)
                done += len(part.batches)
            watch.report(done, total, f"profiled {pipeline} up to {chunk[-1]}")

    def profile_path(self, pipeline: str, path: str, batch: str, watch: Watch, known: KnownTypes = UNKNOWN) -> BatchProfile:
        """The profile of a file or folder outside the source, read as the pipeline's source is."""
        settings = self._config.pipeline(pipeline)
        with spark_errors(path):
            frame, types = self._source(pipeline).outside(path), TypeMemory(known)
            profile = _alone(frame, settings, types, watch)
            if isinstance(profile, Declined):
                if settings.source.reader == "arrow":
                    raise refused(profile.told)
                profile = _alone(replace(frame, planned=None, declined=profile.why), settings, types, watch)
        profile = _there(profile, path, batch)
        return replace(profile, batch=batch, segments={s: replace(p, batch=batch) for s, p in profile.segments.items()})

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None, texts: Collection[str] = ()) -> pa.Table:
        """`rows` rows of a batch, drawn by `seed`; all of them when it has no more. `CancelledError` by `watch`."""
        found = self._rows(pipeline, batch)
        return draw(found.rows, found.columns, rows, seed, watch or Watch(), texts)

    def distinct(self, pipeline: str, batch: str, kinds: Mapping[str, Kind], watch: Watch | None = None) -> dict[str, int]:
        """How many values of a batch's columns are distinct, exactly: one pass over each."""
        found = self._rows(pipeline, batch)
        wanted = [(k, untold(kinds[column.name], column)) for k, column in enumerate(found.columns) if column.name in kinds]
        return distinct_values(found.rows, wanted, watch or Watch())

    def conformance(
        self, pipeline: str, batch: str, regexes: Mapping[str, Sequence[str]], watch: Watch | None = None
    ) -> dict[str, Mapping[str, Conformance]]:
        """By column and regex how many of a batch's values conform, from one scan of these columns alone."""
        from pyspark.sql import functions as F

        found = self._rows(pipeline, batch)
        needs = [Need(ConformanceState, (c.name,), None, tuple(regexes[c.name])) for c in found.columns if c.name in regexes]
        if not needs:
            return {}
        kernel, names = scan_of([name for need in needs for name in need.columns], needs), found.rows.columns
        rows = found.rows.select(*(names[found.names.index(name)] for name in kernel.names), F.lit(""))
        states = scanned(kernel, collect(rows.mapInArrow(kernel, PARTIAL_DDL), watch or Watch()))
        return {str(n.columns[0]): state.by_regex for n, state in states.items() if isinstance(state, ConformanceState)}

    def rows(self, pipeline: str, batch: str, path: str | None = None) -> SparkRows:
        """The rows of a batch, or of a file or folder in its place."""
        if path is not None:
            with spark_errors(path):
                return _table(self._source(pipeline).outside(path))
        return _table(self._frame(pipeline, batch))

    def can_keep(self, pipeline: str, target: str) -> None:  # noqa: ARG002 (one session for all)
        """`UsageError` for a Delta table where the session has no Delta."""
        if usable_target(target).startswith(DELTA):
            require_delta(self._spark)

    def _frame(self, pipeline: str, batch: str) -> Frame:
        """One batch."""
        source = self._source(pipeline)
        for part in source.frames([batch]):
            if isinstance(part, FailedBatch):
                raise SourceError(part.reason)
            return part
        raise missing(source, batch)

    def _rows(self, pipeline: str, batch: str) -> Measurable:
        """The columns of a batch that are measured, and its rows."""
        rows, settings = self._frame(pipeline, batch).kept(), self._config.pipeline(pipeline)
        fields = (f for f in chosen(rows, settings).fields if not f.counted and f.asked is None)
        return to_measure(rows, settings, tuple(replace(f, needs=()) for f in fields))


def _table(frame: Frame) -> SparkRows:
    """The rows as the table has them, without the marker of their batch."""
    kept = frame.kept().rows
    places = [str(i) for i in range(len(kept.columns))]
    return SparkRows(kept.toDF(*places).drop(places[-1]).toDF(*kept.columns[:-1]))


@dataclass(frozen=True)
class _Run:
    """One run over a pipeline's batches, `total` of them."""

    source: SparkSource
    types: TypeMemory
    watch: Watch
    total: int

    def frame(self, frame: Frame, done: int) -> Iterator[BatchProfile | FailedBatch]:
        """The profiles of a frame's batches, `done` before them."""
        pipeline = self.source.pipeline

        def on_share(share: float) -> None:
            # All tasks may be done before anything is kept: the last batch is not counted until it is.
            measured = min(int(share * len(frame.batches)), len(frame.batches) - 1)
            self.watch.report(done + measured, self.total, f"profiling {pipeline.name} from {frame.batches[0]}")

        try:
            with spark_errors(f"Batch {frame.batches[0]!r}"):
                profiles = measure(frame, pipeline, self.types, self.watch, on_share)
                profiles |= self._on_demand(frame, profiles)
        except SparkError as error:
            if len(frame.batches) == 1:
                yield FailedBatch(frame.batches[0], str(error))
                return
            # One bad batch fails its whole job: find it by reading each on its own.
            for batch in frame.batches:
                yield from self._again([batch], done, before=frame)
            return
        declined: dict[str, list[str]] = {}
        for batch in frame.batches:
            profile = profiles.get(batch, NOTHING)
            if not isinstance(profile, Declined):
                yield profile.failed(f"Batch {batch!r} of {pipeline.name!r}", batch) if isinstance(profile, Empty) else profile
            elif pipeline.source.reader == "arrow":
                yield FailedBatch(batch, str(refused(profile.told)))
            else:
                declined.setdefault(profile.why, []).append(batch)
        for why, batches in declined.items():
            yield from self._again(batches, done, why)

    def _again(
        self, batches: Sequence[str], done: int, declined: str = "", before: Frame | None = None
    ) -> Iterator[BatchProfile | FailedBatch]:
        """Some of the batches once more; by Spark's reader where Arrow has declined them. A file that was there `before` is missed."""
        for part in self.source.frames(batches, declined):
            if isinstance(part, FailedBatch):
                yield part
            elif before and (
                gone := sorted({f for b in batches for f in before.expected.get(b, {}).keys() - part.expected.get(b, {}).keys()})
            ):
                yield FailedBatch(batches[0], f"The file {gone[0]} cannot be read: it vanished while it was read.")
            else:
                yield from self.frame(part, done)

    def _on_demand(self, frame: Frame, profiles: Mapping[str, Result]) -> dict[str, Result]:
        """Those with what takes passes of its own."""
        pipeline, types, watch = self.source.pipeline, self.types, self.watch
        if len(frame.batches) == 1:
            return _on_demand(frame, pipeline, profiles, types, watch)
        if not one_by_one(frame, pipeline, types.known) and not beside_alone(frame, pipeline, types):
            return with_groups(frame, pipeline, profiles, types, watch)
        found: dict[str, Result] = {}
        for batch in profiles:
            for alone in self.source.frames([batch]):
                if isinstance(alone, Frame):
                    found |= _with_passes(alone, pipeline, {batch: profiles[batch]}, types, watch)
        return found


def _alone(frame: Frame, pipeline: Pipeline, types: TypeMemory, watch: Watch) -> Result:
    """What is measured of a frame's one batch."""
    found = _on_demand(frame, pipeline, measure(frame, pipeline, types, watch), types, watch)
    return next(iter(found.values()), NOTHING)


def _there(found: Result, what: str, batch: str) -> BatchProfile:
    if isinstance(found, BatchProfile):
        return found
    if isinstance(found, Empty):
        raise EmptyBatchError(found.failed(what, batch).reason)
    raise SourceError(str(refused(found.told)) if isinstance(found, Declined) else found.reason)


def _on_demand(frame: Frame, pipeline: Pipeline, profiles: Mapping[str, Result], types: TypeMemory, watch: Watch) -> dict[str, Result]:
    """The profile of a frame's one batch with what takes passes of its own."""
    grouped = _with_passes(frame, pipeline, profiles, types, watch)
    return {batch: with_unique(frame, pipeline, profile, types, watch) for batch, profile in grouped.items()}


def _with_passes(frame: Frame, pipeline: Pipeline, profiles: Mapping[str, Result], types: TypeMemory, watch: Watch) -> dict[str, Result]:
    """The same with what measures take of groups, of other tables and of queries."""
    grouped = with_groups(frame, pipeline, profiles, types, watch)
    return {batch: with_beside(frame, pipeline, profile, types, watch) for batch, profile in grouped.items()}


def profile_frame(
    frame: DataFrame, pipeline: str, batch: str, known: KnownTypes = UNKNOWN, columns: ColumnsSetting | None = None
) -> BatchProfile:
    """The profile of (these columns of) a DataFrame that somebody else made."""
    from pyspark.sql import functions as F

    here = Source(format="table", table="-", batch_column="-")
    settings = Pipeline(name=pipeline, source=here, columns=columns or ColumnsSetting())
    with spark_errors(f"Batch {batch!r}"):
        facts = Delivery(remarks=left_out(frame.sparkSession))
        rows = frame.select("*", F.lit(batch))
        marked = Frame(spark=frame.sparkSession, open=lambda: rows, batches=(batch,), deliveries={batch: facts})
        found = _alone(marked, settings, TypeMemory(known), Watch())
    return _there(found, f"Batch {batch!r}", batch)
