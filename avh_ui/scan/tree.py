"""What is in the folders of a file system, asked as seldom as can be: an object store answers a request in the time of a small file."""

from __future__ import annotations

import contextlib
import os
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any


class Tree:
    """Answers what is where, now, and remembers the names in folders that it has listed; with `walked` it has walked through that folder
    once before, and answers from that what it has seen there. A folder that cannot be listed is one without files, as in fsspec's globs.
    """

    def __init__(self, fs: Any, walked: str = "") -> None:
        self._fs = fs
        self.walked = walked
        self._names: dict[str, list[str]] = {}
        self._infos: dict[str, dict[str, Any]] = {}
        if walked:
            found = fs.find(walked, withdirs=True, detail=True)
            self._infos = {str(path).rstrip("/"): dict(info) for path, info in found.items()}
            for path in sorted(self._infos):
                folder, _, name = path.rpartition("/")
                if path != walked:
                    self._names.setdefault(folder, []).append(name)

    def info(self, path: str) -> dict[str, Any] | None:
        """Its `name`, `type` and `size`, as fsspec has them; None when nothing is there."""
        if path in self._infos:
            return self._infos[path]
        try:
            return dict(self._fs.info(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, folder: str) -> list[str]:
        """What is in a folder, sorted."""
        if folder not in self._names:
            try:
                self._names[folder] = sorted(str(path).rstrip("/").rsplit("/", 1)[-1] for path in self._fs.ls(folder or "/", detail=False))
            except OSError:
                self._names[folder] = []
        return self._names[folder]

    def below(self, root: str) -> dict[str, dict[str, Any]]:
        """What is in a folder and those below it, with its `type` and `size`, by its path from there."""
        if root in self._infos:
            return {path[len(root) + 1 :]: self._infos[path] for path in self._walk(root)}
        if getattr(self._fs, "local_file", False):
            return {info["name"][len(root) :].lstrip("/"): info for info in _on_disk(root)}
        found = self._fs.find(root, withdirs=True, detail=True)
        return {str(path)[len(root) :].strip("/"): dict(info) for path, info in found.items()}

    def _walk(self, folder: str) -> list[str]:
        paths = [f"{folder}/{name}" for name in self._names.get(folder, ())]
        return paths + [path for inner in paths for path in self._walk(inner)]

    def matching(self, pattern: str) -> list[str]:
        """The paths that a pattern with `*` for any characters but `/` may mean, sorted; whether they are there, `info` says."""
        if "**" in pattern:
            return sorted(map(str, self._fs.glob(re.sub(r"([\[\]?])", r"[\1]", pattern))))
        head, *rest = re.split(r"/(?=[^/]*\*)", pattern)
        paths = [head]
        for piece in rest:
            segment, _, static = piece.partition("/")
            below = static and f"/{static}"
            paths = [f"{path}/{name}{below}" for path in paths for name in self._named(path, segment)]
        return sorted(paths)

    def _named(self, folder: str, segment: str) -> list[str]:
        """The names in a folder that match; of many files the few that begin as the pattern does are looked at."""
        names, start = self.names(folder), segment.partition("*")[0]
        at = bisect_left(names, start)
        match = re.compile(re.escape(segment).replace(r"\*", "[^/]*")).fullmatch
        found = []
        while at < len(names) and names[at].startswith(start):
            found += [names[at]] if match(names[at]) else []
            at += 1
        return found


def _on_disk(folder: str) -> Iterator[dict[str, Any]]:
    """What fsspec finds on a disk, in a third of its time: a link to a folder is not followed, and what cannot be listed is left out."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            within = entry.is_dir(follow_symlinks=False)
            try:
                size = entry.stat(follow_symlinks=not within).st_size
            except OSError:
                if not entry.is_symlink():
                    continue  # it has vanished just now
                size = 0
            yield {"name": entry.path, "type": "directory" if within else "file", "size": size}
            if within:
                yield from _on_disk(entry.path)
