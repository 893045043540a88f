"""The batches that this process saved last: the next one's baseline, the block of their run, and which of them repeat another follow
without reading a file.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from avh_ui.store.folder import Stamp
from avh_ui.store.history_format import BatchHeader, StoredProfile

# Bytes of files whose states are kept: those of a run of 64 batches of 20 columns, and of a wide table's last batch. In memory states
# take about five times as much.
_BYTES = 8 * 1024**2
# And so many headers, 1 to 2 KB each: reading those of 1,781 batches after they were saved took 0.23 s.
_HEADERS = 10_000

Key = tuple[str, str]


@dataclass(frozen=True)
class _Saved:
    stored: StoredProfile
    stamp: Stamp
    size: int


class RecentBatches:
    """Saved profiles by pipeline and batch, each with the stamp of its file: another stamp, and the file is another. Safe to share."""

    def __init__(self) -> None:
        self._saved: OrderedDict[Key, _Saved] = OrderedDict()
        self._headers: OrderedDict[Key, tuple[Stamp, BatchHeader]] = OrderedDict()
        self._size = 0
        self._changing = threading.Lock()

    def keep(self, stored: StoredProfile, stamp: Stamp, size: int) -> None:
        """Remember a profile as its file of `size` bytes was written; the oldest are forgotten, but never this one."""
        key = stored.header.pipeline, stored.header.batch
        with self._changing:
            self._drop(key)
            self._headers[key] = stamp, stored.header
            if len(self._headers) > _HEADERS:
                self._headers.popitem(last=False)
            self._saved[key], self._size = _Saved(stored, stamp, size), self._size + size
            while len(self._saved) > 1 and self._size > _BYTES:
                self._drop(next(iter(self._saved)))

    def forget(self, pipeline: str, batch: str) -> None:
        """Remember a batch no more."""
        with self._changing:
            self._drop((pipeline, batch))
            self._headers.pop((pipeline, batch), None)

    def _drop(self, key: Key) -> None:
        if (saved := self._saved.pop(key, None)) is not None:
            self._size -= saved.size

    def get(self, pipeline: str, batch: str, stamp: Stamp | None) -> StoredProfile | None:
        """The profile whose file has this stamp now; None where it was not saved here, or the file has changed since."""
        saved = self._saved.get((pipeline, batch))
        return saved.stored if saved is not None and saved.stamp == stamp else None

    def header(self, pipeline: str, batch: str, stamp: Stamp | None) -> BatchHeader | None:
        """The header of the profile whose file has this stamp now, likewise."""
        found = self._headers.get((pipeline, batch))
        return found[1] if found is not None and found[0] == stamp else None
