"""What one task reads of a file, and what every reader of files promises.

Arrow reads only what it reads as Spark would. Whatever it would read otherwise, or not at all, it declines: the batch then goes through
Spark's own reader. So both readers give the same states, and nothing depends on which of them is chosen but the time it takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any, Protocol, runtime_checkable

import pyarrow as pa

from avh_ui.errors import SourceError, denied, sentence_of
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.disk import file_system
from avh_ui.scan.other_formats import HEAD_BYTES, another_kind
from avh_ui.scan.packed import codec_of


@dataclass(frozen=True)
class Share:
    """A part of a file: its row groups or stripes (`parts`), or of lines those that begin in the bytes from `start` to `stop` (None = to
    the end); the whole file without either. `path` is as fsspec opens it, `size` about its bytes.

    `batch` is '' where a column of the rows says which batch they are of.
    """

    batch: str
    path: str
    size: int
    parts: tuple[int, ...] | None = None
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True)
class Opener:
    """Opens files of the file system that a URL is on, in whatever process."""

    url: str

    @property
    def local(self) -> bool:
        """Whether they are on a disk of the machine."""
        return bool(getattr(_file_system(self.url), "local_file", False))

    def __call__(self, path: str) -> pa.NativeFile | IO[bytes]:
        """A file for reading bytes, which can be closed and sought in; `OSError` when it cannot be opened."""
        return pa.OSFile(path) if self.local else _file_system(self.url).open(path, "rb")

    def refusal(self, path: str, error: OSError | pa.ArrowException) -> SourceError | DeclinedError:
        """What is said of a file that could not be read: a `SourceError` where that is a fault of the file's."""
        if not self.local or isinstance(error, pa.ArrowNotImplementedError):
            # Nothing is wrong with a file of what Arrow alone lacks.
            # Spark has credentials and packages of its own for what is not on a disk.
            return DeclinedError(f"{path} cannot be read by Arrow ({sentence_of(error)})")
        if refused := denied(path, error):
            return refused
        if codec_of(path) and (told := _another_kind(path)):
            return told
        why = "it vanished while it was read." if isinstance(error, FileNotFoundError) else sentence_of(error)
        return SourceError(f"The file {path} cannot be read: {why}")


def _another_kind(path: str) -> SourceError | None:
    """As what else a packed file begins than its name says; None where that does not tell."""
    try:
        with pa.OSFile(path) as file:
            return another_kind(file.read(HEAD_BYTES), path, "")
    except OSError:
        return None


# A task opens thousands of files of one source; finding their file system takes 0.1 ms.
@cache
def _file_system(url: str) -> Any:
    return file_system(url)[0]


class RowReader(Protocol):
    """Reads shares of the files that it was made for. It is pickled to the tasks."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows with the types that Spark gives them, in Arrow's words; partition columns last, as Spark has them."""
        ...

    @property
    def flagged(self) -> bool:
        """Whether the rows have one more column, the last: whether the line was malformed."""
        ...

    def read(self, share: Share, open_file: Opener, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """The rows of a share: the columns of `schema` at these places, in that order, and the flag where lines are flagged.

        Text columns may be dictionaries. `DeclinedError` for what Spark would read otherwise; what a damaged or vanished file raises
        (`OSError`, `pa.ArrowException`) is the caller's.
        """
        ...


@runtime_checkable
class ReadsTogether(Protocol):
    """A reader that reads small files at once, where each by itself costs by the call."""

    def together(self, shares: Sequence[Share], open_file: Opener, places: Sequence[int]) -> dict[Share, pa.RecordBatch]:
        """The rows of those of these whole files that can be read at once, as `RowReader.read` gives them; the others are left to it, and
        so is what is wrong with them.
        """
        ...
