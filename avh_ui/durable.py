"""Files on a local disk that are there whole or not at all, and still there after a power cut once the call has returned.

Content goes to a temporary file beside the target, which is synced, then renamed (to replace) or linked (to create) and the folder
synced; a folder that had to be made is synced into its own parent. What a killed writer leaves is a temporary file, no half target.
Who writes many files has them synced together (`InTurn`), and their folder when it wants: until then a power cut may take a file away as
if it had not been written, never half of it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import threading
import uuid
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

TEMPORARY = ".tmp"
# So many files are synced at once, which share the disk's commits: 300 of 15 KB took 2.0 ms each one after the other, 1.0 by two, 0.3 by
# four and 0.25 by eight; 5.8, 1.6, 0.4 and 0.3 where others wrote, too.
_SYNCING = 8
# And so many may be on their way to their places.
_WAITING = 16


def create(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file that must not exist yet; `FileExistsError` when it does, even if it came in this moment.

    An `OSError` leaves no file: what cannot be made to last is taken back.
    """
    with _temporary(path, content, mode) as temporary:
        # A link is refused when its name is taken, where a rename would overwrite.
        path.hardlink_to(temporary)
        try:
            sync_folder(path.parent)
        except OSError:
            with contextlib.suppress(OSError):
                path.unlink()
            raise


def replace(path: Path, content: bytes, *, lasting: bool = True) -> os.stat_result:
    """Write a file in place of the one there may be, whose mode it keeps; an `OSError` leaves the one or the other, whole. Without
    `lasting` a power cut may leave half of it: for what tells by itself whether it is whole, and can be made again.

    Returns the status of the file that was written, whatever somebody else has put in its place since.
    """
    with _temporary(path, content, _mode(path), lasting=lasting) as temporary:
        status = temporary.stat()
        temporary.replace(path)
        if lasting:
            sync_folder(path.parent)
    return status


@dataclass(eq=False)
class _Written:
    """A file under its temporary name, open to be synced."""

    path: Path
    temporary: Path
    file: IO[bytes]
    status: os.stat_result
    synced: bool = False
    error: Exception | None = None

    def sync(self) -> None:
        """Sync and close it."""
        with self.file:
            os.fsync(self.file.fileno())


class InTurn:
    """Files that are synced together in threads of their own, and put in their places in turn, each when it is synced: at any time those
    are there that came first. `close` it when no more come; their folder is the caller's to sync.

    After an error, mostly an `OSError`, the file that it is about and those after it are left out; it is raised by `replace` and `close`.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_SYNCING, thread_name_prefix="avh-sync")
        self._waiting: deque[_Written] = deque()
        self._changed = threading.Condition()
        self._error: Exception | None = None

    def replace(self, path: Path, content: bytes) -> os.stat_result:
        """As the function `replace`, but that it returns before the file is there: its status is the one that it will have."""
        self._wait(_WAITING - 1)
        self._raise()
        written = _begun(path, content, _mode(path))
        with self._changed:
            self._waiting.append(written)
        self._threads.submit(self._sync, written)
        return written.status

    def status(self, path: Path) -> os.stat_result | None:
        """Of a file that is on its way; None where it is not."""
        # Texts: two paths take long to compare, and it is asked several times of each file.
        wanted = str(path)
        with self._changed:
            return next((written.status for written in reversed(self._waiting) if str(written.path) == wanted), None)

    def settle(self) -> None:
        """Wait until all are in their places, or none comes any more."""
        self._wait(0)

    def close(self) -> None:
        """Wait until all are in their places."""
        self.settle()
        self._threads.shutdown()
        self._raise()

    def _wait(self, most: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: len(self._waiting) <= most)

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _sync(self, written: _Written) -> None:
        try:
            written.sync()
        except Exception as error:  # noqa: BLE001  whatever it is, the caller waits for this file, and raises it
            written.error = error
        with self._changed:
            written.synced = True
            while self._waiting and self._waiting[0].synced:
                self._put(self._waiting[0])
                self._waiting.popleft()
            self._changed.notify_all()

    def _put(self, written: _Written) -> None:
        self._error = self._error or written.error
        try:
            if self._error is None:
                written.temporary.replace(written.path)
        except Exception as error:  # noqa: BLE001  likewise
            self._error = error
        if self._error is not None:
            _removed(written.temporary)


def make_folder(path: Path) -> None:
    """A folder with its parents; each that is new is there after a power cut."""
    if path.is_dir():
        return
    made: list[Path] = []
    for folder in (path, *path.parents):
        if folder.is_dir():
            break
        made.append(folder)
    path.mkdir(parents=True, exist_ok=True)
    for folder in reversed(made):
        sync_folder(folder.parent)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file's lock, waiting for whoever has it; made where it is not there. A process that dies lets go of it."""
    make_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make what was renamed, linked or made in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _temporary(target: Path, content: bytes, mode: int, *, lasting: bool = True) -> Iterator[Path]:
    written = _begun(target, content, mode)
    try:
        written.sync() if lasting else written.file.close()
        yield written.temporary
    finally:
        _removed(written.temporary)


def _begun(target: Path, content: bytes, mode: int) -> _Written:
    """A file beside its target, which nobody has synced."""
    make_folder(target.parent)
    # Short, since the target's own name may be as long as the disk allows.
    temporary = target.parent / f"{uuid.uuid4().hex}{TEMPORARY}"
    try:
        # The mode is set as the file is made: a private key is never readable by others, not even for a moment.
        file = os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb")
        try:
            file.write(content)
            file.flush()
            return _Written(target, temporary, file, os.fstat(file.fileno()))
        except BaseException:
            file.close()
            raise
    except BaseException:
        _removed(temporary)
        raise


def _removed(temporary: Path) -> None:
    # What cannot be removed now disturbs nobody, and `Folder.clean` removes it later.
    with contextlib.suppress(OSError):
        temporary.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return 0o666
