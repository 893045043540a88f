"""One line of CSV cut into its fields as Spark cuts it, with whatever is wrong with its quotes.

RFC 4180 says nothing of a quote in the wrong place, and what Spark's parser makes of it follows no shorter rule than its own steps. Here
are those steps for Spark's settings: no blanks are trimmed, and a quoted field with a stray quote is taken as it is written. All texts of
up to 8 quotes, commas, letters, blanks and backslashes give what Spark's parser gives. Lines with regular quotes are not read here: Arrow
reads them faster.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from avh_ui.metrics.declined import DeclinedError

# Spark's word for "no such character", and so for what none has seen yet.
NONE = "\0"


@dataclass(frozen=True)
class LineParser:
    """Cuts lines at `sep`; `quote` and `escape` are one character each, NUL for none.

    `empty` stands for a quoted field with nothing in it. A field that is not quoted and has nothing in it is None.
    """

    sep: str
    quote: str
    escape: str
    empty: str = ""

    @cached_property
    def _special(self) -> re.Pattern[str]:
        return re.compile(f"[{re.escape(self.quote + self.escape)}]")

    def fields(self, line: str) -> list[str | None]:
        """The fields of a line that has some content; `DeclinedError` where NUL, to Spark no character, is in a line with quotes."""
        if NONE in line and (self.quote in line or self.quote == NONE):
            raise DeclinedError("it has lines with both quotes and NUL characters")
        found: list[str | None] = []
        at: int | None = 0
        while at is not None:
            if at == len(line) or line[at] == self.sep:
                found.append(None)
                at = at + 1 if at < len(line) else None
            elif line[at] == self.quote:
                value, at = self._regular(line, at + 1) or self._quoted(line, at + 1)
                found.append(value or self.empty)
            else:
                value, at = self._to_separator(line, at)
                found.append(value)
        return found

    def _to_separator(self, line: str, at: int) -> tuple[str, int | None]:
        """The text from a place to the next separator, and where the field after it begins; None when the line ends there."""
        end = line.find(self.sep, at)
        return (line[at:], None) if end < 0 else (line[at:end], end + 1)

    def _regular(self, line: str, at: int) -> tuple[str, int | None] | None:
        """A quoted field that has neither quotes nor escapes within and a separator behind it; `at` is behind the opening quote."""
        end = line.find(self.quote, at)
        if end < 0 or line[end + 1 : end + 2] != self.sep or line[end - 1] == self.escape:
            return None
        value = line[at:end]
        return None if self.escape != NONE and self.escape * 2 in value else (value, end + 2)

    def _quoted(self, line: str, at: int) -> tuple[str, int | None]:
        """Any other quoted field. `before` is the quote or escape just passed whose meaning the next character decides."""
        if at == len(line):
            return self.quote, None
        quote, escape, value, before = self.quote, self.escape, "", NONE
        doubles = escape if escape != quote else NONE
        while at < len(line):
            char = line[at]
            if before == quote and (char <= " " or char == self.sep):
                return self._closed(line, at, value)
            if char not in (quote, escape):
                if before == quote:
                    rest, after = self._to_separator(line, at)
                    return f"{quote}{value}{quote}{rest}", after
                if before == escape != NONE:
                    value += escape
                found = self._special.search(line, at)
                if found is None:
                    return value + line[at:], None
                value, before, at = value + line[at : found.start()], found[0], found.end()
                continue
            at += 1
            if char == escape and before == doubles != NONE:
                value, before = value + escape, NONE
            elif before == escape and char == quote:
                value, before = value + quote, NONE
            elif before == char == quote:
                value += quote
            elif before == quote:
                value, at = self._unquoted(line, at, f"{value}{quote}{escape}")
                before = NONE
            else:
                before = char
        return value, None

    def _unquoted(self, line: str, at: int, value: str) -> tuple[str, int]:
        """What an escape behind a closing quote makes of a field: it goes on to the separator, which is lost, and behind it as quoted.

        Each further escape behind a quote takes one more separator.
        """
        quote, escape, before, swallowed = self.quote, self.escape, NONE, 0
        while at < len(line):
            char = line[at]
            at += 1
            if char == self.sep:
                if not swallowed:
                    break
                swallowed, before = swallowed - 1, NONE
            elif char not in (quote, escape):
                value, before = value + (quote if before == quote else "") + char, NONE
            elif before == escape:
                value, before = value + char, NONE
            elif before == quote and char == escape:
                value, before, swallowed = f"{value}{quote}{escape}", NONE, swallowed + 1
            else:
                value, before = value + (quote if before == quote else ""), char
        return value, at

    def _closed(self, line: str, at: int, value: str) -> tuple[str, int | None]:
        """A field behind whose closing quote a blank or a separator stands: blanks are dropped, anything else makes the quotes plain."""
        end = at
        while end < len(line) and line[end] <= " " and line[end] != self.sep:
            end += 1
        if end == len(line):
            return value, None
        if line[end] == self.sep:
            return value, end + 1
        rest, after = self._to_separator(line, end)
        # At the end of a line Spark takes a quote in the second place for one that closes what is open.
        again = self.quote if after is None and rest[1:2] == self.quote != rest[0] else ""
        return f"{self.quote}{value}{self.quote}{line[at:end]}{rest}{again}", after
