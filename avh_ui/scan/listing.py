"""Which batches a pipeline has at its source, and where their files are."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import fsspec

from avh_ui.config import Source
from avh_ui.errors import BatchNotFoundError, SourceError, nearest
from avh_ui.history.series import sort_batches
from avh_ui.scan.batch_ids import in_path, in_spark_path

# What writers leave in a folder while they write: Spark's and Hadoop's committers, Spark's overwriting of partitions, `hdfs dfs -put`.
_UNFINISHED = re.compile(r"_temporary|\.spark-staging.*|.*\._COPYING_")
_LEFTOVER = re.compile(rf"{_UNFINISHED.pattern}|_SUCCESS|\..*\.crc")
_SUCCESS = "_SUCCESS"
# So many batches beside one say whether finished ones have a mark: three of them outvote a change of the writer.
_SIBLINGS = 5


@dataclass(frozen=True)
class ListedFile:
    """One data file: its path as fsspec opens it, and its size in bytes."""

    path: str
    size: int


@dataclass(frozen=True)
class Files:
    """A batch's files: `roots` are the file, the folder or what a glob matched, `parts` the data files in them, by path.

    `left` is what a writer at work has left there ('' for nothing), `marked` whether it is a folder with Spark's mark of a finished one
    (None = it is no folder).
    """

    batch: str
    roots: tuple[str, ...]
    parts: tuple[ListedFile, ...]
    left: str = ""
    marked: bool | None = None

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(part.size for part in self.parts)

    @property
    def empty(self) -> int:
        """How many of the data files hold no byte."""
        return sum(not part.size for part in self.parts)

    def name(self, path: str) -> str:
        """What people call one of its files: its place in the batch's folder, else its own name."""
        folder = next((root for root in self.roots if path.startswith(root + "/")), path.rpartition("/")[0])
        return path[len(folder) :].strip("/")


class FileListing:
    """The files behind a path template such as `data/flights/{batch}.parquet`; relative ones are below the workspace."""

    def __init__(self, source: Source, root: Path) -> None:
        template = source.path
        if "://" not in template and not Path(template).is_absolute():
            template = str(root / template)
        self.template = template
        self._marks: dict[str, bool] = {}
        self.fs, self._path = fsspec.core.url_to_fs(template.replace("{batch}", "\x00"))
        self._glob = _escape_glob(self._path).replace("\x00", "*")
        parts = [re.escape(p).replace(r"\*", "[^/]*") for p in self._path.split("\x00")]
        # The same id may stand in the template twice: folder and file.
        pattern = parts[0] + "".join(("([^/]+)" if i == 0 else r"\1") + p for i, p in enumerate(parts[1:]))
        self._pattern = re.compile(pattern + r"/?$")

    def batches(self) -> list[str]:
        """Batch ids present now; `SourceError` when the folder they should be in is not there."""
        matches = (self._pattern.match(path) for path in self._candidates() if not self._leftover(path))
        found = sort_batches(m.group(1) for m in matches if m)
        folder = re.split(r"[\x00*]", self._path)[0].rpartition("/")[0]
        if not found and not self.fs.exists(folder):
            raise SourceError(f"The source's folder {folder} does not exist.", hint="Was it moved, or is a drive not mounted?")
        return found

    def partitions(self, source: Source) -> FileListing:
        """The listing of the partitions of this source's table by its batch column."""
        path = f"{self.template.rstrip('/')}/{source.batch_column}={{batch}}"
        return FileListing(source.model_copy(update={"path": path}), Path())

    def without_a_byte(self, batches: Iterable[str]) -> set[str]:
        """Those of the batches whose files are all empty."""
        found = set()
        for batch in batches:
            with contextlib.suppress(SourceError, OSError):
                if not self.locate(batch).size:
                    found.add(batch)
        return found

    def _leftover(self, path: str) -> bool:
        """Whether a path is what a writer has left beside the batches, or what Spark passes over in a glob."""
        name = path.rsplit("/", 1)[-1]
        return bool(_LEFTOVER.fullmatch(name)) or ("*" in self._path and _hidden(name))

    def _candidates(self) -> list[str]:
        """Paths among which are those of all batches."""
        folder, _, name = self._path.rpartition("/")
        if "\x00" not in name or "\x00" in folder or "*" in self._path:
            return [str(path) for path in self.fs.glob(self._glob)]
        # Names alone: a glob looks at every file, which is four times as slow, and long histories are listed often.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return [str(path) for path in self.fs.ls(folder, detail=False)]
        return []

    def locate(self, batch: str) -> Files:
        """Where a batch is; `BatchNotFoundError` when nothing is there now, `SourceError` for an id that no name of a file can be."""
        path = self._path.replace("\x00", in_path(batch))
        # One that is named outright is read whatever its name.
        found = [path] if "*" not in path else [p for p in sorted(map(str, self.fs.glob(_escape_glob(path)))) if self._is_of(batch, p)]
        infos = [info for p in found if (info := self._info(p))]
        if not infos:
            hint = nearest(batch, self.batches())
            raise BatchNotFoundError(f"Batch {batch!r} is not at {self.template.replace('{batch}', batch)}.", hint=hint)
        return self._files(batch, infos)

    def url(self, batch: str | None) -> str:
        """What Spark's reader is to load: of a batch, or of the table that holds all."""
        return self.template.replace("{batch}", "" if batch is None else in_spark_path(batch))

    def url_of(self, path: str) -> str:
        """A path as Spark reads it: with the scheme and host of the template, and nothing in it a glob."""
        start, static = re.split(r"\{batch\}|\*", self.template)[0], re.split(r"[\x00*]", self._path)[0]
        whole = start + path[len(static) :] if path.startswith(static) else path
        scheme, mark, rest = whole.rpartition("://")
        return scheme + mark + re.sub(r"([\\{}\[\]*?])", r"\\\1", rest)

    def open(self, path: str) -> Any:
        """A file, opened for reading bytes."""
        return self.fs.open(path, "rb")

    def unfinished(self, files: Files) -> str:
        """Why a batch seems to be still in writing, as a sentence; '' when nothing says so."""
        if files.left:
            return f"Batch {files.batch!r} is still being written: there is {files.left}."
        if self._path.rsplit("/", 1)[-1].replace("\x00", files.batch) in self._staged:
            return f"Batch {files.batch!r} is still being written: it is in {' and '.join(self._staging)} beside it."
        if files.marked is not False or files.batch not in (there := self._batches):
            return ""
        at = there.index(files.batch)
        beside = sorted((k for k in range(len(there)) if k != at), key=lambda k: (abs(k - at), k))[:_SIBLINGS]
        marks = sum(self._has_mark(there[k]) for k in beside)
        if 2 * marks <= len(beside):
            return ""
        return f"Batch {files.batch!r} is still being written: its folder has no {_SUCCESS}, as {marks} of {len(beside)} beside it have."

    @cached_property
    def _staging(self) -> list[str]:
        """What a writer at work has left beside the batches."""
        folder = self._path.rpartition("/")[0]
        if "\x00" in folder or "*" in folder or not self.fs.isdir(folder):
            return []
        return sorted(name for path in self.fs.ls(folder, detail=False) if _UNFINISHED.fullmatch(name := str(path).rsplit("/", 1)[-1]))

    @cached_property
    def _staged(self) -> set[str]:
        """The names of what is in there: a writer of a partitioned table stages the folders of the partitions that it writes."""
        folder = self._path.rpartition("/")[0]
        paths = (str(path) for name in self._staging for path in self.fs.find(f"{folder}/{name}", withdirs=True))
        return {piece for path in paths for piece in path.split("/")}

    @cached_property
    def _batches(self) -> list[str]:
        return self.batches()

    def _has_mark(self, batch: str) -> bool:
        if batch not in self._marks:
            folder = self._folder(batch)
            self._marks[batch] = bool(folder) and bool(self.fs.exists(f"{folder}/{_SUCCESS}"))
        return self._marks[batch]

    def _folder(self, batch: str) -> str:
        """The folder of a batch alone, as far as its path says; '' where several batches share one."""
        path = self._path.replace("\x00", batch).rstrip("/")
        above = path.rpartition("/")[0]
        return path if "*" not in path else above if "\x00" in self._path.rpartition("/")[0] and "*" not in above else ""

    def _is_of(self, batch: str, path: str) -> bool:
        """Whether what a glob matched is the batch's: `2024_*` matches the files of a batch `2024_01` too."""
        match = self._pattern.match(path)
        return not _hidden(path.rsplit("/", 1)[-1]) and (match is None or not match.groups() or match.group(1) == batch)

    def _files(self, batch: str, infos: list[dict[str, Any]]) -> Files:
        parts, left = [], ""
        marked: bool | None = None
        if "*" in self._path and (folder := self._folder(batch)):
            beside = [str(path).rsplit("/", 1)[-1] for path in self.fs.ls(folder, detail=False)]
            left, marked = next(filter(_UNFINISHED.fullmatch, sorted(beside)), ""), _SUCCESS in beside
        for info in infos:
            root = str(info["name"])
            if info.get("type") != "directory":
                parts.append(ListedFile(root, int(info.get("size") or 0)))
                continue
            below = self.fs.find(root, withdirs=True, detail=True)
            names = {str(path)[len(root) :].strip("/"): found for path, found in below.items()}
            left = left or next((path for path in sorted(names) if any(map(_UNFINISHED.fullmatch, path.split("/")))), "")
            marked = _SUCCESS in names
            data = (n for n, found in names.items() if found.get("type") != "directory" and not any(map(_hidden, n.split("/"))))
            parts += [ListedFile(str(names[name]["name"]), int(names[name].get("size") or 0)) for name in data]
        if not parts and not left:
            raise SourceError(f"The batch folder {infos[0]['name']} holds no data files.")
        return Files(batch, tuple(str(info["name"]) for info in infos), tuple(sorted(parts, key=lambda p: p.path)), left, marked)

    def _info(self, path: str) -> dict[str, Any] | None:
        try:
            return dict(self.fs.info(path))
        except (FileNotFoundError, NotADirectoryError):
            return None


def _hidden(name: str) -> bool:
    """Whether Spark passes over a file or folder of that name."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def _escape_glob(path: str) -> str:
    # A `*` in the template is a glob on purpose; brackets and question marks are part of names.
    return re.sub(r"([\[\]?])", r"[\1]", path)


def outside(path: str) -> tuple[FileListing, Files]:
    """A listing of one file or folder that is not of the source; `BatchNotFoundError` when it is not there."""
    listing = FileListing(Source(path=path, batch_column="-"), Path.cwd())
    return listing, listing.locate("input")  # a name for what is in no template
