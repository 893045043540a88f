"""The history as Parquet files, `<url>/<pipeline>/<batch>.parquet`: one per profiled batch, whole or not there at all."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from avh_ui.errors import HistoryError, NewerVersionError, NotFoundError
from avh_ui.history.series import History, batch_order, sort_batches
from avh_ui.metrics.profile import BatchProfile
from avh_ui.store.distance_cache import DistanceCache
from avh_ui.store.folder import Folder, Stamp
from avh_ui.store.history_format import (
    MEASURES_ID,
    BatchHeader,
    BatchMetrics,
    StoredProfile,
    encode,
    metric_table,
    read_header,
    read_metrics,
    read_profile,
)
from avh_ui.store.history_series import assemble
from avh_ui.store.names import from_file_name, is_cut, to_file_name

SUFFIX = ".parquet"
# Local files are bound by the processor; an object store answers many requests at once.
_LOCAL_THREADS, _REMOTE_THREADS = 4, 32
# Listing and reading again after a batch was replaced or deleted in between.
_ATTEMPTS = 5
# Finished histories kept per process: the app shows one pipeline in full, and backtests cut it at some batches.
_HISTORIES = 8


class _ChangedError(Exception):
    """A file was replaced between two readings that belong together."""


@dataclass
class _Cached:
    """What was read of one pipeline: per batch its file's stamp and metrics, batch ids of cut file names, and finished histories."""

    metrics: dict[str, tuple[Stamp, BatchMetrics]] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    histories: OrderedDict[tuple[object, ...], History] = field(default_factory=OrderedDict)
    lock: threading.RLock = field(default_factory=threading.RLock)


class HistoryFiles:
    """`HistoryRepository` under a path or an fsspec URL. Safe to share between threads, and between processes on one store.

    Nothing is ever written to a batch's file but by `save` of that batch: distances that a change of the batch before made stale are
    measured anew when they are read, and remembered in a file beside. So a reader never undoes what a writer just did.
    """

    def __init__(self, url: str) -> None:
        self._folder = Folder(url)
        self._caches: dict[str, _Cached] = {}

    def batches(self, pipeline: str) -> list[str]:
        """Profiled batch ids in natural order; empty for a pipeline that was never profiled."""
        return sort_batches(self._listed(pipeline))

    def load(self, pipeline: str, batch: str, columns: Sequence[str] | None = None) -> BatchProfile:
        """One batch's profile with the states of all or some columns (those it lacks are passed over).

        `NotFoundError` names the nearest batches, `HistoryError` a damaged file, `NewerVersionError` one of a later release.
        """
        try:
            return self._read(pipeline, batch, columns).profile
        except FileNotFoundError:
            raise NotFoundError(f"profile of {pipeline!r} for batch", batch, self.batches(pipeline)) from None

    def save(self, profile: BatchProfile) -> None:
        """Write or replace one batch atomically, with its distances against the batch before it; `DeliveryError` when it cannot be."""
        pipeline = profile.pipeline
        place = batch_order(profile.batch)
        earlier = [b for b in self._listed(pipeline) if batch_order(b) < place]
        baseline = None
        if earlier:
            # Somebody else's damage must not keep a new batch out: distances that are not there are measured when they are read.
            with contextlib.suppress(FileNotFoundError, HistoryError, NewerVersionError):
                baseline = self._read(pipeline, max(earlier, key=batch_order))
        self._folder.replace(_file(pipeline, profile.batch), encode(profile, baseline))
        self._folder.clean(to_file_name(pipeline))

    def delete(self, pipeline: str, batch: str) -> None:
        """Forget one batch; nothing when it is not there. The next batch is then compared with the one before."""
        self._folder.delete(_file(pipeline, batch))

    def history(self, pipeline: str, columns: Sequence[str] | None = None, upto: str | None = None) -> History:
        """The metric series over all batches, or up to and including one; `NotFoundError` when that one is not there.

        Reads no states unless a batch's predecessor has changed since it was saved. A column has the kind and type of its newest
        batch; where it is absent or of another kind, values are NaN and `present` is False. Columns nobody has are passed over.
        The result is shared between callers, so its arrays are read-only.
        """
        cached = self._cached(pipeline)
        with cached.lock:
            for _ in range(_ATTEMPTS):
                with contextlib.suppress(FileNotFoundError, _ChangedError):
                    return self._history(pipeline, cached, columns, upto)
        raise HistoryError(f"The history of {pipeline!r} keeps changing while it is read.", hint="Try again.")

    def _history(self, pipeline: str, cached: _Cached, columns: Sequence[str] | None, upto: str | None) -> History:
        listed = self._listed(pipeline)
        ordered = sort_batches(listed)
        if upto is not None:
            if upto not in listed:
                raise NotFoundError(f"profile of {pipeline!r} for batch", upto, ordered)
            ordered = ordered[: ordered.index(upto) + 1]
        key = (tuple((b, listed[b]) for b in ordered), None if columns is None else tuple(columns))
        if key not in cached.histories:
            self._read_metrics(pipeline, cached, listed, ordered)
            history = assemble(pipeline, self._fresh(pipeline, cached, ordered), columns)
            _freeze(history)
            cached.histories[key] = history
            if len(cached.histories) > _HISTORIES:
                cached.histories.popitem(last=False)
        cached.histories.move_to_end(key)
        return cached.histories[key]

    def _cached(self, pipeline: str) -> _Cached:
        return self._caches.setdefault(pipeline, _Cached())

    def _listed(self, pipeline: str) -> dict[str, Stamp]:
        """Batch ids with their files' stamps."""
        ids = self._cached(pipeline).ids
        listed = {}
        for file, stamp in self._folder.list(to_file_name(pipeline)).items():
            if not file.endswith(SUFFIX):
                continue
            name = file.removesuffix(SUFFIX)
            if is_cut(name):
                if name not in ids:
                    path = f"{to_file_name(pipeline)}/{file}"
                    try:
                        with self._folder.opened(path) as source:
                            ids[name] = read_header(source, self._folder.path(path)).batch
                    except FileNotFoundError:
                        continue
                listed[ids[name]] = stamp
            else:
                listed[from_file_name(name)] = stamp
        return listed

    def _read(self, pipeline: str, batch: str, columns: Sequence[str] | None = None) -> StoredProfile:
        name = _file(pipeline, batch)
        with self._folder.opened(name) as source:
            stored = read_profile(source, self._folder.path(name), columns)
        self._check(name, stored.header, pipeline, batch)
        return stored

    def _check(self, name: str, header: BatchHeader, pipeline: str, batch: str) -> None:
        if (header.pipeline, header.batch) != (pipeline, batch):
            path = self._folder.path(name)
            raise HistoryError(f"{path} holds the profile of another batch.", hint="It was renamed by hand: delete it and profile again.")

    def _read_metrics(self, pipeline: str, cached: _Cached, listed: dict[str, Stamp], wanted: Sequence[str]) -> None:
        """Bring the cached metrics of the batches up to date; only files that are new or changed are read."""
        for gone in cached.metrics.keys() - listed.keys():
            del cached.metrics[gone]
        missing = [b for b in wanted if b not in cached.metrics or cached.metrics[b][0] != listed[b]]
        if not missing:
            return

        def read(batch: str) -> BatchMetrics:
            name = _file(pipeline, batch)
            with self._folder.opened(name) as source:
                found = read_metrics(source, self._folder.path(name))
            self._check(name, found.header, pipeline, batch)
            return found

        with ThreadPoolExecutor(_LOCAL_THREADS if self._folder.local else _REMOTE_THREADS) as pool:
            for batch, found in zip(missing, pool.map(read, missing), strict=True):
                cached.metrics[batch] = (listed[batch], found)

    def _fresh(self, pipeline: str, cached: _Cached, ordered: Sequence[str]) -> list[BatchMetrics]:
        """The batches' metrics, with stale distances (and metrics that another release measured) measured anew from states."""
        batches = [cached.metrics[b][1] for b in ordered]
        baselines = ["", *(b.header.digest for b in batches)][: len(batches)]
        wanted = [replace(b.header, baseline=before, measures=MEASURES_ID) for b, before in zip(batches, baselines, strict=True)]
        stale = [k for k, b in enumerate(batches) if b.header != wanted[k]]
        if not stale:
            return batches
        kept = DistanceCache(self._folder, f"{to_file_name(pipeline)}/measured.cache")
        last: tuple[int, StoredProfile] | None = None
        for k in stale:
            table = kept.get(wanted[k])
            if table is None:
                before = last[1] if last and last[0] == k - 1 else self._unchanged(pipeline, batches[k - 1].header) if k else None
                last = (k, self._unchanged(pipeline, batches[k].header))
                table = metric_table(last[1].profile, before.profile if before else None)
                kept.put(wanted[k], table)
            batches[k] = BatchMetrics(wanted[k], table)
            cached.metrics[ordered[k]] = (cached.metrics[ordered[k]][0], batches[k])
        kept.write()
        return batches

    def _unchanged(self, pipeline: str, header: BatchHeader) -> StoredProfile:
        stored = self._read(pipeline, header.batch)
        if stored.header.digest != header.digest:
            raise _ChangedError
        return stored


def _freeze(history: History) -> None:
    history.rows.flags.writeable = False
    for column in history.columns.values():
        column.present.flags.writeable = False
        for series in column.values.values():
            series.flags.writeable = False


def _file(pipeline: str, batch: str) -> str:
    return f"{to_file_name(pipeline)}/{to_file_name(batch)}{SUFFIX}"
