"""What the first lines of a CSV file say of its columns: the names in its header, as Spark finds them.

A plain CSV line is cut here, which costs nothing. Whatever needs Spark's own parser (quotes in quotes, options such as
`lineSep`, an encoding of several bytes) is asked of Spark, once per distinct first line. What Spark would read
wrongly without a word is refused.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from avh_ui.errors import SourceError
from avh_ui.scan.csv_lines import NONE, LineParser
from avh_ui.scan.other_formats import refuse_other_format
from avh_ui.scan.packed import text_reader

if TYPE_CHECKING:
    from avh_ui.config import Source

# A first line is rarely longer; one that is longer than the second is no header.
HEAD_BYTES, HEADER_BYTES = 1 << 16, 1 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Of letters, digits and separators in UTF-16 one byte is NUL, always the same of two; the other is in few characters, such as U+0100.
_ONE_PLACE = 4
# One byte per character, or UTF-8: a line ends at a byte that is nothing else.
_PLAIN_ENCODINGS = frozenset({"utf-8", "ascii", "iso8859-1", "cp1252"})
# Options that change where a line ends or what a name is; a plain line is the same without them.
_EXOTIC = ("linesep", "chartoescapequoteescaping", "unescapedquotehandling", "maxcolumns")
_CONTENT = re.compile(r"\S")
_LINE = re.compile(r"\r\n|\n|\r")
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_DATE = re.compile(r"\s*\d{4}-\d\d?-\d\d?([T ].*)?\s*")
# Whole numbers up to this name years, days and places in wide tables.
NAMES_UP_TO = 2_100
# One date may be a value; a row of them names the days of a wide table.
_DATES = 2
# So many rows say what the columns of a file hold.
_ROWS = 20

# What is said of a file whose rows end in a separator.
ROWS_END = (
    "the separator in which each row ends, so that every row is malformed: have it added to the names of the columns, or say "
    "`severities: {delivery: off}` in avh.yml, and the rows are taken as they are."
)
Ask = Callable[[], list[str]]


@dataclass(frozen=True)
class FirstLine:
    """A file's column names; whether rows follow (None = cannot be told), and remarks on what the line looks like."""

    names: tuple[str, ...]
    rows: bool | None
    remarks: tuple[str, ...] = ()


class Dialect:
    """How a source's options say that CSV is read; it remembers what Spark has answered."""

    def __init__(self, source: Source) -> None:
        self._options = options = {k.lower(): v for k, v in source.options.items()}
        self._has_header, self._multi = (options.get(name, "false").lower() == "true" for name in ("header", "multiline"))
        self._quote, self._escape = options.get("quote", '"'), options.get("escape", "\\")
        sep, self._comment = options.get("sep", options.get("delimiter", ",")), options.get("comment", "")
        # As Spark has it, a tab may be written as two characters.
        self._sep = "\t" if sep == "\\t" else sep
        named = options.get("encoding", options.get("charset", "utf-8"))
        try:
            self._encoding = self._decoder = codecs.lookup(named).name
        except LookupError:
            self._encoding, self._decoder = named, "latin-1"
        self._wide = self._encoding.startswith(("utf-16", "utf-32"))
        self._plain = self._plain_line()
        sep, quote = re.escape(self._sep), re.escape(self._quote)
        self._fields = re.compile(rf"(?:^|{sep})(?:{quote}([^{quote}]*){quote}|([^{sep}]*))") if self._plain else None
        self._special = re.compile(f"[{quote}{re.escape(self._escape)}\\\\]")
        self._skip = source.skip_lines
        self._answers: dict[str, list[str]] = {}

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
        if self._has_header and not self._multi and self._open(record):
            text = f"{path} cannot be read: its first line ends inside quotes, so a column's name has a line break."
            raise SourceError(text, hint="Set `multiLine: true` in the options of its source.")
        names = self._named(self._names(record, ask), path)
        rows = self._follows(rest) or not self._has_header or (None if self._comment else False)
        return FirstLine(tuple(names), rows, tuple(self._remarks(path, record, rest)))

    def _follows(self, rest: str) -> bool:
        """Whether a line with content is below that is no comment."""
        if not self._comment:
            return _CONTENT.search(rest) is not None
        return any(line.strip() and not line.startswith(self._comment) for line in _LINE.split(rest))

    def _plain_line(self) -> re.Pattern[str] | None:
        """What a line that needs no parser looks like; None when the options ask for one."""
        exotic = self._encoding not in _PLAIN_ENCODINGS or any(o in self._options for o in _EXOTIC) or (self._multi and self._comment)
        if exotic or len(self._sep) != 1 or len(self._quote) != 1:
            return None
        sep, quote, escape = re.escape(self._sep), re.escape(self._quote), re.escape(self._escape)
        field = rf"(?:{quote}[^{quote}{escape}\\]*{quote}|(?!{quote})[^{sep}{quote}{escape}\\]*)"
        return re.compile(rf"{field}(?:{sep}{field})*")

    def _open(self, record: str) -> bool:
        """Whether a line ends inside quotes."""
        escaped = self._escape and self._escape != self._quote
        plain = record.replace(self._escape + self._quote, "") if escaped else record
        return bool(self._quote) and plain.count(self._quote) % 2 == 1

    def _names(self, record: str, ask: Ask) -> list[str]:
        # Spark takes the first line end for that of all rows, and within quotes makes a line feed of such alone.
        alike = set(_LINE.findall(record)) in (set(), {"\n"}, {"\r\n"})
        fields = self._split(record.replace("\r\n", "\n")) if alike else None
        if not self._has_header:
            # The first lines of all files differ, and a wrong number of columns makes every row malformed, which is told.
            return [f"_c{i}" for i in range(self._count(record) if fields is None else len(fields))]
        if fields is not None:
            return [name if name != self._options.get("nullvalue") else "" for name in fields]
        if record not in self._answers:
            self._answers[record] = self._parsed(record) if self._skip else ask()
        return self._answers[record]

    def _parsed(self, record: str) -> list[str]:
        """The names in a line that is not plain, of a file whose first lines are skipped: Spark would look for them in these."""
        if max(map(len, (self._sep, self._quote, self._escape))) > 1:
            said = "Names of columns below skipped lines are cut at one character."
            raise SourceError(said, hint="Check `sep`, `quote` and `escape`.")
        return [name or "" for name in LineParser(self._sep, self._quote or NONE, self._escape or NONE).fields(record)]

    def _count(self, record: str) -> int:
        """How many fields a line has that is not plain."""
        if len(self._sep) != 1 or len(self._quote) != 1:
            return len(record.split(self._sep))
        escapes = self._escape if len(self._escape) == 1 and self._escape != self._quote else None
        return len(next(csv.reader(io.StringIO(record), delimiter=self._sep, quotechar=self._quote, escapechar=escapes)))

    def _split(self, line: str) -> list[str] | None:
        """The fields of a plain line; None for another."""
        if self._plain is None or self._fields is None:
            return None
        if not self._special.search(line):
            # As most lines: a fifth of the time of the patterns.
            return line.split(self._sep)
        return [a or b for a, b in self._fields.findall(line)] if self._plain.fullmatch(line) else None

    def _named(self, found: list[str], path: str) -> list[str]:
        if not found or any("\0" in name for name in found):
            what = "no column that Spark can read" if not found else "NUL characters in its first line"
            text = f"{path} has {what}."
            raise SourceError(text, hint="Check `encoding`, `compression` and the other options of its source.")
        named = [name.strip() or f"_c{i}" for i, name in enumerate(found)]
        return [name if named.index(name) == i else f"{name}{i}" for i, name in enumerate(named)]

    def _record(self, head: bytes, *, at_end: bool = False) -> tuple[str, str] | None:
        """The first line with content and what follows; None when there is none, or when its end is not in `head`."""
        rest = head.decode(self._decoder, "replace").removeprefix("\ufeff")
        ends = re.compile(re.escape(self._options["linesep"])) if self._options.get("linesep") else _LINE
        for _ in range(self._skip):
            end = _LINE.search(rest)
            rest = "" if end is None else rest[end.end() :]
        record = ""
        while rest:
            end = ends.search(rest)
            if end is None and not at_end:
                return None
            line, after = (rest, "") if end is None else (rest[: end.start()], rest[end.end() :])
            if not record and (self._blank(line, after) or (self._comment and line.startswith(self._comment))):
                rest = after
                continue
            record += line
            if not (self._multi and self._open(record)) or not after:
                return record, after
            assert end is not None
            record, rest = record + end[0], after
        return None

    def _blank(self, line: str, after: str) -> bool:
        """Whether a line is passed over before the names: over blanks Spark goes on only where lines are its rows."""
        return not line.strip() and not (self._multi and line and after.strip())

    def _remarks(self, path: str, record: str, rest: str) -> list[str]:
        line = f"The first line of {path.rsplit('/', 1)[-1]}"
        remarks = [f"{line} holds bytes that are no {self._encoding} text: set `encoding`."] if "\ufffd" in record else []
        # Of rows of several lines those below are not told apart here.
        fields = None if self._multi else self._split(record)
        if fields is None:
            return remarks
        if "header" not in self._options and _looks_like_header(fields, self._below(rest)):
            remarks.append(f"{line} looks like a header: set `header: true` (or `header: false` if it is data).")
        elif self._has_header and _looks_like_data(fields):
            remarks.append(f"{line} looks like data and is taken for the names of the columns: is its header missing?")
        return [*remarks, *self._narrow(line, len(fields), self._below(rest))]

    def _narrow(self, line: str, cells: int, below: Sequence[Sequence[str]]) -> list[str]:
        """That a first line has fewer cells than most of those below, as a sentence."""
        widths = Counter(map(len, below))
        width, alike = widths.most_common(1)[0] if widths else (0, 0)
        if width <= cells or alike < max(2, len(below) / 2):
            return []
        if width == cells + 1 and not any(row[-1] for row in below if len(row) == width):
            return [] if not self._has_header else [f"{line} lacks {ROWS_END}"]
        said = (
            f"{line} that is read has {cells} cell{'s' * (cells > 1)}, and those below have {width}: where a title stands above the names "
        )
        return [said + "of the columns, `skip_lines` of its source says how many lines are passed over."]

    def _below(self, rest: str) -> list[list[str]]:
        """The fields of the first plain lines."""
        lines = (text for text in _LINE.split(rest, _ROWS)[:_ROWS] if text and not (self._comment and text.startswith(self._comment)))
        return [found for text in lines if (found := self._split(text)) is not None]

    def _refuse_encoding(self, path: str) -> None:
        # Spark cuts lines at bytes; with a separator it knows how that one is written where the order of bytes is given.
        if self._wide and not self._multi and not (self._encoding.endswith(("-le", "-be")) and self._options.get("linesep")):
            text = f"{path} cannot be read: in encoding {self._encoding.upper()} Spark cuts lines in the middle of a character."
            raise SourceError(text, hint="Set `multiLine: true` beside `encoding` in the options of its source.")

    def _refuse(self, head: bytes, path: str) -> None:
        refuse_other_format(head, path)
        told = head.startswith(_UTF16) or b"\0" in head[: head.find(b"\n")]
        if not self._wide and told and (wide := utf16_of(head)):
            text = f"{path} cannot be read as {self._encoding}: it looks like UTF-16."
            raise SourceError(text, hint=f"Set `encoding: {wide}` and `multiLine: true` in the options of its source.")


def utf16_of(head: bytes) -> str:
    """The name of UTF-16 as Spark has it, by the first bytes of a text; without a mark with the order of its bytes. '' of others.

    A NUL is in any garbage, too, which has it in both places of its pairs, and soon half of a pair that has no other half.
    """
    if head.startswith(_UTF16):
        return "UTF-16"
    first, second = head[::2].count(0), head[1::2].count(0)
    if max(first, second) <= _ONE_PLACE * min(first, second):
        return ""
    name = "UTF-16LE" if second > first else "UTF-16BE"
    try:
        codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeDecodeError:
        return ""
    return name


def _looks_like_header(fields: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first line names the columns of the rows below: all its fields are different words, where a column has numbers alone."""
    if not rows or any(not field.strip() or _value(field) for field in fields) or len(set(fields)) < len(fields):
        return False
    columns = zip(*(row for row in rows if len(row) == len(fields)), strict=True)
    return any(any(column) and all(_value(value) for value in column if value) for column in columns)


def _looks_like_data(fields: Sequence[str]) -> bool:
    """Whether names of columns are values: a number with decimals or too large for a year, or a date among words."""
    dates = sum(bool(_DATE.fullmatch(field)) for field in fields)
    numbers = filter(_NUMBER.fullmatch, fields)
    return 0 < dates <= _DATES or any("." in number or abs(float(number)) > NAMES_UP_TO for number in numbers)


def _value(field: str) -> bool:
    return bool(_NUMBER.fullmatch(field) or _DATE.fullmatch(field))
