"""A folder of files under a path or an fsspec URL: listed, read, and written whole or not at all.

On a local disk a file is written under a temporary name, synced and then renamed (to replace) or linked (to create): a reader never
sees half of it, and of two creators one is refused. Object stores do both with a single put.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from avh_ui import durable
from avh_ui.durable import TEMPORARY
from avh_ui.errors import AvhError, DeliveryError
from avh_ui.extras import install
from avh_ui.scan.disk import file_system

# A writer that lives needs seconds for one file; what is older was left by one that was killed.
LEFTOVER_SECONDS = 3_600.0

# Which of these a file system gives differs; together they tell versions of a file apart.
_VERSION = ("ETag", "etag", "LastModified", "last_modified", "mtime", "modified", "modificationTime", "updated", "created", "md5Hash")

Stamp = tuple[object, ...]
_one_creator = threading.Lock()
_alone: dict[str, threading.Lock] = {}


class Folder:
    """Files below `url`. Names are relative, with `/`. Errors of the file system become `AvhError` (reading) or `DeliveryError`."""

    def __init__(self, url: str) -> None:
        with _readable(url):
            self.fs, root = file_system(url)
        self.root = str(root).rstrip("/")
        self.url = url
        protocol = self.fs.protocol
        self.local = "file" in ((protocol,) if isinstance(protocol, str) else protocol)
        # When each folder was cleaned last.
        self._cleaned: dict[str, float] = {}

    def path(self, name: str) -> str:
        """The path of a file as the file system knows it."""
        return f"{self.root}/{name}" if name else self.root

    def list(self, name: str = "") -> dict[str, Stamp]:
        """Files and folders directly below, each with a stamp that changes when its content does; empty when there is no such folder."""
        with _readable(self.path(name)):
            if self.local:
                return self._scan(name)
            self.fs.invalidate_cache(self.path(name))
            try:
                found = self.fs.ls(self.path(name), detail=True)
            except (FileNotFoundError, NotADirectoryError):
                return {}
            return {info["name"].rstrip("/").rsplit("/", 1)[-1]: _stamp(info) for info in found}

    def names(self, name: str = "") -> Sequence[str]:
        """Files and folders directly below, without stamps, which cost a look at each; empty when there is no such folder."""
        if not self.local:
            return tuple(self.list(name))
        with _readable(self.path(name)):
            try:
                # Four times as fast as making a path of each.
                return os.listdir(self.path(name))  # noqa: PTH208
            except (FileNotFoundError, NotADirectoryError):
                return ()

    def stamp(self, name: str, turn: durable.InTurn | None = None) -> Stamp | None:
        """The stamp of a file on a local disk, as `list` gives it, or of one that is on its way there; None when there is none, and
        elsewhere, where asking costs a call.
        """
        if not self.local:
            return None
        if turn is not None and (coming := turn.status(Path(self.path(name)))) is not None:
            return _local_stamp(coming)
        with contextlib.suppress(OSError):
            # Twice as fast as by a path; it is asked several times of each batch that is saved.
            return _local_stamp(os.stat(self.path(name)))  # noqa: PTH116
        return None

    def _scan(self, name: str) -> dict[str, Stamp]:
        try:
            with os.scandir(self.path(name)) as entries:
                found = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        stamps: dict[str, Stamp] = {}
        for entry in found:
            # A file that vanishes between the listing and here was replaced or deleted: as if it had never been listed.
            with contextlib.suppress(FileNotFoundError):
                stamps[entry.name] = _local_stamp(entry.stat())
        return stamps

    def read(self, name: str) -> bytes:
        """A file's content; `FileNotFoundError` when there is none."""
        with _readable(self.path(name)):
            return Path(self.path(name)).read_bytes() if self.local else bytes(self.fs.cat_file(self.path(name)))

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[Any]:
        """A file for random access, or a local file's path; `FileNotFoundError` when there is none."""
        if self.local:
            yield self.path(name)
            return
        with _readable(self.path(name)):
            file = self.fs.open(self.path(name), "rb")
        with file:
            yield file

    def replace(self, name: str, content: bytes, *, turn: durable.InTurn | None = None, lasting: bool = True) -> Stamp | None:
        """Write a file whole, in place of the one there may be; `DeliveryError` leaves that one as it was. The stamp of what was written,
        on a local disk: elsewhere nobody tells it. On a disk with `turn` the file is there when those before it are (`durable.InTurn`), and
        without `lasting` a power cut may leave half of it.
        """
        with _writable(self.path(name)):
            if not self.local:
                self.fs.pipe_file(self.path(name), content)
                return None
            path = Path(self.path(name))
            return _local_stamp(durable.replace(path, content, lasting=lasting) if turn is None else turn.replace(path, content))

    def close(self, turn: durable.InTurn, name: str) -> None:
        """Wait until all files of a folder that were put into it in turn are there, and sync it; `DeliveryError`."""
        with _writable(self.path(name)):
            turn.close()
        self.sync(name)

    def sync(self, name: str) -> None:
        """Make what was put into a folder in turn last; `DeliveryError`. Nothing elsewhere, and where there is no such folder."""
        if self.local:
            with _writable(self.path(name)), contextlib.suppress(FileNotFoundError):
                durable.sync_folder(Path(self.path(name)))

    def create(self, name: str, content: bytes) -> None:
        """Write a file that must not exist yet, whole; `FileExistsError` when it does, even if it came in this moment."""
        with _writable(self.path(name)):
            if not self.local:
                self._create_remote(name, content)
                return
            durable.create(Path(self.path(name)), content)

    def _create_remote(self, name: str, content: bytes) -> None:
        path = self.path(name)
        # The store decides between processes; between threads of this one, so does the lock, whatever the store can do.
        with _one_creator:
            self.fs.invalidate_cache(path)
            if self.fs.exists(path):
                raise FileExistsError(path)
            try:
                self.fs.pipe_file(path, content, mode="create")
            except (TypeError, ValueError, NotImplementedError):
                # The file system knows no exclusive write; the check above and this one leave a gap of one put.
                self.fs.pipe_file(path, content)
                if bytes(self.fs.cat_file(path)) != content:
                    raise FileExistsError(path) from None

    @contextlib.contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """One at a time under a name: between processes on a local disk (a file of this name stays), elsewhere within this process."""
        with _alone.setdefault(self.path(name), threading.Lock()):
            if not self.local:
                yield
                return
            with contextlib.ExitStack() as held:
                with _writable(self.path(name)):
                    held.enter_context(durable.locked(Path(self.path(name))))
                yield

    def delete(self, name: str) -> None:
        """Remove a file; nothing when there is none."""
        with _writable(self.path(name)), contextlib.suppress(FileNotFoundError):
            self.fs.rm_file(self.path(name))

    def clean(self, name: str) -> None:
        """Remove what killed writers left in a folder; nothing where that was done a short while ago."""
        now = time.time()
        if not self.local or now - self._cleaned.get(name, 0.0) < LEFTOVER_SECONDS:
            return
        self._cleaned[name] = now
        oldest = now - LEFTOVER_SECONDS
        # Another process may clean at the same time, and a folder that may not be cleaned can still be used.
        with contextlib.suppress(OSError):
            for path in Path(self.path(name)).glob(f"*{TEMPORARY}"):
                if path.stat().st_mtime < oldest:
                    path.unlink(missing_ok=True)


def _local_stamp(status: os.stat_result) -> Stamp:
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _stamp(info: dict[str, Any]) -> Stamp:
    return (*(str(info.get(key)) for key in _VERSION), info.get("size"))


def is_version(stamp: Stamp) -> bool:
    """Whether a stamp says more than a size, by which two contents could look alike."""
    return any(part != "None" for part in stamp[:-1])


@contextlib.contextmanager
def _readable(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except ImportError as error:
        hint = install("s3") if path.startswith(("s3://", "s3a://")) else "Install the fsspec package of that protocol."
        raise AvhError(f"{path} cannot be reached: {error}.", hint=hint) from error
    except (OSError, ValueError) as error:
        said, hint = _why(path, error, "Check the path and who may read it.")
        raise AvhError(f"{path} cannot be read: {said}.", hint=hint) from error


@contextlib.contextmanager
def _writable(path: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        said, hint = _why(path, error, "Check space, permissions and the path.")
        raise DeliveryError(f"{path} could not be written: {said}.", hint=hint) from error


def _why(path: str, error: Exception, hint: str) -> tuple[str, str]:
    """What an error says of a path, and what to do: of a path below a file, which file that is."""
    file = next((place for place in Path(path).parents if place.is_file()), None) if isinstance(error, NotADirectoryError) else None
    return (reason(error), hint) if file is None else (f"{file} is a file", "Name a folder under `store:` of avh.yml.")


def reason(error: Exception) -> str:
    """What an error says, in few words."""
    text = (error.strerror if isinstance(error, OSError) else "") or str(error) or type(error).__name__
    return text.strip().rstrip(".")
