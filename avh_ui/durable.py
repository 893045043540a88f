"""Files on a local disk that are there whole or not at all, and still there after a power cut once the call has returned.

Content goes to a temporary file beside the target, which is synced, then renamed (to replace) or linked (to create) and the folder
synced; a folder that had to be made is synced into its own parent. What a killed writer leaves is a temporary file, no half target.
Who writes many files may sync their folder once for all of them (`replace` with `later`): until then a power cut may take a file away as if
it had not been written, never half of it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path

TEMPORARY = ".tmp"


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


def replace(path: Path, content: bytes, *, later: bool = False) -> os.stat_result:
    """Write a file in place of the one there may be, whose mode it keeps; an `OSError` leaves the one or the other, whole. With `later` the
    caller syncs the folder.

    Returns the status of the file that was written, whatever somebody else has put in its place since.
    """
    with _temporary(path, content, _mode(path)) as temporary:
        status = temporary.stat()
        temporary.replace(path)
        if not later:
            sync_folder(path.parent)
    return status


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
def _temporary(target: Path, content: bytes, mode: int) -> Iterator[Path]:
    make_folder(target.parent)
    # Short, since the target's own name may be as long as the disk allows.
    temporary = target.parent / f"{uuid.uuid4().hex}{TEMPORARY}"
    try:
        # The mode is set as the file is made: a private key is never readable by others, not even for a moment.
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        # What cannot be removed now disturbs nobody, and `Folder.clean` removes it later.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return 0o666
