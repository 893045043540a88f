"""The metric series of a pipeline, from the files of its batches; see `history_files`. What was read is kept as long as files stay."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from avh_ui.errors import UNREADABLE_BATCH, AvhError, HistoryError, NotFoundError
from avh_ui.history.regimes import Labels
from avh_ui.history.series import History, sort_batches
from avh_ui.history.standings import Baseline, baselines_of
from avh_ui.metrics.profiler import Progress, Watch
from avh_ui.metrics.segment import Segment, sort_segments
from avh_ui.store.batch_files import BatchFiles
from avh_ui.store.folder import Stamp
from avh_ui.store.history_format import MEASURES_ID, BatchHeader, BatchMetrics, StoredProfile, metric_table
from avh_ui.store.history_series import assemble
from avh_ui.store.metrics_cache import LEAST, DistanceCache, keep, read_kept
from avh_ui.store.names import to_file_name

# Listing and reading again after a batch was replaced or deleted in between.
_ATTEMPTS = 5
# Finished histories kept per process: the app shows one pipeline in full, and backtests cut it at some batches.
_HISTORIES = 8

T = TypeVar("T")


class _ChangedError(Exception):
    """A file was replaced between two readings that belong together."""


class _StatesError(Exception):
    """The metrics of a batch could be read and its states cannot."""

    def __init__(self, batch: str, error: AvhError) -> None:
        super().__init__(str(error))
        self.batch, self.error = batch, error


@dataclass
class _Cached:
    """What was read of a pipeline, or of one segment of it: per batch its file's stamp and metrics, and finished histories."""

    pipeline: str
    segment: Segment | None
    metrics: dict[str, tuple[Stamp, BatchMetrics]] = field(default_factory=dict)
    histories: OrderedDict[tuple[object, ...], History] = field(default_factory=OrderedDict)
    lock: threading.RLock = field(default_factory=threading.RLock)
    watches: list[Watch] = field(default_factory=list)  # of all who wait for it, while one of them reads

    def tell(self, done: int, total: int, note: str) -> None:
        """Tell all who wait."""
        for watch in tuple(self.watches):
            watch.on_progress(Progress(done, total, note))

    @contextmanager
    def watched(self, watch: Watch | None) -> Iterator[None]:
        """Tell somebody who waits how far the reading is, whoever reads."""
        if watch is not None:
            self.watches.append(watch)
        try:
            yield
        finally:
            if watch is not None:
                self.watches.remove(watch)


class SeriesFiles:
    """Histories and segments of pipelines, of which single files that cannot be read are left out."""

    def __init__(self, files: BatchFiles) -> None:
        self._files = files
        self._caches: dict[tuple[str, Segment | None], _Cached] = {}

    def segments(self, pipeline: str) -> list[Segment]:
        """The segments that some batch has."""

        def read() -> list[Segment]:
            listed, cached = self._files.listed(pipeline), self._cached(pipeline, None)
            with cached.lock:
                self._read_metrics(cached, listed, sort_batches(listed))
                headers = [found.header for _, found in cached.metrics.values()]
            return sort_segments([Segment(part.values) for header in headers for part in header.segments])

        return settled(pipeline, read)

    def history(
        self, pipeline: str, columns: Sequence[str] | None, upto: str | None, segment: Segment | None, watch: Watch | None = None
    ) -> History:
        """The series, of which the arrays are read-only."""
        cached = self._cached(pipeline, segment)
        with cached.watched(watch), cached.lock:
            return settled(pipeline, lambda: self._history(cached, columns, upto))

    def _history(self, cached: _Cached, columns: Sequence[str] | None, upto: str | None) -> History:
        pipeline = cached.pipeline
        listed = self._files.listed(pipeline)
        ordered = sort_batches(listed)
        if upto is not None:
            if upto not in listed:
                raise NotFoundError(f"profile of {pipeline!r} for batch", upto, ordered)
            ordered = ordered[: ordered.index(upto) + 1]
        labels = self._files.labels(pipeline)
        unread = self._read_metrics(cached, listed, ordered)
        key = (tuple((b, listed[b]) for b in ordered), tuple(unread), labels.key, None if columns is None else tuple(columns))
        if key not in cached.histories:
            known = len(unread)
            history = self._assembled(cached, columns, ordered, labels, unread)
            if len(unread) > known:
                return history  # what can be read of it may be mended without another listing
            cached.histories[key] = history
            if len(cached.histories) > _HISTORIES:
                cached.histories.popitem(last=False)
        cached.histories.move_to_end(key)
        return cached.histories[key]

    def _assembled(
        self, cached: _Cached, columns: Sequence[str] | None, ordered: Sequence[str], labels: Labels, unread: dict[str, AvhError]
    ) -> History:
        """The history of the batches that can be read; those whose states turn out not to be are added to `unread`."""
        while True:
            if ordered and unread.keys() >= set(ordered):
                raise unread[ordered[0]]
            there = [b for b in ordered if b not in unread and cached.metrics[b][1].header.digest]
            headers = [cached.metrics[b][1].header for b in there]
            standings = tuple(labels.standing(h.batch, h.content, h.extra) for h in headers)
            baselines = baselines_of(standings)
            try:
                fresh = self._fresh(cached, there, baselines)
            except _StatesError as damage:
                unread[damage.batch] = damage.error
                continue
            history = assemble(cached.pipeline, fresh, _places(baselines), columns)
            compared = tuple(found.batch if found else "" for found in baselines)
            told = {b: str(unread[b]) for b in ordered if b in unread}
            history = replace(history, baselines=compared, standings=standings, unread=told)
            _freeze(history)
            return history

    def _cached(self, pipeline: str, segment: Segment | None) -> _Cached:
        return self._caches.setdefault((pipeline, segment), _Cached(pipeline, segment))

    def _read_metrics(self, cached: _Cached, listed: Mapping[str, Stamp], wanted: Sequence[str]) -> dict[str, AvhError]:
        """Bring the cached metrics of the batches up to date; only files that are new or changed are read. Why some cannot be."""
        for gone in cached.metrics.keys() - listed.keys():
            del cached.metrics[gone]
        home, first = to_file_name(cached.pipeline), not cached.metrics and cached.segment is None and len(wanted) >= LEAST
        if first:
            cached.metrics.update(read_kept(self._files.folder, home, listed))
        missing = [b for b in wanted if b not in cached.metrics or cached.metrics[b][0] != listed[b]]
        unread: dict[str, AvhError] = {}
        if not missing:
            return unread

        def read(batch: str) -> BatchMetrics | AvhError:
            try:
                return self._files.metrics(cached.pipeline, batch, cached.segment)
            except UNREADABLE_BATCH as error:
                return error

        with ThreadPoolExecutor(self._files.threads) as pool:
            for at, (batch, found) in enumerate(zip(missing, pool.map(read, missing), strict=True)):
                cached.tell(at, len(missing), "reading")
                if isinstance(found, AvhError):
                    unread[batch] = found
                    cached.metrics.pop(batch, None)
                else:
                    cached.metrics[batch] = (listed[batch], found)
        # Later in a process some are measured anew, and no longer what their files say.
        if first and len(missing) >= LEAST:
            keep(self._files.folder, home, cached.metrics)
        return unread

    def _fresh(self, cached: _Cached, ordered: Sequence[str], baselines: Sequence[Baseline | None]) -> list[BatchMetrics]:
        """The batches' metrics, with stale distances (and metrics that another release measured) measured anew from states."""
        batches = [cached.metrics[b][1] for b in ordered]
        places = _places(baselines)
        digests = [batches[at].header.digest if at >= 0 else "" for at in places]
        known = [(b.header.baseline, b.header.measures) for b in batches]
        stale = [k for k, digest in enumerate(digests) if known[k] != (digest, MEASURES_ID)]
        if not stale:
            return batches
        wanted = {k: replace(batches[k].header, baseline=digests[k], measures=MEASURES_ID) for k in stale}
        kept = DistanceCache(self._files.folder, _measured(cached.pipeline, cached.segment))
        last: tuple[int, StoredProfile] | None = None
        for done, k in enumerate(stale):
            cached.tell(done, len(stale), "measuring again")
            table = kept.get(wanted[k])
            if table is None:
                at = places[k]
                before = last[1] if last and last[0] == at else self._unchanged(cached.segment, batches[at].header) if at >= 0 else None
                last = (k, self._unchanged(cached.segment, batches[k].header))
                table = metric_table(last[1].profile, before.profile if before else None)
                kept.put(wanted[k], table)
            batches[k] = BatchMetrics(wanted[k], table)
            cached.metrics[ordered[k]] = (cached.metrics[ordered[k]][0], batches[k])
        kept.write()
        return batches

    def _unchanged(self, segment: Segment | None, header: BatchHeader) -> StoredProfile:
        try:
            stored = self._files.profile(header.pipeline, header.batch, segment=segment)
        except UNREADABLE_BATCH as error:
            raise _StatesError(header.batch, error) from error
        if stored.header.digest != header.digest:
            raise _ChangedError
        return stored


def _places(baselines: Sequence[Baseline | None]) -> list[int]:
    """Of each batch the place of its baseline, -1 for none."""
    return [k - found.steps if found else -1 for k, found in enumerate(baselines)]


def settled(pipeline: str, read: Callable[[], T]) -> T:
    """What is read from a listing and then from files, once no file was replaced or deleted in between."""
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(FileNotFoundError, _ChangedError):
            return read()
    raise HistoryError(f"The history of {pipeline!r} keeps changing while it is read.", hint="Try again.")


def _measured(pipeline: str, segment: Segment | None) -> str:
    """Where distances that were measured anew are remembered."""
    home = to_file_name(pipeline)
    return f"{home}/measured.cache" if segment is None else f"{home}/measured/{to_file_name(segment.label)}.cache"


def _freeze(history: History) -> None:
    history.rows.flags.writeable = False
    for column in history.columns.values():
        column.present.flags.writeable = False
        for series in column.values.values():
            series.flags.writeable = False
