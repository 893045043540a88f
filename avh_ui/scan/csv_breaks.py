"""Blocks of whole rows of a CSV file whose quoted texts may go on over line breaks (`multiLine`).

A line feed within quotes ends no row, so rows are told from the beginning of the file, by one regular expression: a quote opens a field,
closes it, is doubled within it where that is the escape, or stands in a field that begins otherwise. Arrow and Spark agree on such rows.
What it does not match (a quote that nothing closes, text behind one that closes, rows that end in different ways) is Spark's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.csv_options import CsvOptions

# So far from the beginning of a file Spark looks for a line end, which then is that of all its rows.
_LOOKED_AT = 1 << 20
# A row is rarely longer, and a quote that nothing closes makes one of all that follows.
_LONGEST_ROW = 1 << 26
# So many rows are told at once: of long and short rows 1.5 and 2 times as fast as one by one, and as fast as a hundred.
_AT_ONCE = 10
_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
_IRREGULAR = "it has quotes or line ends that are not as a writer of CSV writes them, and its options name multiLine"


def row_blocks(blocks: Iterator[bytes], options: CsvOptions) -> Iterator[bytes]:
    """A file's rows without its header, from blocks of its bytes without a mark. `DeclinedError` for what Arrow and Spark may understand
    differently.
    """
    rest, waits = b"", options.header
    rows: _Rows | None = None
    for block in blocks:
        rest += block
        if rest.endswith(b"\r"):
            # What follows says whether a line feed belongs to it.
            continue
        rows = rows or _Rows.of(rest, options)
        if waits:
            rest = rest[(begin := rows.below_header(rest)) :]
            waits = not begin
        end = 0 if waits else rows.whole(rest)
        if end:
            yield rows.plain(rest[:end])
            rest = rest[end:]
        elif len(rest) > _LONGEST_ROW:
            raise DeclinedError(_IRREGULAR)
    if rest:
        rows = rows or _Rows.of(rest, options)
        # The last row may lack its end.
        rest += rows.end
        rest = rest[rows.below_header(rest) if waits else 0 :]
        if rows.whole(rest) < len(rest):
            raise DeclinedError(_IRREGULAR)
        yield rows.plain(rest)


@dataclass(frozen=True)
class _Rows:
    """How the rows of a file are told: by its options, and by the line `end` that is the first in it."""

    options: CsvOptions
    end: bytes

    @classmethod
    def of(cls, begin: bytes, options: CsvOptions) -> _Rows:
        """As the beginning of a file says."""
        if begin.startswith(_BOM):
            raise DeclinedError("its first line begins with two marks of UTF-8")
        found = _END.search(begin)
        if (found.start() if found else len(begin)) > _LOOKED_AT or (found and found[0] == b"\r"):
            raise DeclinedError(_IRREGULAR)
        return cls(options, found[0] if found else b"\n")

    def plain(self, rows: bytes) -> bytes:
        """Rows with line feeds for line ends, within quotes, too, where Spark's parser does so."""
        return rows.replace(b"\r\n", b"\n") if self.end == b"\r\n" else rows

    def whole(self, data: bytes) -> int:
        """How many bytes are whole rows."""
        end = 0
        while found := self._several.match(data, end):
            end = found.end()
        return end

    def below_header(self, data: bytes) -> int:
        """Where the row begins behind the first that is not empty; 0 where there is none."""
        begin = 0
        while data.startswith(self.end, begin):
            begin += len(self.end)
        found = self._one.match(data, begin)
        return found.end() if found else 0

    @cached_property
    def _one(self) -> re.Pattern[bytes]:
        return re.compile(self._row)

    @cached_property
    def _several(self) -> re.Pattern[bytes]:
        return re.compile(rb"(?:%b){1,%d}" % (self._row, _AT_ONCE))

    @property
    def _row(self) -> bytes:
        sep, quote, escape = (re.escape(char).encode() for char in (self.options.sep, self.options.quote, self.options.escape))
        # Spark takes a NUL within quotes for no character, and an escape before a quote or another escape for more than itself.
        other = quote + quote if quote == escape else rb"%b(?![%b%b])" % (escape, quote, escape)
        # Only sets of characters are possessive: of groups Python before 3.11.5 forgets what they matched. No text has two readings.
        quoted = rb"%b(?:[^%b%b\0]++|%b)*%b(?=%b|%b)" % (quote, quote, escape, other, quote, sep, self.end)
        field = rb"(?:%b|[^%b%b\r\n][^%b\r\n]*+|)" % (quoted, quote, sep, sep)
        return rb"%b(?:%b%b)*%b" % (field, sep, field, self.end)
