"""Disks that fail: full, read-only, failing at the n-th call, and cut off from power. For code that writes through `os`."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

# Any user but root, to whom no permission is refused.
_NOBODY = 65_534


@contextlib.contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """No file of this process can grow beyond `room` bytes: every write fails as on a full disk, those of SQLite too."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextlib.contextmanager
def read_only_copy(folder: Path) -> Iterator[Path]:
    """A copy of a folder in which nothing can be written, as on a file system that is mounted to be read."""
    home = Path(tempfile.mkdtemp(prefix="avh-read-only-"))
    shutil.copytree(folder, home / folder.name)
    for path in (home, *home.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(_NOBODY)
        yield home / folder.name
    finally:
        if root:
            os.seteuid(0)
        for path in (home, *home.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        shutil.rmtree(home)


class Disk:
    """Stands between the code and `os`: every call that changes a disk goes through `_event`."""

    CALLS = ("open", "fsync", "link", "replace", "mkdir", "unlink")

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.real = {name: getattr(os, name) for name in self.CALLS}
        self._fdopen = os.fdopen
        for name in self.CALLS:
            patch.setattr(os, name, self._calling(name))
        patch.setattr(os, "fdopen", self._opening)

    def _calling(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if name == "open" and not args[1] & os.O_CREAT:
                return self.real["open"](*args, **options)
            return self._event(name, lambda: self.real[name](*args, **options), args)

        return call

    def _opening(self, descriptor: int, *args: Any, **options: Any) -> Any:
        file = self._fdopen(descriptor, *args, **options)
        write = file.write

        class Written:
            """The file, whose content goes to the disk when it is written, and maybe half of it."""

            def __enter__(self) -> Written:
                return self

            def __exit__(self, *_: object) -> None:
                file.close()

            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

            def write(_, content: bytes) -> int:  # noqa: N805 (`self` is the disk)
                def half(part: bytes) -> int:
                    done = write(part)
                    file.flush()
                    return int(done)

                half(content[: len(content) // 2])
                return int(self._event("write", lambda: half(content[len(content) // 2 :]), (descriptor,)))

        return Written()

    def _event(self, name: str, act: Callable[[], Any], args: tuple[Any, ...]) -> Any:
        raise NotImplementedError


class FailingDisk(Disk):
    """Fails at the n-th call (from 1) with an errno; once, or from there on."""

    def __init__(self, patch: pytest.MonkeyPatch, n: int, code: int, *, ever_after: bool) -> None:
        super().__init__(patch)
        self.n, self.code, self.ever_after, self.calls = n, code, ever_after, 0

    @property
    def failed(self) -> bool:
        """Whether anything has failed."""
        return self.calls >= self.n

    def _event(self, name: str, act: Callable[[], Any], args: tuple[Any, ...]) -> Any:
        self.calls += 1
        if self.calls == self.n or (self.ever_after and self.calls > self.n):
            raise OSError(self.code, os.strerror(self.code))
        return act()


class PowerDisk(Disk):
    """Knows what was synced below a folder. `images(place)` rebuilds there what the disk may hold after a cut at each point.

    Two disks a point: one that kept nothing but what was synced, and one that kept every name at once and content only when synced.
    What is there at first is on the disk.
    """

    def __init__(self, patch: pytest.MonkeyPatch, root: Path) -> None:
        self.root = root
        self.entries: dict[str, dict[str, int]] = {}
        self.contents: dict[int, bytes] = {}
        for folder in (root, *(path for path in root.rglob("*") if path.is_dir())):
            self._folder_synced(folder)
            self.contents |= {path.stat().st_ino: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        self.points: list[tuple[str, dict[str, bytes | None], dict[str, bytes | None]]] = []
        self._one = threading.Lock()
        super().__init__(patch)
        self._remember("start")

    def _event(self, name: str, act: Callable[[], Any], args: tuple[Any, ...]) -> Any:
        with self._one:
            return self._noted(name, act, args)

    def _noted(self, name: str, act: Callable[[], Any], args: tuple[Any, ...]) -> Any:
        done = act()
        if name == "open":
            self.contents.pop(os.fstat(done).st_ino, None)  # the number of a file that was removed may be given again
        if name == "fsync":
            status = os.fstat(args[0])
            path = Path(f"/proc/self/fd/{args[0]}").resolve()
            if stat.S_ISDIR(status.st_mode):
                self._folder_synced(path)
            else:
                self.contents[status.st_ino] = path.read_bytes()
        self._remember(name)
        return done

    def _folder_synced(self, folder: Path) -> None:
        self.entries[str(folder)] = {path.name: path.stat().st_ino for path in folder.iterdir()}

    def _remember(self, name: str) -> None:
        self.points.append((name, dict(self._synced(self.root)), dict(self._named(self.root))))

    def _synced(self, folder: Path) -> Iterator[tuple[str, bytes | None]]:
        for name, number in self.entries.get(str(folder), {}).items():
            path = folder / name
            if str(path) in self.entries or path.is_dir():
                yield str(path.relative_to(self.root)), None
                yield from self._synced(path)
            else:
                yield str(path.relative_to(self.root)), self.contents.get(number, b"")

    def _named(self, folder: Path) -> Iterator[tuple[str, bytes | None]]:
        for path in folder.rglob("*"):
            yield str(path.relative_to(self.root)), None if path.is_dir() else self.contents.get(path.stat().st_ino, b"")

    def images(self, place: Path) -> Iterator[tuple[str, Path]]:
        """Each disk that differs from the one before, as a folder below `place`, with what happened last."""
        last: list[dict[str, bytes | None]] = []
        for k, (name, *disks) in enumerate(self.points):
            for which, disk in zip(("synced", "named"), disks, strict=True):
                if disk in last:
                    continue
                last = [*last[-1:], disk]
                yield f"{name} {which}", _built(place / f"{k}-{which}", disk)

    def last(self, place: Path) -> Path:
        """What is sure to be there after the last call."""
        return _built(place / "last", self.points[-1][1])


def _built(place: Path, disk: dict[str, bytes | None]) -> Path:
    place.mkdir(parents=True)
    for name, content in sorted(disk.items()):
        if content is None:
            (place / name).mkdir(exist_ok=True)
        else:
            (place / name).write_bytes(content)
    return place


class FailingStore:
    """An object store in memory whose n-th request (from 1) fails; with `arrives` it was carried out all the same."""

    REQUESTS = ("ls", "exists", "cat_file", "pipe_file", "open")

    def __init__(self, patch: pytest.MonkeyPatch, n: int, *, arrives: bool) -> None:
        self.n, self.arrives, self.calls, self._within = n, arrives, 0, False
        for name in self.REQUESTS:
            patch.setattr(MemoryFileSystem, name, self._request(getattr(MemoryFileSystem, name)))

    @property
    def failed(self) -> bool:
        """Whether anything has failed."""
        return self.calls >= self.n

    def _request(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(fs: MemoryFileSystem, *args: Any, **options: Any) -> Any:
            if self._within:
                return real(fs, *args, **options)  # part of another request
            self.calls += 1
            fails = self.calls == self.n
            if fails and not self.arrives:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            self._within = True
            try:
                done = real(fs, *args, **options)
            finally:
                self._within = False
            if fails:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return done

        return call
