"""The Spark engine behind the profiler port: batches in, profiles out, one job per chunk of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, reduce
from pathlib import Path
from typing import TYPE_CHECKING

from avh_ui.config import Columns, Config, Pipeline
from avh_ui.config import Source as SourceSettings
from avh_ui.errors import EmptyBatchError, SourceError, SparkError
from avh_ui.history.series import batch_order
from avh_ui.metrics.column import Kind
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.fields import Chosen
from avh_ui.metrics.profile import BATCH_COLUMN, BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Watch
from avh_ui.metrics.segment import REST
from avh_ui.spark.columns import chosen, to_measure
from avh_ui.spark.conforming import ByColumn, count
from avh_ui.spark.grouping import distinct_values, untold
from avh_ui.spark.jobs import collect, spark_errors
from avh_ui.spark.kernel import PARTIAL_DDL, Kernel, KernelColumn, merge_partials, split_by_batch
from avh_ui.spark.reading import NOBODYS, Frame, left_out
from avh_ui.spark.sampling import draw
from avh_ui.spark.schemas import key_differences
from avh_ui.spark.segments import REST_NOTE, join
from avh_ui.spark.session import get_spark
from avh_ui.spark.sources import Source, missing
from avh_ui.spark.untyped import TypeMemory

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

# A killed run loses at most one chunk. 96 small batches keep a job's fixed cost (0.5 s) below 10 ms a batch.
CHUNK_BATCHES = 96
# With segments a batch's profile is up to 200 times as large (about 20 MB for 20 columns), and all of a chunk come to the driver at once.
SEGMENTED_CHUNK_BATCHES = 16
# Above this the partial profiles of many tasks are merged on the cluster, so that the driver's memory does not grow with rows.
_MERGE_ON_CLUSTER_BYTES = 2 * 1024**3
# Spark generates code for rows of up to 100 fields (`spark.sql.codegen.maxFields`) and interprets wider ones: 1,000 columns in such
# groups took half the time of one scan. The marker needs room too.
_GROUP_COLUMNS = 90


@dataclass(frozen=True)
class Empty:
    """A batch without rows; `malformed` lines of it were dropped."""

    malformed: int = 0

    def failed(self, what: str, batch: str) -> FailedBatch:
        """It as a failed batch, which is called `what`."""
        lines = "its only line is" if self.malformed == 1 else f"all {self.malformed:,} lines are"
        why = f"{lines} malformed. Do the options of its source say how it is written?" if self.malformed else ""
        return FailedBatch(batch, f"{what} is empty: {why or 'it has no rows. Was its delivery cut short?'}", "empty")


_NOTHING = Empty()


class SparkProfiler:
    """Implements `metrics.profiler.Profiler`; the session starts with the first call that needs it."""

    def __init__(self, config: Config, root: Path) -> None:
        self._config, self._root = config, root

    @cached_property
    def _spark(self) -> SparkSession:
        return get_spark(self._config.spark)

    def _source(self, pipeline: str) -> Source:
        return Source(self._config.pipeline(pipeline), self._root, lambda: self._spark)

    def batches(self, pipeline: str) -> list[str]:
        """Batch ids at the source now, in natural order."""
        return self._source(pipeline).batches()

    def profile(
        self, pipeline: str, batches: Sequence[str], watch: Watch, known: KnownTypes = UNKNOWN
    ) -> Iterator[BatchProfile | FailedBatch]:
        """Profiles as their chunk is finished; failed batches as such."""
        source, done, total, types = self._source(pipeline), 0, len(batches), TypeMemory(known)
        watch.report(0, total, "starting")
        size = SEGMENTED_CHUNK_BATCHES if source.pipeline.segments else source.chunk(CHUNK_BATCHES) if total else 1
        for at in range(0, total, size):
            chunk = batches[at : at + size]
            for part in source.frames(chunk):
                watch.check()
                if isinstance(part, FailedBatch):
                    done += 1
                    yield part
                    continue
                yield from self._profile_frame(source, part, types, watch, done, total)
                done += len(part.batches)
            watch.report(done, total, f"profiled {pipeline} up to {chunk[-1]}")

    def _profile_frame(
        self, source: Source, frame: Frame, types: TypeMemory, watch: Watch, done: int, total: int
    ) -> Iterator[BatchProfile | FailedBatch]:
        def on_share(share: float) -> None:
            # All tasks may be done before anything is kept: the last batch is not counted until it is.
            measured = min(int(share * len(frame.batches)), len(frame.batches) - 1)
            watch.report(done + measured, total, f"profiling {source.pipeline.name} from {frame.batches[0]}")

        try:
            with spark_errors(f"Batch {frame.batches[0]!r}"):
                profiles = measure(frame, source.pipeline, types, watch, on_share)
        except SparkError as error:
            if len(frame.batches) > 1:
                # One bad batch fails its whole job: find it by reading each on its own.
                for batch in frame.batches:
                    for part in source.frames([batch]):
                        yield from [part] if isinstance(part, FailedBatch) else self._profile_frame(source, part, types, watch, done, total)
                return
            yield FailedBatch(frame.batches[0], str(error))
            return
        for batch in frame.batches:
            profile = profiles.get(batch, _NOTHING)
            yield profile if isinstance(profile, BatchProfile) else profile.failed(f"Batch {batch!r} of {source.pipeline.name!r}", batch)

    def profile_path(self, pipeline: str, path: str, batch: str, watch: Watch, known: KnownTypes = UNKNOWN) -> BatchProfile:
        """The profile of a file or folder outside the source, read as the pipeline's source is."""
        settings = self._config.pipeline(pipeline)
        with spark_errors(path):
            profiles = measure(self._source(pipeline).outside(path), settings, TypeMemory(known), watch)
        (profile,) = profiles.values() or (_NOTHING,)
        if not isinstance(profile, BatchProfile):
            raise EmptyBatchError(profile.failed(path, batch).reason)
        return replace(profile, batch=batch, segments={s: replace(p, batch=batch) for s, p in profile.segments.items()})

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None) -> pa.Table:
        """`rows` rows of a batch, drawn by `seed`; all of them when it has no more. `CancelledError` by `watch`."""
        columns, data = self._rows(pipeline, batch)
        return draw(data, columns, rows, seed, watch or Watch())

    def distinct(self, pipeline: str, batch: str, kinds: Mapping[str, Kind], watch: Watch | None = None) -> dict[str, int]:
        """How many values of a batch's columns are distinct, exactly: one pass over each."""
        columns, data = self._rows(pipeline, batch)
        wanted = [(k, untold(kinds[column.name], column)) for k, column in enumerate(columns) if column.name in kinds]
        return distinct_values(data, wanted, watch or Watch())

    def conformance(self, pipeline: str, batch: str, regexes: Mapping[str, Sequence[str]], watch: Watch | None = None) -> ByColumn:
        """By column and regex how many of a batch's values conform, from one scan of these columns alone."""
        columns, data = self._rows(pipeline, batch)
        return count(data, columns, regexes, watch or Watch())

    def _rows(self, pipeline: str, batch: str) -> tuple[tuple[KernelColumn, ...], DataFrame]:
        """The columns of a batch that are measured, and its rows."""
        source = self._source(pipeline)
        for part in source.frames([batch]):
            if isinstance(part, FailedBatch):
                raise SourceError(part.reason)
            rows = part.kept()
            return to_measure(
                rows,
                source.pipeline,
                tuple(field for field in chosen(rows, source.pipeline).fields if not field.counted and field.asked is None),
            )
        raise missing(source, batch)


def profile_frame(frame: DataFrame, pipeline: str, batch: str, known: KnownTypes = UNKNOWN, columns: Columns | None = None) -> BatchProfile:
    """The profile of (these columns of) a DataFrame that somebody else made."""
    from pyspark.sql import functions as F

    source = SourceSettings(format="table", table="-", batch_column="-")
    settings = Pipeline(name=pipeline, source=source, columns=columns or Columns())
    with spark_errors(f"Batch {batch!r}"):
        facts = Delivery(remarks=left_out(frame.sparkSession))
        marked = Frame(frame.select("*", F.lit(batch)), (batch,), (), untyped=False, size=None, deliveries={batch: facts})
        found = measure(marked, settings, TypeMemory(known), Watch()).get(batch, _NOTHING)
    if not isinstance(found, BatchProfile):
        raise EmptyBatchError(found.failed(f"Batch {batch!r}", batch).reason)
    return found


def measure(
    frame: Frame, pipeline: Pipeline, types: TypeMemory, watch: Watch, on_share: Callable[[float], None] = lambda _: None
) -> dict[str, BatchProfile | Empty]:
    """The profiles of a frame's batches that have rows, and of their segments, by one Spark job; and which have dropped lines alone."""
    fields = chosen(frame, pipeline, types.known)
    try:
        return _measured(frame, pipeline, fields, types, watch, on_share)
    except SparkError as error:
        if not fields.asked:
            raise
        # A condition that raises must not take the batch with it: once more without.
        why = f"what it asks cannot be measured here ({str(error).rstrip('.')})"
        return _measured(frame, pipeline, fields.without(dict.fromkeys(fields.asked, why)), types, watch, on_share)


def _measured(
    frame: Frame, pipeline: Pipeline, fields: Chosen, types: TypeMemory, watch: Watch, on_share: Callable[[float], None]
) -> dict[str, BatchProfile | Empty]:
    segments, more = _segments(frame, pipeline)
    columns, rows = to_measure(frame, pipeline, fields.fields, segments, types.known)
    partials = _partials(frame, columns, rows, segments)
    if frame.size is None or frame.size > _MERGE_ON_CLUSTER_BYTES:
        partials = partials.repartition("batch", "segment", "position").mapInArrow(merge_partials, PARTIAL_DDL)
    splits, counts = split_by_batch(collect(partials, watch, on_share).to_batches(), segments)
    splits.pop(NOBODYS, None)
    lost = counts.pop(NOBODYS).malformed if NOBODYS in counts else 0
    # They may be any batch's, so each says so.
    nobodys = Delivery(remarks=(f"{lost:,} malformed lines of the table have no batch.",) if lost else ())
    if strangers := sorted(counts.keys() - set(frame.batches)):
        raise SparkError(f"Spark read {strangers[0]}, which is no file of a batch: did it come while the others were read? Try again.")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    found: dict[str, BatchProfile | Empty] = {b: Empty(c.dropped) for b, c in counts.items() if c.dropped and b not in splits}
    for batch in sorted(splits, key=batch_order):
        parts = splits[batch].parts
        whole = join(list(parts.values()))
        settled = types.settle(columns, whole.profiles)
        by_segment = {
            segment: BatchProfile(pipeline.name, batch, part.rows, types.alike(settled, columns, part.profiles), profiled_at=now)
            for segment, part in parts.items()
            if segment is not None
        }
        said = (*fields.notes(), *more, *frame.notes, *((REST_NOTE,) if REST in by_segment else ()))
        before, expected = frame.deliveries.get(batch, Delivery()), frame.expected.get(batch, {})
        delivery = counts[batch].delivery(before, expected, flagged=frame.flagged).merge(nobodys)
        if keys := frame.keys.get(batch):
            counted = {name: column.states[CountState.key] for name, column in settled.items()}
            values = {name: state.rows - state.nulls for name, state in counted.items() if isinstance(state, CountState)}
            delivery = delivery.merge(key_differences(keys, counts[batch].lines, counts[batch].without, values))
        profile = BatchProfile(pipeline.name, batch, whole.rows, settled, said, now, segments=by_segment, delivery=delivery)
        extra = {BATCH_COLUMN: named} if (named := pipeline.source.batch_column) else {}
        found[batch] = replace(profile, covers_all=True, left_out=fields.left_out, asked=fields.asked, extra=extra)
    if types.known.unique and len(frame.batches) == 1 and len(found) == 1:
        return {batch: _grouped(frame, pipeline, fields, profile, types, watch) for batch, profile in found.items()}
    return found


def _grouped(
    frame: Frame, pipeline: Pipeline, fields: Chosen, profile: BatchProfile | Empty, types: TypeMemory, watch: Watch
) -> BatchProfile | Empty:
    """The profile with all distinct values counted of the columns that a program calls unique, where they were estimated."""
    if not isinstance(profile, BatchProfile):
        return profile
    wanted = tuple(f for f in fields.fields if f.name in types.known.unique and profile.columns[f.name].sketched)
    if not wanted:
        return profile
    columns, rows = to_measure(frame.kept(), pipeline, wanted, (), types.known)
    found = distinct_values(rows, [(k, untold(profile.columns[c.name].kind, c)) for k, c in enumerate(columns)], watch)
    return replace(profile, columns={n: c.grouped(found[n]) if n in found else c for n, c in profile.columns.items()})


def _partials(frame: Frame, columns: tuple[KernelColumn, ...], rows: DataFrame, segments: tuple[str, ...]) -> DataFrame:
    """The partial profiles of all columns: of one scan, or of one scan for each group of columns of a wide table."""
    # Which segments are few enough to be kept is found from all columns' rows at once.
    grouped = frame.columnar and not segments and len(columns) > _GROUP_COLUMNS
    if not grouped:
        return rows.mapInArrow(
            Kernel(columns, frame.files, segments, flagged=frame.flagged, drops=frame.drops, compares=bool(frame.keys)), PARTIAL_DDL
        )
    scans, marker = [], rows.columns[-1]
    for at in range(0, len(columns), _GROUP_COLUMNS):
        kernel = Kernel(columns[at : at + _GROUP_COLUMNS], frame.files, first=sum(c.positions for c in columns[:at]))
        scans.append(rows.select(*rows.columns[:-1][at : at + _GROUP_COLUMNS], marker).mapInArrow(kernel, PARTIAL_DDL))
    return reduce(lambda one, other: one.union(other), scans)


def _segments(frame: Frame, pipeline: Pipeline) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns whose values split the batches; none, and a note, when one of them is not there."""
    there = {field.name for field in frame.data}
    for name in pipeline.segments:
        if name not in there:
            return (), (f"It is not split in segments: it has no column {name!r}.",)
    return tuple(dict.fromkeys(pipeline.segments)), ()
