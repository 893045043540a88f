"""The first and the last day that texts name, where every text begins with a date: kept beside texts of which there are too many to keep.

A date is written year first (`2024-02-05`, `2024/2/5`; `2024-02` is the first day of its month), or year last, and a time of day may
follow. With points the day stands first (`05.02.2024`). With other marks (`02/05/2024`) it may be the day or the month: both readings are
kept as long as all texts bear them. Beside them it is kept how many texts name which half-hour of a day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

# A clock of another zone is a whole number of half-hours away, but for few places.
HALF_HOURS, _HALF = 48, 30
# The ordinals of the first and the last day.
Span = tuple[int, int]
_CLOCK = r"(?:[T ].{0,40})?"
_TEXT = re.compile(rf"(\d{{4}}([-/.])\d\d?\2\d\d?|\d{{4}}-\d\d|\d\d?([-/.])\d\d?\3\d{{4}}){_CLOCK}", re.DOTALL | re.ASCII)
# Arrow's patterns know no `\2`: of the few days that are found `_TEXT` tells.
_TIME = r"[T ](?P<hour>\d\d?):(?P<minute>\d\d)(?:[0-9:.,]* ?(?P<half>[AaPp])[Mm])?"
_IN_TEXT = re.compile(_TIME, re.ASCII)
_ARROW = rf"(?s)^(?P<day>\d{{4}}[-/.]\d\d?[-/.]\d\d?|\d{{4}}-\d\d|\d\d?[-/.]\d\d?[-/.]\d{{4}}){_CLOCK}$"


@dataclass(frozen=True)
class TextDays:
    """Of texts the days that they name, the day before the month where the year is last (`day_first`), or after it; None where one of them
    is no date so read. `clock` is how many name which of the `HALF_HOURS`; empty where none names a time of day, None where an older
    release did not count them.
    """

    day_first: Span | None
    month_first: Span | None
    clock: tuple[int, ...] | None = ()

    @classmethod
    def of_texts(cls, texts: Collection[str]) -> Self | None:
        """Of some texts, of a mapping as often as it says; None where one of them is no date, or without texts."""
        found: Self | None = None
        for text in texts:
            if (match := _TEXT.fullmatch(text)) is None:
                return None
            read = cls(*_read(match[1]))
            found = read if found is None else cls.merged([found, read])
            if found is None:
                return None
        return found if found is None else replace(found, clock=_clock_of(texts if isinstance(texts, Mapping) else Counter(texts)))

    @classmethod
    def of_array(cls, texts: pa.Array, counts: NDArray[np.int64]) -> Self | None:
        """The same of an Arrow array without nulls, whose texts occur so often. Of a column that is no date the first text tells."""
        if not pc.match_substring_regex(texts.slice(0, 1), _ARROW)[0].as_py():
            return None
        days = pc.struct_field(pc.extract_regex(texts, _ARROW), [0])
        found = None if days.null_count else cls.of_texts(pc.unique(days).to_pylist())
        return found if found is None else replace(found, clock=_clock_of_array(texts, counts))

    @classmethod
    def merged(cls, found: Sequence[TextDays | None]) -> Self | None:
        """Of all texts of several (at least one); None where one of them is."""
        day_first, month_first = (_joined([getattr(one, way) if one else None for one in found]) for way in ("day_first", "month_first"))
        return cls(day_first, month_first, _added([one.clock for one in found if one])) if day_first or month_first else None

    @property
    def told(self) -> Span | None:
        """The days, where there is one way to read them."""
        return self.day_first or self.month_first if None in {self.day_first, self.month_first} or self.agree else None

    @property
    def agree(self) -> bool:
        """Whether both readings give the same days."""
        return self.day_first == self.month_first

    def to_list(self) -> list[Sequence[int] | None]:
        """As plain data; `TextDays.of_list` reads it."""
        return [self.day_first, self.month_first, self.clock]

    @classmethod
    def of_list(cls, spans: Sequence[Sequence[int] | None] | None) -> Self | None:
        """From `to_list`."""
        if spans is None:
            return None
        day_first, month_first = (None if span is None else (span[0], span[1]) for span in spans[:2])
        clock = spans[2] if len(spans) > 2 else None
        return cls(day_first, month_first, None if clock is None else tuple(clock))


def _added(clocks: Sequence[tuple[int, ...] | None]) -> tuple[int, ...] | None:
    if None in clocks:
        return None
    known = [clock for clock in clocks if clock]
    return tuple(map(sum, zip(*known, strict=True))) if known else ()


def _clock_of(counts: Mapping[str, int]) -> tuple[int, ...]:
    clock = [0] * HALF_HOURS
    for text, count in counts.items():
        if (found := _IN_TEXT.search(text)) is not None:
            hour = int(found["hour"]) if found["half"] is None else int(found["hour"]) % 12 + 12 * (found["half"] in "Pp")
            if hour < HALF_HOURS // 2:
                clock[2 * hour + (int(found["minute"]) >= _HALF)] += count
    return tuple(clock) if any(clock) else ()


def _clock_of_array(texts: pa.Array, counts: NDArray[np.int64]) -> tuple[int, ...]:
    parts = pc.extract_regex(texts, _TIME)
    there = np.asarray(parts.is_valid().to_numpy(zero_copy_only=False))
    hours, minutes = (pc.struct_field(parts, [place]).drop_null().cast(pa.int64()).to_numpy(zero_copy_only=False) for place in (0, 1))
    halves = pc.utf8_lower(pc.struct_field(parts, [2]).drop_null())
    after, named = (
        np.asarray(pc.is_in(halves, pa.array(some, halves.type)).to_numpy(zero_copy_only=False)) for some in (["p"], ["a", "p"])
    )
    hours = np.where(named, hours % 12 + 12 * after, hours)
    known = hours < HALF_HOURS // 2
    clock = np.bincount((2 * hours + (minutes >= _HALF))[known], counts[there][known].astype(np.float64), HALF_HOURS).astype(np.int64)
    return tuple(clock.tolist()) if clock.any() else ()


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
