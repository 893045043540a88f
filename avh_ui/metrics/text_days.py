"""The first and the last day that texts name, where every text begins with a date: kept beside texts of which there are too many to keep.

A date is written year first (`2024-02-05`, `2024/2/5`; `2024-02` is the first day of its month), or year last, and a time of day may
follow. With points the day stands first (`05.02.2024`). With other marks (`02/05/2024`) it may be the day or the month: both readings are
kept as long as all texts bear them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

# The ordinals of the first and the last day.
Span = tuple[int, int]
_CLOCK = r"(?:[T ].{0,40})?"
_TEXT = re.compile(rf"(\d{{4}}([-/.])\d\d?\2\d\d?|\d{{4}}-\d\d|\d\d?([-/.])\d\d?\3\d{{4}}){_CLOCK}", re.DOTALL | re.ASCII)
# Arrow's patterns know no `\2`: of the few days that are found `_TEXT` tells.
_ARROW = rf"(?s)^(?P<day>\d{{4}}[-/.]\d\d?[-/.]\d\d?|\d{{4}}-\d\d|\d\d?[-/.]\d\d?[-/.]\d{{4}}){_CLOCK}$"


@dataclass(frozen=True)
class TextDays:
    """Of texts the days that they name, the day before the month where the year is last (`day_first`), or after it; None where one of them
    is no date so read.
    """

    day_first: Span | None
    month_first: Span | None

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> Self | None:
        """Of some texts; None where one of them is no date, or without texts."""
        found: TextDays | None = None
        for text in texts:
            if (match := _TEXT.fullmatch(text)) is None:
                return None
            read = cls(*_read(match[1]))
            found = read if found is None else found.merged([found, read])
            if found is None:
                return None
        return found if found is None else cls(found.day_first, found.month_first)

    @classmethod
    def of_array(cls, texts: pa.Array) -> Self | None:
        """The same of an Arrow array without nulls. Of a column that is no date the first text tells."""
        if not pc.match_substring_regex(texts.slice(0, 1), _ARROW)[0].as_py():
            return None
        days = pc.struct_field(pc.extract_regex(texts, _ARROW), [0])
        return None if days.null_count else cls.of_texts(pc.unique(days).to_pylist())

    @classmethod
    def merged(cls, found: Sequence[TextDays | None]) -> TextDays | None:
        """Of all texts of several (at least one); None where one of them is."""
        day_first, month_first = (_joined([getattr(one, way) if one else None for one in found]) for way in ("day_first", "month_first"))
        return cls(day_first, month_first) if day_first or month_first else None

    @property
    def told(self) -> Span | None:
        """The days, where there is one way to read them."""
        return self.day_first or self.month_first if None in {self.day_first, self.month_first} or self.agree else None

    @property
    def agree(self) -> bool:
        """Whether both readings give the same days."""
        return self.day_first == self.month_first

    def to_list(self) -> list[Span | None]:
        """As plain data; `TextDays.of_list` reads it."""
        return [self.day_first, self.month_first]

    @classmethod
    def of_list(cls, spans: Sequence[Sequence[int] | None] | None) -> Self | None:
        """From `to_list`."""
        return None if spans is None else cls(*(None if span is None else (span[0], span[1]) for span in spans))


def _joined(spans: Sequence[Span | None]) -> Span | None:
    there = [span for span in spans if span is not None]
    return (min(s[0] for s in there), max(s[1] for s in there)) if len(there) == len(spans) else None


def _read(day: str) -> tuple[Span | None, Span | None]:
    """A date with its day before its month, and after it; None where no calendar has it."""
    one, other, last = (int(part) for part in (*re.split(r"[-/.]", day), "1")[:3])
    if day[4:5] in "-/." and day[:4].isdecimal():
        found = _ordinal(one, other, last)
        return found, found
    # Nobody writes the month first with points.
    return _ordinal(last, other, one), None if "." in day else _ordinal(last, one, other)


def _ordinal(year: int, month: int, day: int) -> Span | None:
    try:
        found = date(year, month, day).toordinal()
    except ValueError:
        return None
    return found, found
