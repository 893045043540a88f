"""Which file system a URL is on. A path on a disk is asked about without fsspec: loading it takes 5 % of validating a small batch."""

from __future__ import annotations

import os
import stat
from functools import cache
from typing import Any


def file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL or a path and the path there, as fsspec's `url_to_fs` gives them; `ImportError`, `ValueError` as there."""
    # A relative path, a drive and a chain of URLs are fsspec's.
    if url.startswith("/") and ":" not in url:
        return Disk(), url.rstrip("/") or "/"
    import fsspec

    fs, path = fsspec.core.url_to_fs(url)
    return fs, str(path)


class Disk:
    """fsspec's file system of this machine. What is asked in every validation is answered here, in the same words; all else by fsspec."""

    protocol = "file", "local"
    local_file = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_whole(), name)

    def info(self, path: str) -> dict[str, Any]:
        """Its `name`, `type` and `size`, of what a link means; `FileNotFoundError`."""
        itself = os.stat(path, follow_symlinks=False)  # noqa: PTH116 (a Path of each of thousands of files takes longer than this)
        there = os.stat(path) if stat.S_ISLNK(itself.st_mode) else itself  # noqa: PTH116
        kind = "directory" if stat.S_ISDIR(there.st_mode) else "file" if stat.S_ISREG(there.st_mode) else "other"
        return {"name": path.rstrip("/") or "/", "type": kind, "size": there.st_size}

    def ls(self, path: str, detail: bool = True) -> list[Any]:
        """The paths in a folder, or the file itself; `detail` gives the infos."""
        if detail:
            return list(_whole().ls(path, detail=True))
        above = path.rstrip("/")
        return [f"{above}/{name}" for name in os.listdir(path)] if self.isdir(path) else [self.info(path)["name"]]  # noqa: PTH208

    def exists(self, path: str) -> bool:
        """Whether something is there."""
        return os.path.exists(path)  # noqa: PTH110

    def isdir(self, path: str) -> bool:
        """Whether a folder is there."""
        return os.path.isdir(path)  # noqa: PTH112


@cache
def _whole() -> Any:
    import fsspec

    return fsspec.filesystem("file")


def without_dots(template: str) -> str:
    """A path on a disk without `..`: Spark names the files that it reads without, and links are followed as the system follows them."""
    above, dots, below = template.rpartition("/../")
    return template if not dots or "://" in template else f"{os.path.realpath(above + '/..').rstrip('/')}/{below}"
