"""A block of CSV lines as Arrow arrays of texts: lines whose quotes are regular by Arrow's parser, all others one by one."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.csv_lines import LineParser
from avh_ui.scan.csv_options import CsvOptions
from avh_ui.scan.csv_quotes import set_aside
from avh_ui.scan.csv_trimming import TrimmedLines

# What Java's `trim` takes away: a line of nothing else is no row.
BLANKS = "".join(map(chr, range(33)))
# Where Spark gives up, by `maxColumns`.
MOST_COLUMNS = 20_480
# The second byte of a surrogate: three bytes that Java replaces by one character and Python by three.
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
        if self.options.trimming and self.options.quote.encode() in data:
            data, aside = _quoted_aside(data, self.options.quote.encode())
        if not self.options.breaks and self.needs_a_look(data):
            data, blank = set_aside(data, self.options)
            aside += blank
        if data:
            # Behind a quoted field Arrow takes an empty last one for quoted, too, where no line end follows.
            yield self._by_arrow(data if data.endswith((b"\n", b"\r")) else data + b"\n", places, aside)
        rows = [self._lines.fields(line) for line in aside if self.options.breaks or line.strip(BLANKS)]
        if rows:
            yield self._by_line(rows, places)

    @cached_property
    def _lines(self) -> LineParser | TrimmedLines:
        how = self.options.sep, self.options.quote, self.options.escape, self.options.empty
        return TrimmedLines(*how, self.options.trimming) if self.options.trimming else LineParser(*how)

    def lines(self, data: bytes, places: Sequence[int]) -> Block | None:
        """The rows of lines in UTF-8 that need no look; None where one has more or fewer fields."""
        aside: list[str] = []
        found = self._by_arrow(data, places, aside)
        return None if aside else found

    def needs_a_look(self, data: bytes) -> bool:
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
        # Arrow drops a mark at the beginning of what it is given. That of the file is gone by now, and any other is part of a value.
        data = codecs.BOM_UTF8 + data if data.startswith(codecs.BOM_UTF8) else data
        table = pa_csv.read_csv(
            pa.BufferReader(data),
            pa_csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=[str(i) for i in range(self.width)]),
            pa_csv.ParseOptions(
                delimiter=self.options.sep,
                quote_char=quote if quoted else False,
                double_quote=self.options.escape == quote,
                newlines_in_values=self.options.breaks,
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
        if self.options.trimming:
            columns = [self.options.trimming.column(column, null) for column in columns]
        if later:
            columns = [_with_nulls(column, null, empty) for column in columns]
        return Block(columns, pa.repeat(pa.scalar(False), table.num_rows))

    def _by_line(self, rows: list[list[str | None]], places: Sequence[int]) -> Block:
        if max(map(len, rows)) > MOST_COLUMNS:
            raise DeclinedError(f"it has lines of more than {MOST_COLUMNS:,} fields")
        null = self.options.null
        texts = ([row[place] if place < len(row) and row[place] != null else None for row in rows] for place in places)
        return Block([pa.array(column, pa.string()) for column in texts], pa.array([len(row) != self.width for row in rows], pa.bool_()))


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


def _quoted_aside(data: bytes, quote: bytes) -> tuple[bytes, list[str]]:
    """Lines without a quote, and those that have one."""
    lines = re.split(rb"\r\n|\n|\r", data)
    return b"\n".join(line for line in lines if quote not in line), [line.decode() for line in lines if quote in line]


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return (
        column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    )


def _with_nulls(column: pa.Array, null: str, empty: str) -> pa.Array:
    """Texts where empty ones were quoted: these are `empty`, and the text `null` is null."""
    if empty:
        column = pc.if_else(pc.equal(column, ""), pa.scalar(empty), column)
    return pc.if_else(pc.equal(column, null), pa.scalar(None, pa.string()), column)
