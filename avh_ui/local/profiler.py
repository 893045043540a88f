"""The engine behind the profiler port that needs no Spark, for local files of a moderate size; what it cannot do is left to Spark's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from avh_ui.config import Config, Pipeline
from avh_ui.errors import EmptyBatchError, SourceError, sentence_of
from avh_ui.local.batch_rows import BatchRows
from avh_ui.local.group import BatchGroup
from avh_ui.local.groups import TABLE, Groups, TableBatches, groups_of, no_parser
from avh_ui.local.pool import Pool, WorkerDiedError
from avh_ui.local.whole import USE_SPARK, Whole
from avh_ui.metrics.column import Kind
from avh_ui.metrics.conformance import Conformance
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Watch
from avh_ui.scan.file_source import FileSource, TakesSparkError
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.partials import Declined
from avh_ui.scan.planning import Setting, spark_only
from avh_ui.scan.profiles import Empty, Result
from avh_ui.scan.settling import TypeMemory
from avh_ui.validator.arrow_rows import ArrowRows
from avh_ui.validator.kept_rows import usable_target
from avh_ui.validator.row_table import Engine, RowTable

# More bytes of files than this are Spark's, unless `engine: local` says otherwise: a sample or an exact count takes a whole batch into
# memory, and a cluster may have more cores than this machine. On one machine Spark was not faster: of 480 MB it took 88 s, and 23 without.
LOCAL_BYTES = 1024**3

T = TypeVar("T")


class LocalProfiler:
    """Implements `metrics.profiler.Profiler`. What takes Spark, or has more than `most` bytes (None = LOCAL_BYTES), goes to `spark`; with
    `only` what takes Spark is refused.
    """

    def __init__(self, config: Config, root: Path, spark: Engine, *, only: bool = False, most: int | None = None) -> None:
        self._config, self._root, self._spark, self._only = config, root, spark, only
        self._most = LOCAL_BYTES if most is None else most

    @property
    def _setting(self) -> Setting:
        return self._config.spark.conf.get

    def batches(self, pipeline: str) -> list[str]:
        """Batch ids at the source now, in natural order."""
        settings = self._config.pipeline(pipeline)
        source = settings.source
        if source.path and source.key is None:
            return FileListing(source, self._root).batches()
        listing = self._listing(settings)
        if isinstance(listing, FileListing):
            try:
                return TableBatches(settings, listing, self._setting).listed()
            except DeclinedError as declined:
                listing = str(declined)
        if self._only:
            raise _refused(listing)
        return self._spark.batches(pipeline)

    def profile(
        self, pipeline: str, batches: Sequence[str], watch: Watch, known: KnownTypes = UNKNOWN
    ) -> Iterator[BatchProfile | FailedBatch]:
        """Profiles as their chunk is finished; failed batches as such."""
        settings = self._config.pipeline(pipeline)
        listing = self._listing(settings, batches)
        if isinstance(listing, str):
            yield from self._by_spark(pipeline, dict.fromkeys(batches, listing), watch, known)
            return
        watch.report(0, len(batches), "starting")
        groups = groups_of(settings, listing, self._setting, only=self._only)
        with Pool() as pool:
            run = _Run(settings, groups, pool, TypeMemory(known), watch, len(batches))
            for at, chunk, results in run.chunks(batches):
                declined: dict[str, str] = {}
                for batch, result in results:
                    if isinstance(result, Declined):
                        declined[batch] = result.told
                    else:
                        yield result.failed(f"Batch {batch!r} of {settings.name!r}", batch) if isinstance(result, Empty) else result
                yield from self._by_spark(pipeline, declined, watch, known)
                watch.report(at + len(chunk), len(batches), f"profiled {pipeline} up to {chunk[-1]}")

    def _by_spark(
        self, pipeline: str, declined: Mapping[str, str], watch: Watch, known: KnownTypes
    ) -> Iterator[BatchProfile | FailedBatch]:
        """What only Spark can read."""
        if self._only:
            yield from (FailedBatch(batch, str(_refused(why))) for batch, why in declined.items())
        elif declined:
            yield from self._spark.profile(pipeline, list(declined), watch, known)

    def _listing(self, pipeline: Pipeline, batches: Sequence[str] = ()) -> FileListing | str:
        """The listing of a source whose batches can be measured here; why they are Spark's otherwise."""
        if why := spark_only(pipeline.source):
            return why
        listing = FileListing(pipeline.source, self._root)
        wanted = batches if pipeline.source.key is None else [TABLE]
        return listing if self._only else (_too_far(listing) or self._too_large(listing, wanted) or listing)

    def profile_path(self, pipeline: str, path: str, batch: str, watch: Watch, known: KnownTypes = UNKNOWN) -> BatchProfile:
        """The profile of a file or folder outside the source, read as the pipeline's source is."""
        settings = self._config.pipeline(pipeline)
        group, why = self._outside(settings, path)
        if group is not None:
            with Pool() as pool:
                (result,) = group.measure(pool, TypeMemory(known), watch).values()
            if isinstance(result, BatchProfile):
                return replace(result, batch=batch, segments={s: replace(p, batch=batch) for s, p in result.segments.items()})
            if isinstance(result, Empty):
                raise EmptyBatchError(result.failed(path, batch).reason)
            if isinstance(result, FailedBatch):
                raise SourceError(result.reason)
            why = result.told
        if self._only:
            raise _refused(why)
        return self._spark.profile_path(pipeline, path, batch, watch, known)

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None, texts: Collection[str] = ()) -> pa.Table:
        """`rows` rows of a batch, drawn by `seed`; all of them when it has no more."""
        asked = (pipeline, batch, rows, seed, watch, texts)
        return self._of(pipeline, batch, watch, lambda w: w.sample(rows, seed, texts), lambda s: s.sample(*asked))

    def all_rows(
        self, pipeline: str, batch: str, most: int, seed: int, watch: Watch | None = None, texts: Collection[str] = ()
    ) -> pa.Table:
        """The rows of a batch that has at most so many; of a larger one as many of them, drawn by Spark."""
        asked = (pipeline, batch, most, seed, watch, texts)
        return self._of(pipeline, batch, watch, lambda w: w.all_rows(most, texts), lambda s: s.sample(*asked))

    def distinct(self, pipeline: str, batch: str, kinds: Mapping[str, Kind], watch: Watch | None = None) -> Mapping[str, int]:
        """How many values of a batch's columns are distinct, exactly."""
        return self._of(pipeline, batch, watch, lambda w: w.distinct(kinds), lambda s: s.distinct(pipeline, batch, kinds, watch))

    def conformance(
        self, pipeline: str, batch: str, regexes: Mapping[str, Sequence[str]], watch: Watch | None = None
    ) -> Mapping[str, Mapping[str, Conformance]]:
        """By column and regex how many of a batch's values conform."""
        return self._of(pipeline, batch, watch, lambda w: w.conformance(regexes), lambda s: s.conformance(pipeline, batch, regexes, watch))

    def can_keep(self, pipeline: str, target: str) -> None:
        """`UsageError` for a Delta table, but of a source that is Spark's alone: else nobody knows before which batches Spark reads."""
        if spark_only(self._config.pipeline(pipeline).source) and not self._only:
            self._spark.can_keep(pipeline, target)
        else:
            usable_target(target, delta=False)

    def rows(self, pipeline: str, batch: str, path: str | None = None) -> RowTable:
        """The rows of a batch, or of a file or folder in its place."""
        if path is None:
            there = partial(self._spark.rows, pipeline, batch)
            return self._of(pipeline, batch, None, lambda w: self._rows(w, there), lambda _: there())
        settings = self._config.pipeline(pipeline)
        group, why = self._outside(settings, path)
        if group is not None:
            try:
                return self._rows(group.whole(UNKNOWN), partial(self._spark.rows, pipeline, batch, path))
            except DeclinedError as declined:
                why = str(declined)
            except (OSError, pa.ArrowException) as error:
                raise SourceError(f"{path} cannot be read: {sentence_of(error)}") from error
        if self._only:
            raise _refused(why)
        return self._spark.rows(pipeline, batch, path)

    def _rows(self, whole: Whole, there: Callable[[], RowTable]) -> RowTable:
        here = ArrowRows(whole.table())
        return here if self._only else BatchRows(here, there)

    def _too_large(self, listing: FileListing, batches: Sequence[str]) -> str:
        # What is wrong with one is said when it is read.
        size = sum(found.size for found in listing.locate_each(batches) if isinstance(found, Files))
        return _large(self._most) if size > self._most else ""

    def _outside(self, settings: Pipeline, path: str) -> tuple[BatchGroup | None, str]:
        """How a file or folder outside the source is read here, or why Spark reads it."""
        if why := spark_only(settings.source):
            return None, why
        try:
            listing, layout = FileSource(settings, no_parser).outside(path)
        except TakesSparkError as error:
            return None, str(error)
        if why := "" if self._only else _too_far(listing) or (_large(self._most) if layout.files.size > self._most else ""):
            return None, why
        return BatchGroup(settings, listing, [layout], self._setting, {} if self._only else None), ""

    def _of(self, pipeline: str, batch: str, watch: Watch | None, here: Callable[[Whole], T], there: Callable[[Engine], T]) -> T:
        """What is computed of a whole batch, here or by Spark."""
        (watch or Watch()).check()
        settings = self._config.pipeline(pipeline)
        listing = self._listing(settings, [batch])
        why = listing if isinstance(listing, str) else ""
        if not isinstance(listing, str):
            groups = groups_of(settings, listing, self._setting, only=self._only)
            for group in groups.of([batch]):
                if isinstance(group, FailedBatch):
                    raise SourceError(group.reason)
                try:
                    return here(replace(group.whole(UNKNOWN), batch=batch))
                except DeclinedError as declined:
                    why = str(declined)
                except (OSError, pa.ArrowException) as error:
                    raise SourceError(f"Batch {batch!r} of {pipeline!r} cannot be read: {sentence_of(error)}") from error
            why = groups.declined.get(batch, why)
        if self._only:
            raise _refused(why)
        return there(self._spark)


@dataclass(frozen=True)
class _Begun:
    """Batches that workers have begun to measure, `done` before them, and what puts together what is found of them."""

    group: BatchGroup
    done: int
    together: Callable[[TypeMemory], dict[str, Result]]


@dataclass(frozen=True)
class _Run:
    """One run over a pipeline's batches, `total` of them."""

    pipeline: Pipeline
    groups: Groups
    pool: Pool
    types: TypeMemory
    watch: Watch
    total: int

    def chunks(self, batches: Sequence[str]) -> Iterator[tuple[int, Sequence[str], Iterator[tuple[str, Result]]]]:
        """What is measured of each chunk, with how many batches were before it. The next is begun before one is put together: of 34 s that
        1,781 small files took workers had nothing to do for 6.
        """
        size = self.groups.chunk
        ahead = self._chunk(batches[:size], 0)
        for at in range(0, len(batches), size):
            found, ahead = ahead, self._chunk(batches[at + size :][:size], at + size)
            yield at, batches[at : at + size], found

    def _chunk(self, batches: Sequence[str], done: int) -> Iterator[tuple[str, Result]]:
        """What is measured of some batches, `done` before them: workers begin now."""
        begun: list[_Begun | FailedBatch] = []
        for group in self.groups.of(batches) if batches else ():
            self.watch.check()
            if isinstance(group, FailedBatch):
                begun.append(group)
                continue
            begun.append(self._begun(group, done))
            done += len(group.batches)
        return self._results(begun, dict(self.groups.declined) if batches else {})

    def _begun(self, group: BatchGroup, done: int) -> _Begun:
        return _Begun(group, done, group.begun(self.pool, self.types.known, self.watch, partial(self._report, group.batches, done)))

    def _results(self, begun: Sequence[_Begun | FailedBatch], declined: Mapping[str, str]) -> Iterator[tuple[str, Result]]:
        for one in begun:
            yield from [(one.batch, one)] if isinstance(one, FailedBatch) else self._together(one)
        yield from ((b, Declined(why)) for b, why in declined.items())

    def _together(self, one: _Begun) -> Iterator[tuple[str, Result]]:
        try:
            yield from one.together(self.types).items()
        except WorkerDiedError as error:
            first, *others = one.group.batches
            if not others:
                yield first, FailedBatch(first, str(error))
            else:
                # One batch may be too much for a worker: the others are not its fault.
                for group in one.group.alone():
                    yield from self._together(self._begun(group, one.done))

    def _report(self, batches: Sequence[str], done: int, share: float) -> None:
        # All may be measured before anything is kept: the last batch is not counted until it is.
        measured = min(int(share * len(batches)), len(batches) - 1)
        self.watch.report(done + measured, self.total, f"profiling {self.pipeline.name} from {batches[0]}")


def _too_far(listing: FileListing) -> str:
    return "" if getattr(listing.fs, "local_file", False) else "its files are not on this machine"


def _large(most: int) -> str:
    return f"its files have more than {most // 1024**2:,} MB"


def _refused(why: str) -> SourceError:
    return SourceError(f"It takes Spark: {why}.", hint=USE_SPARK)
