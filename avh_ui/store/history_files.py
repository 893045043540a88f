"""The history as Parquet files, `<url>/<pipeline>/<batch>.parquet`: one per profiled batch, whole or not there at all."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from avh_ui.errors import HistoryError, NewerVersionError, NotFoundError
from avh_ui.history.parts import Part
from avh_ui.history.series import History, batch_order, sort_batches
from avh_ui.history.standings import Baseline, Said, Standing, baseline_of, baselines_of
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.segment import Segment, sort_segments
from avh_ui.store.batch_files import BatchFiles
from avh_ui.store.distance_cache import DistanceCache
from avh_ui.store.folder import Stamp
from avh_ui.store.history_blocks import Blocks
from avh_ui.store.history_format import MEASURES_ID, BatchHeader, BatchMetrics, StoredProfile, encode, metric_table
from avh_ui.store.history_series import assemble
from avh_ui.store.names import to_file_name

# Listing and reading again after a batch was replaced or deleted in between.
_ATTEMPTS = 5
# Finished histories kept per process: the app shows one pipeline in full, and backtests cut it at some batches.
_HISTORIES = 8

T = TypeVar("T")


class _ChangedError(Exception):
    """A file was replaced between two readings that belong together."""


@dataclass
class _Cached:
    """What was read of a pipeline, or of one segment of it: per batch its file's stamp and metrics, and finished histories."""

    metrics: dict[str, tuple[Stamp, BatchMetrics]] = field(default_factory=dict)
    histories: OrderedDict[tuple[object, ...], History] = field(default_factory=OrderedDict)
    lock: threading.RLock = field(default_factory=threading.RLock)


class HistoryFiles:
    """`HistoryRepository` under a path or an fsspec URL. Safe to share between threads, and between processes on one store.

    Nothing is ever written to a batch's file but by `save` of that batch: distances that a change of the baseline made stale are
    measured anew when they are read, and remembered in a file beside. So a reader never undoes what a writer just did.
    """

    def __init__(self, url: str) -> None:
        self._files = BatchFiles(url)
        self._caches: dict[tuple[str, Segment | None], _Cached] = {}

    def batches(self, pipeline: str) -> list[str]:
        """Profiled batch ids in natural order; empty for a pipeline that was never profiled."""
        return sort_batches(self._files.batches(pipeline))

    def segments(self, pipeline: str) -> list[Segment]:
        """The segments that some batch has, in order, the rest last; empty for a pipeline without."""

        def read() -> list[Segment]:
            listed, cached = self._files.listed(pipeline), self._cached(pipeline, None)
            with cached.lock:
                self._read_metrics(pipeline, None, cached, listed, sort_batches(listed))
                headers = [found.header for _, found in cached.metrics.values()]
            return sort_segments([Segment(part.values) for header in headers for part in header.segments])

        return _settled(pipeline, read)

    def load(self, pipeline: str, batch: str, columns: Sequence[str] | None = None, segment: Segment | None = None) -> BatchProfile:
        """One batch's profile with the states of all or some columns (those it lacks are passed over), without those of its segments.

        `NotFoundError` names the nearest batches or segments, `HistoryError` a damaged file, `NewerVersionError` one of a later release.
        """
        try:
            stored = self._files.profile(pipeline, batch, columns, segment)
        except FileNotFoundError:
            raise NotFoundError(f"profile of {pipeline!r} for batch", batch, self.batches(pipeline)) from None
        if segment is not None and not stored.header.digest:
            labels = [Segment(part.values).label for part in stored.header.segments]
            raise NotFoundError(f"segment in batch {batch!r} of {pipeline!r}", segment.label, labels)
        return stored.profile

    def save(self, profile: BatchProfile) -> None:
        """Write or replace one batch and its segments atomically, with their distances against its baseline.

        `DeliveryError` when it cannot be. Costs the same however long the history is, but for listing it.
        """
        pipeline, place = profile.pipeline, batch_order(profile.batch)
        earlier = sort_batches(b for b in self._files.batches(pipeline) if batch_order(b) < place)
        said = self._files.said(pipeline) if earlier else {}
        found = baseline_of(self._standing(pipeline, b, said) for b in reversed(earlier))
        baselines: dict[Segment | None, StoredProfile] = {}
        if found is not None:
            # Somebody else's damage must not keep a new batch out: distances that are not there are measured when they are read.
            with contextlib.suppress(FileNotFoundError, HistoryError, NewerVersionError):
                whole = not profile.segments
                baselines = {None: self._files.profile(pipeline, found.batch)} if whole else self._files.all_profiles(pipeline, found.batch)
        self._files.write(pipeline, profile.batch, encode(profile, baselines))
        self._blocks(pipeline).complete(profile.batch)

    def delete(self, pipeline: str, batch: str) -> None:
        """Forget one batch and its segments; nothing when it is not there. The next batch is then compared with another."""
        self._files.delete(pipeline, batch)

    def standings(self, pipeline: str, batches: Sequence[str]) -> list[Standing]:
        """What became of these batches, in their order: of each the header of its file is read."""
        said = self._files.said(pipeline)
        with ThreadPoolExecutor(self._files.threads) as pool:
            return list(pool.map(lambda batch: self._standing(pipeline, batch, said), batches))

    def tell(self, pipeline: str, said: Mapping[str, Said]) -> None:
        """Keep what people say of the batches, in one file beside theirs; nothing is written where it is kept already."""
        if said != self._files.said(pipeline):
            self._files.tell(pipeline, said)

    def _standing(self, pipeline: str, batch: str, said: Mapping[str, Said]) -> Standing:
        try:
            header = self._files.header(pipeline, batch)
        except FileNotFoundError:
            raise NotFoundError(f"profile of {pipeline!r} for batch", batch, self.batches(pipeline)) from None
        except (HistoryError, NewerVersionError):
            # Whoever needs its states is told so.
            return Standing(batch)
        return Standing.of(batch, header.content, header.extra, said.get(batch))

    def history(
        self, pipeline: str, columns: Sequence[str] | None = None, upto: str | None = None, segment: Segment | None = None
    ) -> History:
        """The metric series over all batches, or up to and including one; `NotFoundError` when that one is not there.

        Reads no states unless a batch's baseline has changed since it was saved. A column has the kind and type of its newest
        batch; where it is absent or of another kind, values are NaN and `present` is False. Columns nobody has are passed over.
        Of a segment: over the batches that have it, each compared with the one of them before; `NotFoundError` when none does.
        The result is shared between callers, so its arrays are read-only.
        """
        cached = self._cached(pipeline, segment)
        with cached.lock:
            found = _settled(pipeline, lambda: self._history(pipeline, segment, cached, columns, upto))
        if segment is not None and not found.batches and segment not in (known := self.segments(pipeline)):
            raise NotFoundError(f"segment of {pipeline!r}", segment.label, [s.label for s in known])
        return found

    def parts(
        self, pipeline: str, batches: Sequence[str], columns: Sequence[str] | None = None, segment: Segment | None = None
    ) -> list[Part]:
        """The states of these batches, merged already where a block holds them (see `history_blocks`)."""

        def read() -> list[Part]:
            listed = self._files.listed(pipeline)
            for batch in batches:
                if batch not in listed:
                    raise NotFoundError(f"profile of {pipeline!r} for batch", batch, sort_batches(listed))
            return self._blocks(pipeline).parts(listed, batches, columns, segment)

        return _settled(pipeline, read)

    def _blocks(self, pipeline: str) -> Blocks:
        def read(batch: str, columns: Sequence[str] | None, segment: Segment | None) -> Part:
            stored = self._files.profile(pipeline, batch, columns, segment)
            if stored.header.digest:
                return Part.of(stored.profile)
            return Part({}, unsplit=frozenset() if stored.header.segments else frozenset([batch]))

        return Blocks(self._files.folder, to_file_name(pipeline), read, lambda: self._files.listed(pipeline), self._files.threads)

    def _history(self, pipeline: str, segment: Segment | None, cached: _Cached, columns: Sequence[str] | None, upto: str | None) -> History:
        listed = self._files.listed(pipeline)
        ordered = sort_batches(listed)
        if upto is not None:
            if upto not in listed:
                raise NotFoundError(f"profile of {pipeline!r} for batch", upto, ordered)
            ordered = ordered[: ordered.index(upto) + 1]
        said = self._files.said(pipeline)
        key = (tuple((b, listed[b]) for b in ordered), tuple(said.items()), None if columns is None else tuple(columns))
        if key not in cached.histories:
            self._read_metrics(pipeline, segment, cached, listed, ordered)
            there = [b for b in ordered if cached.metrics[b][1].header.digest]
            headers = [cached.metrics[b][1].header for b in there]
            baselines = baselines_of([Standing.of(h.batch, h.content, h.extra, said.get(h.batch)) for h in headers])
            history = assemble(pipeline, self._fresh(pipeline, segment, cached, there, baselines), columns)
            history = replace(history, baselines=tuple(found.batch if found else "" for found in baselines))
            _freeze(history)
            cached.histories[key] = history
            if len(cached.histories) > _HISTORIES:
                cached.histories.popitem(last=False)
        cached.histories.move_to_end(key)
        return cached.histories[key]

    def _cached(self, pipeline: str, segment: Segment | None) -> _Cached:
        return self._caches.setdefault((pipeline, segment), _Cached())

    def _read_metrics(
        self, pipeline: str, segment: Segment | None, cached: _Cached, listed: Mapping[str, Stamp], wanted: Sequence[str]
    ) -> None:
        """Bring the cached metrics of the batches up to date; only files that are new or changed are read."""
        for gone in cached.metrics.keys() - listed.keys():
            del cached.metrics[gone]
        missing = [b for b in wanted if b not in cached.metrics or cached.metrics[b][0] != listed[b]]
        if not missing:
            return
        with ThreadPoolExecutor(self._files.threads) as pool:
            read = pool.map(lambda batch: self._files.metrics(pipeline, batch, segment), missing)
            for batch, found in zip(missing, read, strict=True):
                cached.metrics[batch] = (listed[batch], found)

    def _fresh(
        self, pipeline: str, segment: Segment | None, cached: _Cached, ordered: Sequence[str], baselines: Sequence[Baseline | None]
    ) -> list[BatchMetrics]:
        """The batches' metrics, with stale distances (and metrics that another release measured) measured anew from states."""
        batches = [cached.metrics[b][1] for b in ordered]
        # Of each the place of its baseline, -1 for none.
        places = [k - found.steps if found else -1 for k, found in enumerate(baselines)]
        digests = [batches[at].header.digest if at >= 0 else "" for at in places]
        wanted = [replace(b.header, baseline=digest, measures=MEASURES_ID) for b, digest in zip(batches, digests, strict=True)]
        stale = [k for k, b in enumerate(batches) if b.header != wanted[k]]
        if not stale:
            return batches
        kept = DistanceCache(self._files.folder, _measured(pipeline, segment))
        last: tuple[int, StoredProfile] | None = None
        for k in stale:
            table = kept.get(wanted[k])
            if table is None:
                at = places[k]
                before = last[1] if last and last[0] == at else self._unchanged(segment, batches[at].header) if at >= 0 else None
                last = (k, self._unchanged(segment, batches[k].header))
                table = metric_table(last[1].profile, before.profile if before else None)
                kept.put(wanted[k], table)
            batches[k] = BatchMetrics(wanted[k], table)
            cached.metrics[ordered[k]] = (cached.metrics[ordered[k]][0], batches[k])
        kept.write()
        return batches

    def _unchanged(self, segment: Segment | None, header: BatchHeader) -> StoredProfile:
        stored = self._files.profile(header.pipeline, header.batch, segment=segment)
        if stored.header.digest != header.digest:
            raise _ChangedError
        return stored


def _settled(pipeline: str, read: Callable[[], T]) -> T:
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
