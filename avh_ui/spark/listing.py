"""Which batches a pipeline has at its source, and where their files are."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec

from avh_ui.config import Source
from avh_ui.errors import BatchNotFoundError, SourceError, nearest
from avh_ui.history.series import sort_batches
from avh_ui.spark.batch_ids import in_path, in_spark_path


@dataclass(frozen=True)
class Files:
    """A batch's file or folder: `url` as Spark reads it, `path` as fsspec opens it, `size` in bytes."""

    batch: str
    url: str
    path: str
    size: int


class FileListing:
    """The files behind a path template such as `data/flights/{batch}.parquet`; relative ones are below the workspace."""

    def __init__(self, source: Source, root: Path) -> None:
        template = source.path
        if "://" not in template and not Path(template).is_absolute():
            template = str(root / template)
        self.template = template
        self.fs, self._path = fsspec.core.url_to_fs(template.replace("{batch}", "\x00"))
        self._glob = _escape_glob(self._path).replace("\x00", "*")
        parts = [re.escape(p).replace(r"\*", "[^/]*") for p in self._path.split("\x00")]
        # The same id may stand in the template twice: folder and file.
        pattern = parts[0] + "".join(("([^/]+)" if i == 0 else r"\1") + p for i, p in enumerate(parts[1:]))
        self._pattern = re.compile(pattern + r"/?$")

    def batches(self) -> list[str]:
        """Batch ids present now; `SourceError` when the folder they should be in is not there."""
        matches = (self._pattern.match(str(path)) for path in self._candidates())
        found = sort_batches(m.group(1) for m in matches if m)
        folder = re.split(r"[\x00*]", self._path)[0].rpartition("/")[0]
        if not found and not self.fs.exists(folder):
            raise SourceError(f"The source's folder {folder} does not exist.", hint="Was it moved, or is a drive not mounted?")
        return found

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
        found = sorted(map(str, self.fs.glob(_escape_glob(path)))) if "*" in path else [path]
        infos = [info for p in found if (info := self._info(p))]
        if not infos:
            hint = nearest(batch, self.batches())
            raise BatchNotFoundError(f"Batch {batch!r} is not at {self.template.replace('{batch}', batch)}.", hint=hint)
        return Files(batch, self.url(batch), str(infos[0]["name"]), sum(self._size(i) for i in infos))

    def url(self, batch: str | None) -> str:
        """What Spark's reader is to load: of a batch, or of the table that holds all."""
        return self.template.replace("{batch}", "" if batch is None else in_spark_path(batch))

    def open_first(self, files: Files) -> Any:
        """The batch's first data file, opened for reading bytes."""
        return self.fs.open(self.data_files(files.path)[0], "rb")

    def data_files(self, path: str) -> list[str]:
        """The data files of a file or folder, without Spark's markers (`_SUCCESS`, `.crc`)."""
        if not self.fs.isdir(path):
            return [path]
        names = sorted(str(p) for p in self.fs.find(path))
        data = [p for p in names if not p.rsplit("/", 1)[-1].startswith(("_", "."))]
        if not data:
            raise SourceError(f"The batch folder {path} holds no data files.")
        return data

    def _info(self, path: str) -> dict[str, Any] | None:
        try:
            return dict(self.fs.info(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _size(self, info: dict[str, Any]) -> int:
        if info.get("type") == "directory":
            return sum(int(self.fs.size(p) or 0) for p in self.fs.find(info["name"]))
        return int(info.get("size") or 0)


def _escape_glob(path: str) -> str:
    # A `*` in the template is a glob on purpose; brackets and question marks are part of names.
    return re.sub(r"([\[\]?])", r"[\1]", path)


def outside(path: str) -> tuple[FileListing, Files]:
    """A listing of one file or folder that is not of the source; `BatchNotFoundError` when it is not there."""
    listing = FileListing(Source(path=path, batch_column="-"), Path.cwd())
    return listing, listing.locate("input")  # a name for what is in no template
