"""The files of profiled batches, `<url>/<pipeline>/<batch>.parquet`: which there are, and what is in one."""

from __future__ import annotations

import contextlib
import math
import shlex
import threading
import time
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from avh_ui.durable import InTurn
from avh_ui.errors import UNREADABLE_BATCH, HistoryError
from avh_ui.history.regimes import Labels, labels_from_json, labels_to_json
from avh_ui.history.series import batch_order, sort_batches
from avh_ui.metrics.segment import Segment
from avh_ui.store.folder import Folder, Stamp
from avh_ui.store.history_format import BatchHeader, BatchMetrics, StoredProfile
from avh_ui.store.history_reading import read_all, read_header, read_metrics, read_profile
from avh_ui.store.names import from_file_name, is_cut, to_file_name

SUFFIX = ".parquet"
# What people say of a pipeline's batches, beside their files.
SAID = "labels.json"
# Local files are bound by the processor; an object store answers many requests at once.
_LOCAL_THREADS, _REMOTE_THREADS = 4, 32

# While many batches are saved their folder is synced and listed each so many seconds. Of 1,781 small ones syncing for each was 2.8 to 3.7
# of 13 to 15 s of saving, and listing, which grows with the square of their number, 1.0 of 11 s of processor time.
_EVERY = 1.0

# So many new ones are put in their places one by one in less time than all are sorted.
_FEW = 8

T = TypeVar("T")


@dataclass(frozen=True)
class _Known:
    """Batch ids by their files, and in natural order."""

    files: Mapping[str, str]
    ordered: tuple[str, ...]


_NONE = _Known({}, ())


@dataclass
class _Many:
    """A folder into which many files are written, in turn: when it was last synced, and what was there when it was last looked at."""

    synced: float
    turn: InTurn = field(default_factory=InTurn)
    looked: float = -math.inf
    batches: list[str] = field(default_factory=list)
    labels: Labels = field(default_factory=Labels)
    changing: threading.Lock = field(default_factory=threading.Lock)

    def add(self, batch: str) -> None:
        """A batch was written here."""
        with self.changing:
            at = bisect_left(self.batches, batch_order(batch), key=batch_order)
            if self.batches[at : at + 1] != [batch]:
                self.batches.insert(at, batch)


class BatchFiles:
    """Files of all pipelines below `url`. Reading raises what `history_reading` does, and `HistoryError` for a renamed file."""

    def __init__(self, url: str) -> None:
        self.folder = Folder(url)
        self.threads = _LOCAL_THREADS if self.folder.local else _REMOTE_THREADS
        # Batch ids of file names that are cut.
        self._ids: dict[str, str] = {}
        self._known: dict[str, _Known] = {}
        # The folders into which many files are written.
        self._many: dict[str, _Many] = {}

    def batches(self, pipeline: str) -> list[str]:
        """The ids of the batches that have a file, in natural order. Only what came and went since the last call is looked at."""
        self._settle(pipeline)
        before, there = self._known.get(pipeline, _NONE), frozenset(self.folder.names(to_file_name(pipeline)))
        files = before.files if there.issuperset(before.files) else {f: b for f, b in before.files.items() if f in there}
        come = {file: batch for file in there.difference(files) if (batch := self._batch(pipeline, file)) is not None}
        if files is before.files and not come:
            return list(before.ordered)
        ordered = list(before.ordered) if files is before.files else sort_batches(files.values())
        if len(come) > _FEW:
            ordered = sort_batches((*ordered, *come.values()))
        else:
            for batch in come.values():
                insort(ordered, batch, key=batch_order)
        self._known[pipeline] = _Known({**files, **come}, tuple(ordered))
        return ordered

    def _settle(self, pipeline: str) -> None:
        """Whoever looks into the folder finds what was saved here."""
        if (many := self._many.get(to_file_name(pipeline))) is not None:
            many.turn.settle()

    def _look_again(self, pipeline: str) -> None:
        if (many := self._many.get(to_file_name(pipeline))) is not None:
            many.looked = -math.inf

    def around(self, pipeline: str) -> tuple[list[str], Labels]:
        """`batches` and `labels`, for who saves one more. While many are saved `together` they are as of the last second, with what was
        saved here since: by what somebody else did meanwhile a batch may have another baseline, and who reads the history compares anew.
        """
        many = self._many.get(to_file_name(pipeline))
        if many is None:
            return (found := self.batches(pipeline)), self.labels(pipeline) if found else Labels()
        with many.changing:
            if (now := time.monotonic()) >= many.looked + _EVERY:
                many.batches = self.batches(pipeline)
                many.labels = self.labels(pipeline) if many.batches else Labels()
                many.looked = now
            return many.batches.copy(), many.labels

    def listed(self, pipeline: str) -> dict[str, Stamp]:
        """Batch ids with their files' stamps."""
        self._settle(pipeline)
        found = self.folder.list(to_file_name(pipeline)).items()
        return {batch: stamp for file, stamp in found if (batch := self._batch(pipeline, file)) is not None}

    def _batch(self, pipeline: str, file: str) -> str | None:
        """The batch that a file is of; None for other files, and for one that has just been deleted."""
        name = file.removesuffix(SUFFIX)
        if name == file:
            return None
        if not is_cut(name):
            return from_file_name(name)
        path = f"{to_file_name(pipeline)}/{file}"
        if path not in self._ids:
            try:
                with self.folder.opened(path) as source:
                    self._ids[path] = read_header(source, self.folder.path(path)).batch
            except (FileNotFoundError, *UNREADABLE_BATCH):
                # Of a damaged file with a cut name nobody can tell which batch it is of: it must not hide the others.
                return None
        return self._ids[path]

    def profile(self, pipeline: str, batch: str, columns: Sequence[str] | None = None, segment: Segment | None = None) -> StoredProfile:
        """The states of a batch, or of one of its segments."""
        return self._read(pipeline, batch, lambda source, path: read_profile(source, path, columns, segment), lambda s: s.header)

    def all_profiles(self, pipeline: str, batch: str) -> dict[Segment | None, StoredProfile]:
        """The states of the whole batch, under None, and of its segments."""
        return self._read(pipeline, batch, read_all, lambda found: found[None].header)

    def metrics(self, pipeline: str, batch: str, segment: Segment | None = None) -> BatchMetrics:
        """The metrics of a batch, or of one of its segments, without states."""
        return self._read(pipeline, batch, lambda source, path: read_metrics(source, path, segment), lambda m: m.header)

    def header(self, pipeline: str, batch: str) -> BatchHeader:
        """What is about a whole batch."""
        return self._read(pipeline, batch, read_header, lambda header: header)

    def labels(self, pipeline: str) -> Labels:
        """What people said of the batches; nothing where the file is damaged: the next label writes it anew."""
        with contextlib.suppress(FileNotFoundError, ValueError):
            return labels_from_json(self.folder.read(f"{to_file_name(pipeline)}/{SAID}"))
        return Labels()

    def tell(self, pipeline: str, labels: Labels) -> None:
        """Replace what people said of the batches."""
        self.folder.replace(f"{to_file_name(pipeline)}/{SAID}", labels_to_json(labels))
        self._look_again(pipeline)

    def _read(self, pipeline: str, batch: str, read: Callable[[Any, str], T], header: Callable[[T], BatchHeader]) -> T:
        name = file_name(pipeline, batch)
        self._settle(pipeline)
        try:
            with self.folder.opened(name) as source:
                found = read(source, self.folder.path(name))
        except HistoryError as error:
            raise HistoryError(error.message, hint=_mend(pipeline, batch)) from error
        if (header(found).pipeline, header(found).batch) != (pipeline, batch):
            path = self.folder.path(name)
            raise HistoryError(f"{path} holds the profile of another batch.", hint="It was renamed by hand: delete it and profile again.")
        return found

    def write(self, pipeline: str, batch: str, content: bytes) -> Stamp | None:
        """Write or replace a batch's file, and its stamp; `DeliveryError` leaves the one there may be as it was."""
        home = to_file_name(pipeline)
        many = self._many.get(home)
        stamp = self.folder.replace(file_name(pipeline, batch), content, turn=None if many is None else many.turn)
        if many is not None:
            many.add(batch)
            if (now := time.monotonic()) >= many.synced + _EVERY:
                many.synced = now
                self.folder.sync(home)
        self.folder.clean(home)
        return stamp

    @contextlib.contextmanager
    def together(self, pipeline: str) -> Iterator[None]:
        """Files that are written within are synced while the next are written, and there in the order in which they came; their folder is
        synced each second and at the end (`DeliveryError`). What is around them is looked at as often.
        """
        home = to_file_name(pipeline)
        many = self._many[home] = _Many(time.monotonic())
        try:
            yield
        finally:
            # Whoever else writes many files of this pipeline at once syncs each, and the folder for each, from here on.
            self._many.pop(home, None)
            self.folder.close(many.turn, home)

    def stamp(self, pipeline: str, batch: str) -> Stamp | None:
        """The stamp of a batch's file, where asking for it is cheap (`Folder.stamp`)."""
        many = self._many.get(to_file_name(pipeline))
        return self.folder.stamp(file_name(pipeline, batch), None if many is None else many.turn)

    def stamps(self, pipeline: str, batches: Sequence[str]) -> dict[str, Stamp]:
        """The stamps of these batches' files, as `listed` gives them, without those that are not there."""
        if not self.folder.local:
            listed = self.listed(pipeline)
            return {batch: listed[batch] for batch in batches if batch in listed}
        return {batch: stamp for batch in batches if (stamp := self.stamp(pipeline, batch)) is not None}

    def delete(self, pipeline: str, batch: str) -> None:
        """Remove a batch's file; nothing when there is none."""
        self._settle(pipeline)
        self.folder.delete(file_name(pipeline, batch))
        self._look_again(pipeline)


def _mend(pipeline: str, batch: str) -> str:
    command = f"avh profile {shlex.quote(pipeline)} --batches {shlex.quote(f'{batch}..{batch}')} --again"
    return f"Profile the batch again with `{command}`, or delete the file."


def file_name(pipeline: str, batch: str) -> str:
    """A batch's file below the URL."""
    return f"{to_file_name(pipeline)}/{to_file_name(batch)}{SUFFIX}"
