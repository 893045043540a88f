"""The moment that a batch's id names.

People write dates in many ways (`20240205`, `05.02.2024`, `2024-02`, `2024-W05`, `2024Q1`, `Q1-2024`, `1Q2024`,
`H1-2024`, `1Q24`, `KW 05 2024`,
`dt=2024-02-05`, `orders_2024-02-05T06`), and an id must be written as its siblings are to be found at the source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Literal

from dateutil.relativedelta import relativedelta

Period = Literal["year", "half year", "quarter", "month", "week", "day", "hour", "minute", "second"]
# How long after the beginning of its period a batch counts as late: when the period is over, but what is made for a month or a year is not
# made overnight, and what names an hour or less has an hour.
_LATE: dict[Period, relativedelta] = {
    "year": relativedelta(years=1, days=3), "half year": relativedelta(months=6, days=3), "quarter": relativedelta(months=3, days=3),
    "month": relativedelta(months=1, days=3), "week": relativedelta(weeks=1),
    "day": relativedelta(days=1), "hour": relativedelta(hours=1), "minute": relativedelta(hours=1), "second": relativedelta(hours=1),
}  # fmt: skip
# The months of those parts of a year that are numbered.
_PARTS: dict[Period, int] = {"quarter": 3, "half year": 6}

_YEAR, _MONTH, _DAY = r"(?P<Y>(?:19|20|21)\d\d|9999)", r"(?P<m>0[1-9]|1[0-2])", r"(?P<d>0[1-9]|[12]\d|3[01])"
_HOUR, _MINUTE, _SECOND = r"(?P<H>[01]\d|2[0-3])", r"(?P<M>[0-5]\d)", r"(?P<S>[0-5]\d)"
_DATE = rf"{_YEAR}(?P<between>[-_/.]?){_MONTH}(?P=between){_DAY}"
_ZONE = r"(?P<zone>Z|[+-]\d\d:?\d\d)?"
_BETWEEN, _WEEK = r"(?P<between>[-_/. ]?)", r"(?P<V>0[1-9]|[1-4]\d|5[0-3])"
# What stands before a week's number, in English or German.
_WEEKLY, _WEEK_YEAR = "(?i:[kc]?w|wk|week|woche)", r"(?P<G>(?:19|20|21)\d\d)"


def _of_a_year(year: str, half: str = "[Hh]") -> tuple[tuple[Period, str], ...]:
    """The writings of its halves and quarters."""
    numbers: tuple[tuple[Period, str, str], ...] = (("half year", half, "(?P<half>[12])"), ("quarter", "[Qq]", "(?P<Q>[1-4])"))
    return tuple(
        (period, writing)
        for period, letter, number in numbers
        for writing in (
            rf"(?P<unit>{letter}){number}{_BETWEEN}{year}",
            rf"{year}(?P<between>[-_/. ]?{letter}){number}",
            rf"{number}(?P<letter>{letter}){_BETWEEN}{year}",
        )
    )


# From the most that an id may say to the least; within one way of writing the separators are the same.
_WRITINGS: tuple[tuple[Period, str], ...] = (
    ("second", rf"{_DATE}(?P<t>[T _-]?){_HOUR}(?P<colon>[:_-]?){_MINUTE}(?P=colon){_SECOND}{_ZONE}"),
    ("minute", rf"{_DATE}(?P<t>[T _-]?){_HOUR}(?P<colon>[:_-]?){_MINUTE}{_ZONE}"),
    ("hour", rf"{_DATE}(?P<t>[T _-]?){_HOUR}"),
    ("day", _DATE),
    # With points the day comes first wherever people write so; with a slash it may be the month.
    ("day", rf"{_DAY}(?P<points>\.){_MONTH}\.{_YEAR}"),
    ("week", rf"{_WEEK_YEAR}(?P<between>[-_/. ]?{_WEEKLY}[-_. ]?){_WEEK}"),
    ("week", rf"(?P<unit>{_WEEKLY}[-_. ]?){_WEEK}{_BETWEEN}{_WEEK_YEAR}"),
    *_of_a_year(_YEAR),
    ("month", rf"{_YEAR}(?P<between>[-_/.]?){_MONTH}"),
    ("year", _YEAR),
    # Two digits are a year beside a quarter or a half year alone, where none has four: `1Q24`. `1h30` is an hour and a half.
    *_of_a_year(r"(?P<short>)(?P<y>\d\d)", half="H"),
)
_MARKS = ("between", "t", "colon", "zone", "unit", "letter", "points", "short")
# The date stands apart from other digits and letters: `run7` and `2024x` are none, nor is the `2024` of `2024-13`.
_ALL = tuple((period, re.compile(rf"(?<![0-9A-Za-z]){writing}(?![0-9A-Za-z]|-\d)")) for period, writing in _WRITINGS)


def year_of(digits: str) -> int:
    """The year of its last two digits, as POSIX has it: from 1969 to 2068."""
    return int(digits) + (1900 if digits >= "69" else 2000)


@dataclass(frozen=True)
class BatchDate:
    """A batch id that names one period: it begins at `start` (as written: its source has the clock where no zone is) and lasts a `period`.

    `before` and `after` are the texts around the date; `marks` its separators by name.
    """

    before: str
    after: str
    start: datetime
    period: Period
    marks: dict[str, str]

    @classmethod
    def of(cls, batch: str) -> BatchDate | None:
        """The date of an id; None when it names none, or more than one."""
        return _date_of(batch)

    def plus(self, step: relativedelta) -> str | None:
        """The id that a step later has; None when the writing cannot say it (a date names no hour) or no calendar has it.

        A month after a month's last day is the next month's last day.
        """
        try:
            later = self.start + step
            ends = bool(step.months or step.years) and (self.start + relativedelta(days=1)).month != self.start.month
            if ends and self.period == "day":
                later += relativedelta(day=31)
            elif (step.months or step.years) and later.day != self.start.day:
                return None  # a 30th has no sibling in February
        except (OverflowError, ValueError):
            return None
        moved = BatchDate(self.before, self.after, later, self.period, self.marks)
        back = BatchDate.of(moved.text())
        return moved.text() if back is not None and back.start == later else None

    def text(self) -> str:
        """The id."""
        between, colon, at = self.marks.get("between", ""), self.marks.get("colon", ""), self.start
        if self.period == "week":
            year, week, _ = at.isocalendar()
            return f"{self.before}{self._year_and(f'{year:04d}', between, f'{week:02d}')}{self.after}"
        if self.period in _PARTS:
            written = f"{at.year % 100:02d}" if "short" in self.marks else f"{at.year:04d}"
            return f"{self.before}{self._year_and(written, between, str(1 + (at.month - 1) // _PARTS[self.period]))}{self.after}"
        if self.marks.get("points"):
            return f"{self.before}{at.day:02d}.{at.month:02d}.{at.year:04d}{self.after}"
        parts = [f"{at.year:04d}", *(f"{part:02d}" for part in (at.month, at.day, at.hour, at.minute, at.second))]
        said = parts[: ("year", "month", "day", "hour", "minute", "second").index(self.period) + 1]
        clock = self.marks["t"] + colon.join(said[3:]) + self.marks.get("zone", "") if said[3:] else ""
        return self.before + between.join(said[:3]) + clock + self.after

    def _year_and(self, year: str, between: str, number: str) -> str:
        """A year and its week, quarter or half, with a letter before or behind its number where the year is last: `Q1-2024`, `1Q2024`."""
        if letter := self.marks.get("letter"):
            return f"{number}{letter}{between}{year}"
        unit = self.marks.get("unit")
        return f"{unit}{number}{between}{year}" if unit else year + between + number

    def is_over(self, now: datetime, clock: tzinfo = UTC) -> bool:
        """Whether its period is past by a clock: a whole hour ago for what names an hour or less, days ago for a month or a year."""
        start = self.start if self.start.tzinfo else self.start.replace(tzinfo=clock)
        try:
            return bool(now > start + _LATE[self.period])
        except (OverflowError, ValueError):
            return False


# A page of 10,000 batches asked for each of their dates 18 times, of which each took 20 microseconds.
@lru_cache(maxsize=1 << 16)
def _date_of(batch: str) -> BatchDate | None:
    for period, pattern in _ALL:
        found = list(pattern.finditer(batch))
        if len(found) > 1:
            return None
        if found:
            start = _start(found[0])
            if start is None:
                return None
            marks = {name: found[0][name] or "" for name in _MARKS if name in pattern.groupindex}
            return BatchDate(batch[: found[0].start()], batch[found[0].end() :], start, period, marks)
    return None


def _start(found: re.Match[str]) -> datetime | None:
    said = found.groupdict()
    try:
        if said.get("V"):
            return datetime.fromisocalendar(int(said["G"]), int(said["V"]), 1)
        year = int(said["Y"]) if said.get("Y") else year_of(said["y"])
        if number := said.get("Q") or said.get("half"):
            months = _PARTS["quarter" if said.get("Q") else "half year"]
            return datetime(year, months * (int(number) - 1) + 1, 1)  # noqa: DTZ001 (as below)
        whole = [int(said.get(part) or least) for part, least in zip("YmdHMS", (1, 1, 1, 0, 0, 0), strict=True)]
        zone = (said.get("zone") or "").replace("Z", "+0000")
        start = datetime(*whole)  # type: ignore[arg-type] # noqa: DTZ001 (UTC is assumed only where a moment is compared with now)
        return start.replace(tzinfo=datetime.strptime(zone, "%z").tzinfo) if zone else start
    except ValueError:
        return None
