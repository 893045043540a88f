"""The first line of a CSV file: the names of its columns, as Spark finds them.

A plain first line is cut here, which costs nothing. Whatever needs Spark's own parser (quotes in quotes, options such as `comment`,
`escape`, `lineSep`, `multiLine`, an encoding of several bytes) is asked of Spark, once per distinct first line. What Spark would read
wrongly without a word is refused.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.spark.first_lines import looks_like_data, looks_like_header

# A first line is rarely longer; one that is longer than the second is no header.
HEAD_BYTES, HEADER_BYTES = 1 << 16, 1 << 20
# Spark finds a file's codec by the end of its name; those that are None only Spark can read.
_CODECS = {
    ".gz": "gzip", ".gzip": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd", ".deflate": "deflate", ".lz4": None, ".snappy": None,
}  # fmt: skip
_MAGIC = {b"\x1f\x8b": ("gzip", ".gz"), b"BZh": ("bzip2", ".bz2"), b"\x28\xb5\x2f\xfd": ("zstd", ".zst"), b"PK\x03\x04": ("ZIP", "")}
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# One byte per character, or UTF-8: a line ends at a byte that is nothing else.
_PLAIN_ENCODINGS = frozenset({"utf-8", "ascii", "iso8859-1"})
# Options that change where a line ends or what a name is; a plain line is the same without them.
_EXOTIC = ("comment", "escape", "linesep", "multiline", "chartoescapequoteescaping", "unescapedquotehandling", "maxcolumns")
_CONTENT = re.compile(r"\S")
_LINE = re.compile(r"\r\n|\n|\r")
# So many lines below the first say what the columns hold.
_LOOK = 20

Ask = Callable[[], list[str]]


@dataclass(frozen=True)
class FirstLine:
    """A file's column names; whether rows follow (None = cannot be told), and remarks on what the line looks like."""

    names: tuple[str, ...]
    rows: bool | None
    remarks: tuple[str, ...] = ()


class Dialect:
    """How a source's options say that CSV is read. `cache` holds what Spark has answered."""

    def __init__(self, source: Source) -> None:
        self.options: Mapping[str, str] = {k.lower(): v for k, v in source.options.items()}
        self._cache: dict[str, list[str]] = {}

    def first_line(self, path: str, stream: Any, ask: Ask) -> FirstLine | None:
        """The names of the file's columns, from its stream of bytes; None when it has no content.

        `ask` gives the names that Spark finds. `SourceError` for what Spark would misread; what a damaged file raises is the caller's.
        """
        self._refuse_encoding(path)
        read = text_reader(stream, path)
        if read is None:
            return FirstLine(tuple(self._named(ask(), path)), None)
        head = read(HEAD_BYTES)
        self._refuse(head, path)
        found = self._record(head) or self._record(head + read(HEADER_BYTES - HEAD_BYTES), at_end=True)
        if found is None:
            return None
        record, rest = found
        if self.has_header and not self._multi and self._open(record):
            text = f"{path} cannot be read: its first line ends inside quotes, so a column's name has a line break."
            raise SourceError(text, hint="Set `multiLine: true` in the options of its source.")
        names = self._named(self._names(record, ask), path)
        rows = None if self.options.get("comment") else _CONTENT.search(rest) is not None or not self.has_header
        return FirstLine(tuple(names), rows, tuple(self._remarks(path, record, rest)))

    @property
    def has_header(self) -> bool:
        """Whether the first line holds the names."""
        return self.options.get("header", "false").lower() == "true"

    @cached_property
    def _encoding(self) -> str:
        name = self.options.get("encoding", self.options.get("charset", "utf-8"))
        try:
            return codecs.lookup(name).name
        except LookupError:
            return name

    @property
    def _multi(self) -> bool:
        return self.options.get("multiline", "false").lower() == "true"

    @property
    def _quote(self) -> str:
        return self.options.get("quote", '"')

    def _open(self, record: str) -> bool:
        """Whether a line ends inside quotes."""
        escape = self.options.get("escape", "\\")
        plain = record.replace(escape + self._quote, "") if escape and escape != self._quote else record
        return bool(self._quote) and plain.count(self._quote) % 2 == 1

    @property
    def _sep(self) -> str:
        return self.options.get("sep", self.options.get("delimiter", ","))

    @cached_property
    def _plain(self) -> re.Pattern[str] | None:
        """What a line that needs no parser looks like; None when the options ask for one."""
        if (
            self._encoding not in _PLAIN_ENCODINGS
            or any(o in self.options for o in _EXOTIC)
            or len(self._sep) != 1
            or len(self._quote) != 1
        ):
            return None
        sep, quote = re.escape(self._sep), re.escape(self._quote)
        field = rf"(?:{quote}[^{quote}\\]*{quote}|(?!{quote})[^{sep}{quote}\\]*)"
        return re.compile(rf"{field}(?:{sep}{field})*")

    def _names(self, record: str, ask: Ask) -> list[str]:
        if self._plain is not None and self._plain.fullmatch(record):
            fields = self._split(record)
            names = [name if name != self.options.get("nullvalue") else "" for name in fields]
            return names if self.has_header else [f"_c{i}" for i in range(len(fields))]
        if not self.has_header:
            # The first lines of all files differ, and a wrong number of columns makes every row malformed, which is told.
            return [f"_c{i}" for i in range(self._count(record))]
        if record not in self._cache:
            self._cache[record] = ask()
        return self._cache[record]

    def _count(self, record: str) -> int:
        """How many fields a line has."""
        sep = {"\\t": "\t"}.get(self._sep, self._sep)
        if len(sep) != 1 or len(self._quote) != 1:
            return len(record.split(sep))
        escape = self.options.get("escape", "\\")
        escapes = escape if len(escape) == 1 and escape != self._quote else None
        return len(next(csv.reader(io.StringIO(record), delimiter=sep, quotechar=self._quote, escapechar=escapes)))

    def _split(self, record: str) -> list[str]:
        """The fields of a plain line."""
        sep, quote = re.escape(self._sep), re.escape(self._quote)
        return [a or b for a, b in re.findall(rf"(?:^|{sep})(?:{quote}([^{quote}]*){quote}|([^{sep}]*))", record)]

    def _named(self, found: list[str], path: str) -> list[str]:
        if not found or any("\0" in name for name in found):
            what = "no column that Spark can read" if not found else "NUL characters in its first line"
            text = f"{path} has {what}."
            raise SourceError(text, hint="Check `encoding`, `compression` and the other options of its source.")
        named = [name.strip() or f"_c{i}" for i, name in enumerate(found)]
        return [name if named.index(name) == i else f"{name}{i}" for i, name in enumerate(named)]

    def _record(self, head: bytes, *, at_end: bool = False) -> tuple[str, str] | None:
        """The first line with content and what follows; None when there is none, or when its end is not in `head`."""
        rest = head.decode(self._encoding if _known(self._encoding) else "latin-1", "replace").removeprefix("\ufeff")
        ends = re.compile(re.escape(self.options["linesep"])) if self.options.get("linesep") else _LINE
        record, comment = "", self.options.get("comment", "")
        while rest:
            end = ends.search(rest)
            if end is None and not at_end:
                return None
            line, after = (rest, "") if end is None else (rest[: end.start()], rest[end.end() :])
            if not record and (not line.strip() or (comment and line.startswith(comment))):
                rest = after
                continue
            record += line
            if not (self._multi and self._open(record)) or not after:
                return record, after
            record, rest = record + "\n", after
        return None

    def _remarks(self, path: str, record: str, rest: str) -> list[str]:
        name = path.rsplit("/", 1)[-1]
        remarks = []
        if "\ufffd" in record:
            remarks.append(f"The first line of {name} holds bytes that are no {self._encoding} text: set `encoding`.")
        if self._plain is None or not self._plain.fullmatch(record):
            return remarks
        fields = self._split(record)
        if "header" not in self.options and looks_like_header(fields, self._below(rest)):
            remarks.append(f"The first line of {name} looks like a header: set `header: true` (or `header: false` if it is data).")
        elif self.has_header and looks_like_data(fields):
            remarks.append(f"The first line of {name} looks like data and is taken for the names of the columns: is its header missing?")
        return remarks

    def _below(self, rest: str) -> list[list[str]]:
        """The fields of the lines that follow, of those that are plain."""
        lines = _LINE.split(rest, _LOOK)[:_LOOK]
        return [self._split(line) for line in lines if line and self._plain is not None and self._plain.fullmatch(line)]

    def _refuse_encoding(self, path: str) -> None:
        wide = self._encoding.startswith(("utf-16", "utf-32"))
        # Spark cuts lines at bytes; with a separator it knows how that one is written where the order of bytes is given.
        if wide and not self._multi and not (self._encoding.endswith(("-le", "-be")) and self.options.get("linesep")):
            text = f"{path} cannot be read: in encoding {self._encoding.upper()} Spark cuts lines in the middle of a character."
            raise SourceError(text, hint="Set `multiLine: true` beside `encoding` in the options of its source.")

    def _refuse(self, head: bytes, path: str) -> None:
        for magic, (kind, suffix) in _MAGIC.items():
            if head.startswith(magic):
                known = f"does not end in {suffix}, so Spark would read it as text" if suffix else "Spark opens no archive"
                text = f"{path} cannot be read: it is compressed ({kind}), and {'its name ' if suffix else ''}{known}."
                raise SourceError(text, hint="Rename it; the option `compression` is for writing." if suffix else "Unpack it first.")
        if not self._encoding.startswith(("utf-16", "utf-32")) and (head.startswith(_UTF16) or b"\0" in head[: head.find(b"\n")]):
            text = f"{path} cannot be read as {self._encoding}: it looks like UTF-16."
            raise SourceError(text, hint="Set `encoding: UTF-16` and `multiLine: true` in the options of its source.")


def codec_of(path: str) -> str | None:
    """The codec that Spark takes a file for by its name; '' for none, None for one that only Spark reads."""
    return next((codec for suffix, codec in _CODECS.items() if path.lower().endswith(suffix)), "")


def text_reader(stream: Any, path: str) -> Callable[[int], bytes] | None:
    """What reads on in a file's text, decompressed; None when only Spark can."""
    codec = codec_of(path)
    if codec is None:
        return None
    if codec == "deflate":
        return _Inflating(stream).read
    opened = pa.CompressedInputStream(pa.PythonFile(stream, "r"), codec) if codec else stream
    return lambda size: bytes(opened.read(size))


class _Inflating:
    """A zlib stream, which Arrow does not read."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._zlib = stream, zlib.decompressobj()

    def read(self, size: int) -> bytes:
        try:
            return self._zlib.decompress(self._zlib.unconsumed_tail or self._stream.read(HEADER_BYTES), size)
        except zlib.error as error:
            raise OSError(str(error)) from error


def _known(encoding: str) -> bool:
    try:
        codecs.lookup(encoding)
    except LookupError:
        return False
    return True
