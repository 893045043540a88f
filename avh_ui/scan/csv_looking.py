"""How a CSV file nobody described is written: encoding, separator, header, quotes; told from its first bytes."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from avh_ui.errors import SourceError
from avh_ui.history.batch_dates import BatchDate
from avh_ui.metrics.separators import SEPARATORS
from avh_ui.scan.csv_cutting import are_plain_backslashes, cut
from avh_ui.scan.csv_footers import footer_of
from avh_ui.scan.csv_heads import named_by_dates, units_below
from avh_ui.scan.csv_nulls import Cells, cells_of
from avh_ui.scan.csv_numbers import NUMBER, numbers_of
from avh_ui.scan.csv_other_quotes import other_quote, turned
from avh_ui.scan.csv_padding import padding_of
from avh_ui.scan.first_lines import NAMES_UP_TO, ROWS_END, utf16_of

# Of so many bytes the separator, the header and the quotes are told: a few hundred rows of most tables.
LOOKED_AT = 256 * 1024
# A separator must cut nearly all rows alike: the last one may be cut off, and one in twenty may be broken.
_ALIKE = 0.95
# Titles of reports take a few lines.
_TITLES = 20
# How the names of encodings begin that have two bytes for a character; and in so many bytes a text that is none has a NUL.
_WIDE, _NULS = "UTF-16", 4096
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
# In fewer rows, or of fewer characters, the same shape may be chance.
_FEW, _CODE = 5, 4
# Numbers with zeros before them are seldom as long.
_LONG = 20


@dataclass(frozen=True)
class CsvLook:
    """`options` as Spark's reader takes them, the names of the `columns`, some `rows` of texts, `remarks` in sentences, and the columns
    whose numbers have a decimal comma (`commas`), or one between `thousands`. So many first lines are `skipped`: a title. Below the rows of
    one that is `footed` stands what is none. `cells` are what its columns hold.
    """

    options: dict[str, str]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
    commas: tuple[str, ...] = ()
    thousands: tuple[str, ...] = ()
    footed: bool = False
    skipped: int = 0
    cells: dict[str, Cells] = field(default_factory=dict)


def look_at_csv(content: bytes, name: str, end: bytes = b"") -> CsvLook:
    """The look of a file from its first bytes, at most `LOOKED_AT` of them, and of a larger one its last (`end`, none where they are not
    known); `SourceError` for what is no text, or holds no row. What stands below its rows is none of them.
    """
    whole = len(content) < LOOKED_AT
    encoding, text = _decoded(content, name)
    if not whole:
        text = text[: text.rfind("\n") + 1] or text
    comments = _comments(text)
    quote = other_quote(text := _without(comments, text))
    text = turned(text, quote)
    sep, rows, uneven = cut(text, _typed)
    if not rows:
        raise SourceError(f"{name} holds no row: how it is written cannot be told.", hint="Name a file that has rows.")
    above, title = (0, "") if comments else _above(text, sep, rows)
    if above:
        text = "".join(text.splitlines(keepends=True)[above:])
        sep, rows, uneven = cut(text, _typed)
    ended = _ended(text, sep, rows)
    rows = ended or rows
    options = _options(text, encoding, sep, rows, quote) | ({"comment": "#"} if comments else {})
    head = _head(rows, sep, options)
    body = head.rows
    last = text if whole else turned(_last_lines(end, encoding), quote)
    below = None if ended else footer_of(last, sep, head.columns, body, _typed, whole=whole)
    if below is not None and whole:
        body = body[: len(body) - below.rows]
    skipped = 0 if encoding.startswith(_WIDE) else above + head.skipped
    padding, body, padded = padding_of(head.columns, body, _typed, quoted='"' in text)
    commas, apart, remarks = numbers_of(head.columns, body)
    _refuse_fixed_width(text, head.columns, name)
    titled = (
        *((_wide_said(encoding),) if encoding.startswith(_WIDE) else ()),
        *((_title_said(above, title, skipped),) if above else ()),
        *((f"The line of its names lacks {ROWS_END}",) if ended else ()),
        *uneven,
        *head.remarks,
        *((below.remark,) if below is not None else ()),
    )
    remarks = (*titled, *remarks, *padded, *_unnamed(head.columns))
    cells = cells_of(head.columns, body, lambda text: NUMBER.fullmatch(text.strip()), _typed)
    return CsvLook(options | head.options | padding, head.columns, body, remarks, commas, apart, below is not None, skipped, cells)


@dataclass(frozen=True)
class _Head:
    """What the first rows say: the names of the columns, the rows below, more options, what is said, and lines to pass over."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    options: dict[str, str]
    remarks: tuple[str, ...] = ()
    skipped: int = 0


def _head(rows: tuple[tuple[str, ...], ...], sep: str, options: dict[str, str]) -> _Head:
    places = tuple(f"_c{at}" for at in range(len(rows[0])))
    if not _is_header(rows):
        return _Head(places, rows, {"header": "false"})
    dated = named_by_dates(rows[0], rows[1:])
    # Of several lines none is a name, and none that is left out is counted with those that are passed over.
    if dated and not dated.years and not {"multiLine", "comment"} & set(options):
        return _Head(places, rows[1:], {"header": "false"}, (dated.remark,), 1)
    units = None if "comment" in options else units_below(rows[0], rows[1:], sep, _typed)
    names = tuple(name.strip() for name in rows[0])  # as both readers have them
    if units is None:
        return _Head(names, rows[1:], {"header": "true"})
    return _Head(names, rows[2:], {"header": "true"} | ({"comment": units.comment} if units.comment else {}), (units.remark,))


def _refuse_fixed_width(text: str, columns: Sequence[str], name: str) -> None:
    """`SourceError` for columns of fixed width: each line would be one value, and the first of them a name."""
    if width := _fixed_width(text, columns):
        said = f"The lines of {name} have no separator and {width:,} characters each: columns of fixed width are not read."
        raise SourceError(said, hint="Write it as CSV before.")


def _unnamed(columns: Sequence[str]) -> Iterator[str]:
    """What is said of names that are none."""
    if any(not name.strip() or columns.count(name) > 1 for name in columns[1:]):
        yield "Columns without a name, or with one that comes twice, are called by a number."


def _wide_said(encoding: str) -> str:
    """That a file is UTF-16, and the remedy."""
    remedy = f"`iconv -f {encoding} -t UTF-8 FILE > NEW` makes UTF-8 of it, which takes none"
    return f"Its text is UTF-16, which `encoding` and `multiLine` say to Spark: validating it takes Spark. {remedy}."


def _options(text: str, encoding: str, sep: str, rows: Sequence[Sequence[str]], quote: str) -> dict[str, str]:
    """How the reader is told of encoding, separator, quotes, those in quotes and rows of several lines, where they are not as usual."""
    options = ({} if encoding == "UTF-8" else {"encoding": encoding}) | ({"quote": quote} if quote else {})
    if sep != ",":
        options["sep"] = "\\t" if sep == "\t" else sep
    broken = any("\n" in field for row in rows for field in row)
    # Who writes texts of several lines doubles their quotes, though the first of them have none.
    doubled = '""' in text.replace(f'{sep}""{sep}', sep) and any('"' in field for row in rows for field in row)
    if doubled or (are_plain_backslashes(text, sep) if '\\"' in text else broken):
        options["escape"] = quote or '"'
    if encoding.startswith(_WIDE) or broken:
        options["multiLine"] = "true"  # of UTF-16 Spark else cuts lines within a character
    return options


def _ended(text: str, sep: str, rows: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The names and the rows without their last field, where each row ends in a separator and the names do not; else none."""
    names = next(csv.reader(text.splitlines(keepends=True)[:_TITLES], delimiter=sep), [])
    if len(names) + 1 != len(rows[0]) or any(row[-1] for row in rows):
        return ()
    return tuple(names), *(row[:-1] for row in rows)


def _fixed_width(text: str, columns: Sequence[str]) -> int:
    """How long all lines are of a table whose columns have fixed widths: spaces, or zeros in long ones, fill them up. 0 of others."""
    lines = [line for line in text.splitlines()[:_TITLES] if line]
    widths = set(map(len, lines))
    padded = all("  " in line or ("00" in line and len(line) >= _LONG) for line in lines[1:])
    return widths.pop() if len(columns) == 1 and len(lines) > 1 and len(widths) == 1 and padded else 0


def _title_said(above: int, title: str, skipped: int) -> str:
    how = "the lines above are passed over (skip_lines)" if skipped else "of UTF-16 no reader passes over these: take them away"
    return f"The names of its columns stand in line {above + 1}, below {title!r}: {how}."


def _last_lines(end: bytes, encoding: str) -> str:
    """The whole lines at the end of a file, of which the first is cut off."""
    text = "" if encoding.startswith(_WIDE) else end.decode(encoding, "replace")
    return text[text.find("\n") + 1 :]


def _comments(text: str) -> list[str]:
    """The lines that begin with `#` before all others; none where they are a header, cut as what stands below (`#id,day`)."""
    lines = text.splitlines(keepends=True)
    comments = list(takewhile(lambda line: line.startswith("#"), lines))
    if len(comments) == len(lines) or (len(comments) == 1 and any(0 < lines[0].count(sep) == lines[1].count(sep) for sep in SEPARATORS)):
        return []
    return comments


def _without(comments: Sequence[str], text: str) -> str:
    """The text without its comments, those between its rows, too: the option that is written for them leaves out these as well."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#")) if comments else text


def _above(text: str, sep: str, rows: Sequence[Sequence[str]]) -> tuple[int, str]:
    """How many lines stand above the names of the columns, and the first that says something.

    They have fewer fields than the rows, or leave some empty (a title that a spreadsheet fills up with commas), the first of them half, or
    several above names that are all there (a head over groups of columns): names of which one is missing are no title.
    """
    reader = csv.reader(text.splitlines(keepends=True)[:_TITLES], delimiter=sep)
    # Blank lines are no rows, and lines all the same.
    numbered = [(tuple(row), reader.line_num) for row in reader if row]
    lines = [row for row, _ in numbered]
    above = list(takewhile(lambda row: len(row) < len(rows[0]) or not all(row[1:]), lines))
    names = lines[len(above)] if above and len(above) < len(lines) else None
    if names is None or len(names) < 2 or not _is_header(rows[rows.index(names) :] if names in rows else rows):
        return 0, ""
    blank = sum(not field.strip() for field in above[0])
    # Units and types below such names are seldom there for all, and never all different.
    grouped = blank > 1 and all(field.strip() for field in names) and len(set(names)) == len(names)
    is_title = grouped or 2 * (len(above[0]) - blank) <= len(names)
    return (numbered[len(above)][1] - 1, sep.join(above[0]).strip(sep)[:40]) if is_title else (0, "")


def _decoded(content: bytes, name: str) -> tuple[str, str]:
    """The encoding as Spark calls it, and the text."""
    if wide := utf16_of(content[:_NULS]):
        return wide, content[: len(content) // 2 * 2].decode(wide, "replace")
    if b"\x00" in content[:_NULS]:
        raise SourceError(f"{name} is no text: it holds NUL bytes.", hint="If it is compressed, keep the ending that says so (.gz).")
    try:  # the last character may be cut off
        return "UTF-8", codecs.getincrementaldecoder("utf-8-sig")().decode(content)
    except UnicodeDecodeError:
        # Windows has the euro sign and its quotes where ISO has codes that no text holds.
        named = "windows-1252" if re.search(rb"[\x80-\x9f]", content) else "ISO-8859-1"
        return named, content.decode(named, "replace")


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: none a number or a date, and in some column it is unlike what stands below.

    Dates may name columns of what is none, and small numbers a few among words. Most of its fields are filled: a title leaves them empty.
    Codes with digits in the same places in every row are none. Where all is text each field has a name of its own, and none comes again.
    """
    first, below = rows[0], rows[1:]
    if named_by_dates(first, below):
        return True
    columns = list(zip(*below, strict=True)) or [()] * len(first)
    typed = any(_typed(field) for field in first) and not _has_numbered(first, columns)
    if typed or 2 * sum(not field.strip() for field in first[1:]) > len(first[1:]):
        return False
    if any(_is_code_like(name, column) for name, column in zip(first, columns, strict=True)):
        return False
    if any(name.strip() and _mostly_typed(column) for name, column in zip(first, columns, strict=True)):
        return True
    if len(set(first)) < len(first) or not all(first[1:]):
        return False
    return not any(name in column for name, column in zip(first, columns, strict=True))


def _has_numbered(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether numbers among names are names (`id,name,123`): small and whole, while most columns of numbers have a word above them."""
    numbers = [field for field in first if _typed(field)]
    above = [name for name, column in zip(first, columns, strict=True) if _mostly_typed(column)]
    small = all(number.isdecimal() and int(number) <= NAMES_UP_TO for number in numbers)
    return small and len(set(first)) == len(first) and all(first) and 2 * sum(map(_typed, above)) < len(above)


def _is_code_like(name: str, column: Sequence[str]) -> bool:
    """Whether a text is a code as those below it: digits and letters stand in the same places, and it has some of both; or all have
    digits, and no letter, and are no numbers (`+4230+00131`).
    """
    shape = _shape(name)
    if len(name) >= _CODE and len(column) >= _FEW and "0" in shape and "a" not in shape and not any(map(_typed, column)):
        return not any({"a"} & set(_shape(value)) for value in column)
    if len(name) < _CODE or len(column) < _FEW or not {"0", "a"} <= set(shape):
        return False
    return sum(_shape(value) == shape for value in column) >= _ALIKE * len(column)


def _shape(text: str) -> str:
    return _LETTER.sub("a", _DIGIT.sub("0", text))


def _typed(field: str) -> bool:
    """Whether it is a number or a date, which name no column."""
    stripped = field.strip()
    return bool(NUMBER.fullmatch(stripped)) or (bool(stripped[:1].isdigit()) and BatchDate.of(stripped) is not None)


def _mostly_typed(column: Sequence[str]) -> bool:
    there = [field for field in column if field.strip()]
    return bool(there) and sum(map(_typed, there)) > len(there) / 2
