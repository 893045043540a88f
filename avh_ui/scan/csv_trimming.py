"""Blanks around the cells of CSV, taken away as Spark's parser does (`ignoreLeadingWhiteSpace`, `ignoreTrailingWhiteSpace`).

Those within quotes stay. A cell of blanks alone is null.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.csv_lines import NONE

# What Java's `trim` takes away.
_BLANKS = "".join(map(chr, range(33)))


@dataclass(frozen=True)
class Trimming:
    """Blanks before a cell are no part of it, and where it is `trailing` those behind."""

    trailing: bool

    def text(self, text: str) -> str:
        """A cell that is not quoted, without its blanks."""
        return text.strip(_BLANKS) if self.trailing else text.lstrip(_BLANKS)

    def column(self, texts: pa.Array, null: str) -> pa.Array:
        """Cells that are not quoted, without their blanks: null where nothing is left, or the text for null."""
        texts = pc.utf8_trim(texts, _BLANKS) if self.trailing else pc.utf8_ltrim(texts, _BLANKS)
        return pc.if_else(pc.or_(pc.equal(texts, ""), pc.equal(texts, null)), pa.scalar(None, pa.string()), texts)


@dataclass(frozen=True)
class TrimmedLines:
    """Cuts lines with quotes, which `LineParser` cuts where nothing is trimmed; of quotes that stand where no writer puts them only Spark
    knows what it makes.
    """

    sep: str
    quote: str
    escape: str
    empty: str
    trimming: Trimming

    @cached_property
    def _quoted(self) -> re.Pattern[str]:
        sep, quote, escape = map(re.escape, (self.sep, self.quote, self.escape))
        inside = rf"(?:[^{quote}]|{quote}{quote})*" if quote == escape else rf"(?:[^{quote}{escape}]|{escape}(?![{quote}{escape}]))*"
        return re.compile(rf"{quote}({inside}){quote}(?:(?!{sep})[\x00-\x20])*(?={sep}|$)", re.DOTALL)

    def fields(self, line: str) -> list[str | None]:
        """The fields of a line that has some content; `DeclinedError` for quotes that a text has elsewhere than around it."""
        if NONE in line:
            raise DeclinedError("it has lines with both quotes and NUL characters")
        found: list[str | None] = []
        at = 0
        while True:
            while at < len(line) and line[at] <= " " and line[at] != self.sep:
                at += 1
            if line[at : at + 1] == self.quote:
                text = self._quoted.match(line, at)
                if text is None:
                    raise DeclinedError("it has quotes that are not as a writer of CSV writes them, and its options take blanks away")
                value = text[1].replace(self.quote * 2, self.quote) if self.quote == self.escape else text[1]
                found.append(value or self.empty)
                end = text.end()
            else:
                end = line.find(self.sep, at)
                end = len(line) if end < 0 else end
                found.append(self.trimming.text(line[at:end]) or None)
            if end == len(line):
                return found
            at = end + 1
