"""A block of CSV lines as Arrow arrays of texts: lines whose quotes are regular by Arrow's parser, all others one by one.

Arrow's parser and Spark's agree on a line where each quote opens a field, closes it, or is doubled within it where that is the escape, and
where no escape stands before a quote or another escape. Whether it is so is looked up for a whole block at a time.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from avh_ui.scan.csv_lines import NONE, LineParser
from avh_ui.scan.csv_options import CsvOptions
from avh_ui.scan.shares import DeclinedError

# What Java's `trim` takes away: a line of nothing else is no row.
BLANKS = "".join(map(chr, range(33)))
# Where Spark gives up, by `maxColumns`.
MOST_COLUMNS = 20_480
# Beyond so many characters of a line Spark's parser goes another way, which shows only where quotes have no escape.
_BUFFER = 1 << 20
# A dash that begins a surrogate: three bytes that Java replaces by one character and Python by three.
_SURROGATES = range(0xA0, 0xC0)


@dataclass(frozen=True)
class Block:
    """Rows of a block: `columns` of texts, those that were asked for, and for each row whether its line was malformed."""

    columns: list[pa.Array]
    malformed: pa.BooleanArray


@dataclass(frozen=True)
class BlockParser:
    """Parses blocks of lines of `width` fields."""

    options: CsvOptions
    width: int

    def parse(self, data: bytes, places: Sequence[int]) -> Iterator[Block]:
        """The rows of a block with the columns at these places: those of regular lines first. `DeclinedError` as `LineParser`."""
        data = to_utf8(data, self.options.encoding)
        aside: list[str] = []
        if self._needs_a_look(data):
            data, aside = self._set_aside(data)
        if data:
            yield self._by_arrow(data, places, aside)
        rows = [self._lines.fields(line) for line in aside if line.strip(BLANKS)]
        if rows:
            yield self._by_line(rows, places)

    @cached_property
    def _lines(self) -> LineParser:
        return LineParser(self.options.sep, self.options.quote, self.options.escape, self.options.empty)

    def _needs_a_look(self, data: bytes) -> bool:
        """Whether lines must be looked at before Arrow does: for quotes, and for blank lines that it could take for rows."""
        return self.width == 1 or self.options.sep <= " " or self.options.quote.encode() in data

    def _by_arrow(self, data: bytes, places: Sequence[int], aside: list[str]) -> Block:
        """The rows of regular lines; lines with more or fewer fields are put aside."""
        quote, null, empty = self.options.quote, self.options.null, self.options.empty
        quoted = quote.encode() in data
        # Arrow has one rule for all quoted texts; Spark takes an empty one for `empty`, and any that is `null` for none.
        later = quoted and null != empty

        def put_aside(row: pa_csv.InvalidRow) -> str:
            aside.append(row.text)
            return "skip"

        wanted = [str(place) for place in places] or ["0"]
        table = pa_csv.read_csv(
            pa.BufferReader(data),
            pa_csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=[str(i) for i in range(self.width)]),
            pa_csv.ParseOptions(
                delimiter=self.options.sep,
                quote_char=quote if quoted else False,
                double_quote=self.options.escape == quote,
                invalid_row_handler=put_aside,
            ),
            pa_csv.ConvertOptions(
                include_columns=wanted,
                column_types=dict.fromkeys(wanted, pa.string()),
                null_values=[""] if later else ["", null],
                strings_can_be_null=True,
                quoted_strings_can_be_null=not later,
                check_utf8=False,
            ),
        )
        columns = [_whole(table.column(i)) for i in range(len(places))]
        if later:
            columns = [_with_nulls(column, null, empty) for column in columns]
        return Block(columns, pa.repeat(pa.scalar(False), table.num_rows))

    def _by_line(self, rows: list[list[str | None]], places: Sequence[int]) -> Block:
        if max(map(len, rows)) > MOST_COLUMNS:
            raise DeclinedError(f"it has lines of more than {MOST_COLUMNS:,} fields")
        null = self.options.null
        texts = ([row[place] if place < len(row) and row[place] != null else None for row in rows] for place in places)
        return Block([pa.array(column, pa.string()) for column in texts], pa.array([len(row) != self.width for row in rows], pa.bool_()))

    def _set_aside(self, data: bytes) -> tuple[bytes, list[str]]:
        """The lines for Arrow, and those that are irregular or blank."""
        # With a line end before and behind, every character has neighbours.
        text = np.frombuffer(b"\n%b\n" % data, np.uint8)
        is_end = (text == 10) | (text == 13)
        ends = np.flatnonzero(is_end)
        odd = [_blank_lines(text, ends)]
        if self.options.quote.encode() in data:
            odd.append(self._irregular_lines(text, is_end, ends))
        lines = np.unique(np.concatenate(odd))
        if not len(lines):
            return data, []
        # In `data` everything stands one place before.
        spans = list(zip((ends[lines]).tolist(), (ends[lines + 1] - 1).tolist(), strict=True))
        kept = zip([0, *(end for _, end in spans)], [*(start for start, _ in spans), len(data)], strict=True)
        return b"".join(data[start:end] for start, end in kept), [data[start:end].decode() for start, end in spans]

    def _irregular_lines(self, text: np.ndarray, is_end: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Which lines have quotes that Arrow and Spark may understand differently; line k is between the ends k and k + 1."""
        quote, escape, sep = (ord(c) for c in (self.options.quote, self.options.escape, self.options.sep))
        is_quote = text == quote
        if self.options.escape == NONE and np.diff(ends).max() > _BUFFER:
            raise DeclinedError(f"it has lines of more than {_BUFFER:,} bytes, and its quotes have no escape")
        marks = np.flatnonzero(is_quote | is_end)
        quotes = is_quote[marks]
        passed = np.cumsum(quotes)
        # The first quote of each line is an opening one, and then every other.
        opening = ((passed - np.maximum.accumulate(np.where(quotes, 0, passed))) & 1)[quotes].astype(bool)
        places = marks[quotes]
        fits = np.zeros(256, bool)
        fits[[sep, 10, 13]] = True
        fits[quote] = quote == escape
        stray = places[~fits[text[places + np.where(opening, -1, 1)]]]
        uneven = np.flatnonzero(np.diff(passed[~quotes]) & 1)
        found = [uneven, _lines_of(stray, ends)]
        # Spark gives NUL a meaning of its own within quotes, and an escape before these two; without one, two quotes.
        special = [(0, None), *([] if quote == escape else [(escape or quote, (quote, escape or quote))])]
        for byte, before in special:
            at = np.flatnonzero(text == byte)
            at = at if before is None else at[np.isin(text[at + 1], before)]
            lines = _lines_of(at, ends)
            found.append(lines[np.isin(lines, _lines_of(places, ends))] if len(lines) else lines)
        return np.concatenate(found)


def to_utf8(data: bytes, encoding: str) -> bytes:
    """Bytes of an encoding as UTF-8, with U+FFFD where Java's decoder has it."""
    if data.isascii():
        return data
    if encoding == "utf-8":
        try:
            offsets = pa.py_buffer(np.array([0, len(data)], np.int32))
            pa.StringArray.from_buffers(1, offsets, pa.py_buffer(data)).validate(full=True)
        except pa.ArrowInvalid:
            return data.decode("utf-8", _JAVA).encode()
        return data
    return data.decode(encoding, "replace").encode()


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """One U+FFFD for what cannot be decoded; of surrogates for all three bytes."""
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.start + 3]
    surrogate = len(bad) == 3 and bad[0] == 0xED and bad[1] in _SURROGATES and 0x80 <= bad[2] < 0xC0
    return "\ufffd", error.start + 3 if surrogate else error.end


_JAVA = "avh-java"
codecs.register_error(_JAVA, _replaced)


def _blank_lines(text: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The lines of blanks alone; those without a character, which Arrow passes over, are not among them."""
    lines = np.flatnonzero((text[ends[:-1] + 1] <= 32) & (np.diff(ends) > 1))
    at = ends[lines] + 1
    blank = []
    while len(lines):
        at += 1
        done = at == ends[lines + 1]
        blank.append(lines[done])
        on = ~done & (text[at] <= 32)
        lines, at = lines[on], at[on]
    return np.concatenate(blank) if blank else lines


def _lines_of(places: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The lines that places stand in; a line end stands in the line before it."""
    return np.unique(np.searchsorted(ends, places) - 1)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return (
        column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    )


def _with_nulls(column: pa.Array, null: str, empty: str) -> pa.Array:
    """Texts where empty ones were quoted: these are `empty`, and the text `null` is null."""
    if empty:
        column = pc.if_else(pc.equal(column, ""), pa.scalar(empty), column)
    return pc.if_else(pc.equal(column, null), pa.scalar(None, pa.string()), column)
