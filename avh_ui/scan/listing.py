"""Which batches a pipeline has at its source, and where their files are."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from avh_ui.config_places import DATE_PARTS
from avh_ui.errors import AvhError, BatchNotFoundError, NoFolderError, SourceError
from avh_ui.history.ranges import nearest_batches
from avh_ui.history.series import sort_batches
from avh_ui.scan.absent import nearest_to
from avh_ui.scan.batch_ids import in_spark_path
from avh_ui.scan.disk import file_system, without_dots
from avh_ui.scan.path_places import MARK, PathPlaces, as_glob
from avh_ui.scan.snapshots import current, require_current
from avh_ui.scan.tree import Tree

if TYPE_CHECKING:
    from avh_ui.config import Source

# What writers leave in a folder while they write: Spark's and Hadoop's committers, Spark's overwriting of partitions, `hdfs dfs -put`.
_UNFINISHED = re.compile(r"_temporary|\.spark-staging.*|.*\._COPYING_")
_LEFTOVER = re.compile(rf"{_UNFINISHED.pattern}|_SUCCESS|\..*\.crc")
_SUCCESS = "_SUCCESS"
# So many batches beside one say whether finished ones have a mark: three of them outvote a change of the writer.
_SIBLINGS = 5
_FIRST_PLACE = re.compile(r"[\x00-\x06*]")
# An object store answers a walk with 1,000 files a request, and of a batch's folder it is asked twice.
_WALKED_FOR = 16
# So many seconds a walk through a store is believed: a long history is profiled in chunks of batches, and files come and go meanwhile.
_BELIEVED = 60


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
        self.template = template = without_dots(template)
        self._marks: dict[str, bool] = {}
        self._read_once = False
        self._source, self._now = source, current(source)
        self._walked: tuple[float, Tree] | None = None
        self._places = PathPlaces(template)
        self.fs, self._path = file_system(self._places.marked(template))
        self._glob = as_glob(self._path)
        self._pattern = self._places.pattern(self._path)

    def batches(self) -> list[str]:
        """Batch ids present now; `SourceError` when the folder they should be in is not there."""
        if self._now:
            return [self._now] if self._candidates() else []
        matches = (self._pattern.match(path) for path in self._candidates() if not self._leftover(path))
        found = sort_batches({batch for m in matches if m and (batch := self._places.id_of(m))})
        if not found and not self.fs.exists(self._above):
            raise NoFolderError(f"The source's folder {self._above} does not exist.", hint="Was it moved, or is a drive not mounted?")
        return found

    def partitions(self, source: Source) -> FileListing | None:
        """The listing of the partitions of this source's table by its batch column, or those of a date; None where no folder is a batch."""
        key = source.key
        if key is None or not (key.column or key.calendar):
            return None
        places = zip(key.columns, DATE_PARTS if key.calendar else ("batch",), strict=False)
        path = "/".join((self.template.rstrip("/"), *(f"{column}={{{place}}}" for column, place in places)))
        return FileListing(source.model_copy(update={"path": path}), Path())

    @property
    def _above(self) -> str:
        """The folder that all batches are in or below."""
        return _FIRST_PLACE.split(self._path)[0].rpartition("/")[0]

    def without_a_byte(self, batches: Collection[str]) -> set[str]:
        """Those of the batches whose files are all empty."""
        return {found.batch for found in self.locate_each(batches) if isinstance(found, Files) and not found.size}

    def _leftover(self, path: str) -> bool:
        """Whether a path is what a writer has left beside the batches, or what Spark passes over in a glob."""
        name = path.rsplit("/", 1)[-1]
        return bool(_LEFTOVER.fullmatch(name)) or ("*" in self._path and _hidden(name))

    def _candidates(self) -> list[str]:
        """Paths among which are those of all batches."""
        if self._now and "*" not in self._path:
            return [self._path] if self.fs.exists(self._path) else []
        folder, _, name = self._path.rpartition("/")
        if not MARK.search(name) or MARK.search(folder) or "*" in self._path:
            return [str(path) for path in self.fs.glob(self._glob)]
        # Names alone: a glob looks at every file, which is four times as slow, and long histories are listed often.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return [str(path) for path in self.fs.ls(folder, detail=False)]
        return []

    def locate(self, batch: str) -> Files:
        """Where a batch is; `BatchNotFoundError` when nothing is there now, `SourceError` for an id that no name of a file can be."""
        return self._locate(batch, Tree(self.fs))

    def locate_each(self, batches: Collection[str]) -> Iterator[Files | AvhError | OSError]:
        """Where each batch is, or what `locate` raises for it; of many in an object store one walk tells."""
        tree = self._tree(len(batches))
        for batch in batches:
            try:
                yield self._locate(batch, tree)
            except (AvhError, OSError) as error:
                yield error

    def _tree(self, batches: int) -> Tree:
        if batches < _WALKED_FOR or getattr(self.fs, "local_file", False) or not self._above:
            return Tree(self.fs)
        if self._walked is None or time.monotonic() - self._walked[0] > _BELIEVED:
            self._walked = time.monotonic(), Tree(self.fs, self._above)
        return self._walked[1]

    def _locate(self, batch: str, tree: Tree) -> Files:
        require_current(self._source, batch, self._now)
        path = self._filled(batch)
        # One that is named outright is read whatever its name.
        found = [path] if "*" not in path else [p for p in tree.matching(path) if self._is_of(batch, p)]
        infos = [info for p in found if (info := tree.info(p))]
        if not infos and tree.walked:
            return self._locate(batch, Tree(self.fs))  # it may have come since
        if not infos:
            raise BatchNotFoundError(f"Batch {batch!r} is not at {self.place(batch)}.", hint=nearest_batches(batch, self.batches()))
        return self._files(batch, infos, tree)

    def _filled(self, batch: str) -> str:
        if not self._read_once and self._places.parts:
            self._read_once = True
            self.batches()  # it tells whether months and days have their zero, and seconds their thousandths
        return self._places.filled(self._path, batch)

    def place(self, batch: str) -> str:
        """Where a batch is, as people read it."""
        return self._places.filled(self._places.marked(self.template), batch)

    def url(self, batch: str | None) -> str:
        """What Spark's reader is to load: of a batch, or of the table that holds all."""
        marked = self._places.marked(self.template)
        if batch is None:
            return MARK.sub("", marked)
        return self._places.filled(marked, batch if self._places.parts else in_spark_path(batch))

    def url_of(self, path: str) -> str:
        """A path as Spark reads it: with the scheme and host of the template, and nothing in it a glob."""
        start, static = _FIRST_PLACE.split(self._places.marked(self.template))[0], _FIRST_PLACE.split(self._path)[0]
        whole = start + path[len(static) :] if path.startswith(static) else path
        scheme, mark, rest = whole.rpartition("://")
        return scheme + mark + re.sub(r"([\\{}\[\]*?])", r"\\\1", rest)

    def open(self, path: str) -> Any:
        """A file, opened for reading bytes; `OSError` when it cannot be."""
        # fsspec's own wrapper of a local file costs Python calls for each read of a footer: 0.10 ms a file, and 0.07 without.
        return pa.OSFile(path) if getattr(self.fs, "local_file", False) else self.fs.open(path, "rb")

    def unfinished(self, files: Files) -> str:
        """Why a batch seems to be still in writing, as a sentence; '' when nothing says so."""
        if files.left:
            return f"Batch {files.batch!r} is still being written: there is {files.left}."
        if self._places.filled(self._path.rsplit("/", 1)[-1], files.batch) in self._staged:
            return f"Batch {files.batch!r} is still being written: it is in {' and '.join(self._staging)} beside it."
        if files.marked is not False or (at := self._order.get(files.batch)) is None:
            return ""
        around = (k for away in range(1, _SIBLINGS + 1) for k in (at - away, at + away))
        beside = [k for k in around if 0 <= k < len(self._batches)][:_SIBLINGS]
        marks = sum(self._has_mark(self._batches[k]) for k in beside)
        if 2 * marks <= len(beside):
            return ""
        return f"Batch {files.batch!r} is still being written: its folder has no {_SUCCESS}, as {marks} of {len(beside)} beside it have."

    @cached_property
    def _staging(self) -> list[str]:
        """What a writer at work has left beside the batches."""
        folder = self._path.rpartition("/")[0]
        if MARK.search(folder) or "*" in folder or not self.fs.isdir(folder):
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

    @cached_property
    def _order(self) -> dict[str, int]:
        # A path outside the source names no batch, and what is beside it says nothing of it.
        return {batch: at for at, batch in enumerate(self._batches)} if MARK.search(self._path) else {}

    def _has_mark(self, batch: str) -> bool:
        if batch not in self._marks:
            folder = self._folder(batch)
            self._marks[batch] = bool(folder) and bool(self.fs.exists(f"{folder}/{_SUCCESS}"))
        return self._marks[batch]

    def _folder(self, batch: str) -> str:
        """The folder of a batch alone, as far as its path says; '' where several batches share one."""
        path = self._filled(batch).rstrip("/")
        above = path.rpartition("/")[0]
        return path if "*" not in path else above if MARK.search(self._path.rpartition("/")[0]) and "*" not in above else ""

    def _is_of(self, batch: str, path: str) -> bool:
        """Whether what a glob matched is the batch's: `2024_*` matches the files of a batch `2024_01` too."""
        match = self._pattern.match(path)
        return not _hidden(path.rsplit("/", 1)[-1]) and (match is None or not match.groups() or self._places.id_of(match) == batch)

    def _files(self, batch: str, infos: list[dict[str, Any]], tree: Tree) -> Files:
        parts, left = [], ""
        marked: bool | None = None
        if "*" in self._path and (folder := self._folder(batch)):
            beside = tree.names(folder)
            left, marked = next(filter(_UNFINISHED.fullmatch, beside), ""), _SUCCESS in beside
            self._marks[batch] = marked
        for info in infos:
            root = str(info["name"])
            if info.get("type") != "directory":
                parts.append(ListedFile(root, int(info.get("size") or 0)))
                continue
            below = tree.below(root)
            left = left or next((path for path in sorted(below) if any(map(_UNFINISHED.fullmatch, path.split("/")))), "")
            marked = _SUCCESS in below
            if "*" not in self._path:
                self._marks[batch] = marked
            data = (f for path, f in below.items() if f.get("type") != "directory" and not any(map(_hidden, path.split("/"))))
            parts += [ListedFile(str(f["name"]), int(f.get("size") or 0)) for f in data]
        if not parts and not left:
            raise SourceError(f"The batch folder {infos[0]['name']} holds no data files.")
        return Files(batch, tuple(str(info["name"]) for info in infos), tuple(sorted(parts, key=lambda p: p.path)), left, marked)


def _hidden(name: str) -> bool:
    """Whether Spark passes over a file or folder of that name."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def outside(path: str) -> tuple[FileListing, Files]:
    """A listing of one file or folder that is not of the source; `BatchNotFoundError` when it is not there."""
    from avh_ui.config import Source

    # Unchecked: its braces are no places.
    listing = FileListing(Source.model_construct(path=path, batch_column="-"), Path.cwd())
    name = Path(path).name or path  # what is said of it; it is in no template
    try:
        return listing, listing.locate(name)
    except BatchNotFoundError as error:
        raise BatchNotFoundError(f"{listing.place(name)} is not there.", hint=nearest_to(path)) from error
