"""What a batch's id says of its rows, as numbers: the year of `2014-01-02`, its month, day, weekday, date.

A column that repeats it is a calendar part of the batch's key: it changes with every batch, and may be nothing else. Calendars differ on
few days: the year of ISO's weeks on the first and last three of a year, weeks by where they begin, quarters by the fiscal year. What a
history has not told apart is either, until a day tells it: such a part has `others`, and a value is beside the nearest of them.
"""

from __future__ import annotations

import math
import re
from calendar import month_name
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

import numpy as np

from avh_ui.constraints.calendar_steps import DAYS, HOURS, MONTHS, WEEKS, Step
from avh_ui.history.batch_dates import BatchDate, Period
from avh_ui.history.series import Series

_PERIODS: tuple[Period, ...] = ("year", "half year", "quarter", "month", "week", "day", "hour", "minute", "second")
_EPOCH = datetime(1970, 1, 1).toordinal()  # noqa: DTZ001 (a day of the calendar has no zone)


@dataclass(frozen=True)
class DatePart:
    """`words` is what it is of the batch; an id names it where it names a `period` at least as short. A value is a moment in seconds where
    there is a `step`: what is compared is then in which of the calendar's it lies. Moments of a batch of a day keep to its month, too, as
    long as no month ends: `own` parts are of batches of that period alone.
    """

    words: str
    period: Period
    of: Callable[[datetime], float]
    step: Step | None = None
    days_before: int = 0
    own: bool = False
    others: tuple[DatePart, ...] = ()

    def number(self, batch: str, beside: float = math.nan) -> float:
        """The number that a batch's id gives, of several the one nearest to what is held `beside` it; NaN where it names no date, or a
        longer period.
        """
        if self.others and math.isfinite(beside):
            return min((part.number(batch) for part in self.others), key=lambda number: abs(number - beside))
        return self.at(BatchDate.of(batch))

    def at(self, date: BatchDate | None) -> float:
        """The number of a batch's date; NaN where it names a longer period, or there is none."""
        if date is None or _PERIODS.index(date.period) < _PERIODS.index(self.period) or (self.own and date.period != self.period):
            return math.nan
        start = date.start.replace(tzinfo=None)
        try:
            return float(self.of(start - timedelta(days=self.days_before)))
        except (OverflowError, ValueError):
            return math.nan


def _quarter(first: int) -> Callable[[datetime], float]:
    return lambda at: (at.month - first) % 12 // 3 + 1


def _month(first: int) -> Callable[[datetime], float]:
    return lambda at: (at.month - first) % 12 + 1


def _year(first: int, *, by_start: bool) -> Callable[[datetime], float]:
    return lambda at: at.year + (at.month >= first) - by_start


def _week(first: str) -> Callable[[datetime], float]:
    return lambda at: int(at.strftime(first))


_OF: tuple[tuple[str, DatePart], ...] = (
    ("year", DatePart("year", "year", lambda at: at.year)),
    ("ISO year", DatePart("ISO year", "week", lambda at: at.isocalendar().year)),
    ("quarter", DatePart("quarter", "quarter", lambda at: (at.month + 2) // 3)),
    ("month", DatePart("month", "month", lambda at: at.month)),
    ("year and month", DatePart("year and month", "month", lambda at: 100 * at.year + at.month)),
    ("week", DatePart("ISO week", "week", lambda at: at.isocalendar().week)),
    ("week from Monday", DatePart("week (from the first Monday)", "day", _week("%W"))),
    ("week from Sunday", DatePart("week (from the first Sunday)", "day", _week("%U"))),
    ("year and week", DatePart("ISO year and week", "week", lambda at: 100 * at.isocalendar().year + at.isocalendar().week)),
    ("day", DatePart("day of the month", "day", lambda at: at.day)),
    ("day of the year", DatePart("day of the year", "day", lambda at: at.timetuple().tm_yday)),
    ("year, month and day", DatePart("year, month and day", "day", lambda at: 10_000 * at.year + 100 * at.month + at.day)),
    ("weekday", DatePart("weekday (Monday 1)", "day", lambda at: at.isoweekday())),
    ("weekday from Sunday", DatePart("weekday (Sunday 1)", "day", lambda at: at.isoweekday() % 7 + 1)),
    ("weekday from Monday 0", DatePart("weekday (Monday 0)", "day", lambda at: at.weekday())),
    ("weekday from Sunday 0", DatePart("weekday (Sunday 0)", "day", lambda at: at.isoweekday() % 7)),
    ("hour", DatePart("hour", "hour", lambda at: at.hour)),
    ("whole hour", DatePart("hour", "hour", lambda at: 24 * (at.toordinal() - _EPOCH) + at.hour, HOURS, own=True)),
    ("date", DatePart("date", "day", lambda at: at.toordinal() - _EPOCH, DAYS)),
    ("whole week", DatePart("week", "week", lambda at: (at.toordinal() - _EPOCH + 3) // 7, WEEKS, own=True)),
    ("whole month", DatePart("month", "month", lambda at: 12 * (at.year - 1970) + at.month - 1, MONTHS, own=True)),
)
_FISCAL: Mapping[str, DatePart] = {
    name: part
    for first in range(2, 13)
    for name, part in (
        (f"quarter from {month_name[first]}", DatePart(f"quarter of a year from {month_name[first]}", "month", _quarter(first))),
        (f"month from {month_name[first]}", DatePart(f"month of a year from {month_name[first]}", "month", _month(first))),
        (f"year from {month_name[first]}", DatePart(f"year from {month_name[first]}", "month", _year(first, by_start=True))),
        (f"year until {month_name[first - 1]}", DatePart(f"year until {month_name[first - 1]}", "month", _year(first, by_start=False))),
    )
}


def _before(part: DatePart) -> DatePart:
    return DatePart(f"{part.words} of the day before", "day", part.of, days_before=1)


# A file of a day is often that of the day before: named when it was made, and not after what is in it. A date may lag as it is.
_EACH: Mapping[str, DatePart] = {
    **dict(_OF),
    **{f"{name} of the day before": _before(part) for name, part in _OF if part.step is None},
    **_FISCAL,
}
# What is one number for long may be several of these; a batch that tells them apart decides. Of quarters no more than three fit.
_QUARTERS = ["quarter", *(f"quarter from {month_name[first]}" for first in range(2, 13))]
_ALIKE: tuple[tuple[str, ...], ...] = (
    ("year", "ISO year"), ("year of the day before", "ISO year of the day before"),
    ("week", "week from Monday"), ("week", "week from Sunday"), ("week from Monday", "week from Sunday"),
    ("week", "week from Monday", "week from Sunday"),
    *(tuple([*_QUARTERS, *_QUARTERS][at : at + many]) for at in range(12) for many in (2, 3)),
)  # fmt: skip
_OR = " or "


def _either(names: Sequence[str], words: str = "") -> DatePart:
    parts = tuple(_EACH[name] for name in names)
    return DatePart(words or _OR.join(part.words for part in parts), parts[0].period, parts[0].of, others=parts)


# Of a fiscal year that has not changed yet nobody knows where it begins: it is this year, the last or the next.
_SOME_YEAR = "fiscal year"
_YEARS_BESIDE = tuple(DatePart(_SOME_YEAR, "year", of) for of in (lambda at: at.year, lambda at: at.year + 1, lambda at: at.year - 1))
_EITHER: Mapping[str, DatePart] = {_OR.join(names): _either(names, "year" if names[0] == "year" else "") for names in _ALIKE}
PARTS: Mapping[str, DatePart] = {**_EACH, **_EITHER, _SOME_YEAR: replace(_YEARS_BESIDE[0], others=_YEARS_BESIDE)}
_FISCALLY = re.compile(r"fisc|financ|budget|school|academic|season|(?:^|[_\W])(?:fy|fq|tax)")
# Of a day it is the first hour, 0 whatever the day: read where a document says it, and followed by nothing.
_IDLE = "hour of the day before"
# What the numbers of a fiscal year are called; without such a name so many different ones tell them.
_NAMED = {"quarter": re.compile(r"quarter|(?:^|_)f?q"), "month": re.compile(r"month|period|mon(?:$|_)"), "year": re.compile(r"year|fy")}
_SEVERAL = 3
# Days that are no day of the month: `day_of_week` was 1 on the first of each month, as Sundays are, and `holiday` is on New Year's.
_NO_DAY = re.compile(r"week|holi|days")

# What moments are told by that move with their batch.
_MOVING = ("date", "whole hour", "whole week", "whole month")

# From here on a number is a year, or begins with one, and equals that of all batches by no chance.
_YEARS = 1_000
# A column that is a part in nine of ten batches is that part, and wrong in the others.
_MOST = 0.9


@lru_cache(maxsize=64)
def _numbers(batches: tuple[str, ...]) -> Mapping[str, Series]:
    """Of each part that all the batches' ids name, their numbers of shape (K,)."""
    dates = [date for batch in batches if (date := BatchDate.of(batch)) is not None]
    if not dates or len(dates) < len(batches):
        return {}
    # Half of the parts are of a month, and of all its days the same: of 10,000 days they are told in a third of the time.
    months = {(date.start.year, date.start.month, date.period): date for date in dates}
    places = {month: at for at, month in enumerate(months)}
    within = np.array([places[date.start.year, date.start.month, date.period] for date in dates])
    found = {}
    for name, part in _EACH.items():
        if name != _IDLE:
            monthly = _PERIODS.index(part.period) <= _PERIODS.index("month")
            numbers = np.array([part.at(date) for date in (months.values() if monthly else dates)])
            found[name] = numbers[within] if monthly else numbers
    return {name: numbers for name, numbers in found.items() if np.isfinite(numbers).all()}


def part_followed(values: Series, batches: Sequence[str], name: str, *, moments: bool = False) -> str:
    """The part of the batches' ids that a series of one value a batch, shape (K,), follows; '' where there is none, or it says too little.

    Equal in all batches, of a part that changed among them, or that is a year. Where a part has stood still so far, a column that merely is
    constant equals it, too, so that the column's `name` must say the same. `moments` are seconds, and may be some days off.
    """
    if not len(values) or not np.isfinite(values).all():
        return ""
    found = []
    for part, numbers in _numbers(tuple(batches)).items():
        step = PARTS[part].step
        if moments != (step is not None):
            continue
        off = (values if step is None else step.of(values)) - numbers
        if np.any(off != off[0]) or (off[0] != 0 and not moments):
            continue
        if _tells(part, numbers, name):
            found.append(part)
    if not moments and _is_fiscal_year(values, batches, name, found):
        return _SOME_YEAR
    return _of_alike(_as_named(found, name), fiscal=bool(_FISCALLY.search(name.casefold())))


def _as_named(found: Sequence[str], name: str) -> Sequence[str]:
    """The months alone of a column that is named as such: September and October are quarters 3 and 4, and months 3 and 4 from July."""
    quarter, month = (_NAMED[word].search(name.casefold()) for word in ("quarter", "month"))
    months = [part for part in found if not part.startswith("quarter")]
    return months if months and month and not quarter else found


def _of_alike(found: Sequence[str], *, fiscal: bool) -> str:
    """The first of the parts found, together with those that only later batches tell from it; a quarter is a fiscal one where the column's
    name says so.
    """
    if not found or (found[0] == "quarter" and not fiscal):
        return next(iter(found), "")
    alike = [names for names in _ALIKE if found[0] in names and {*names} <= {*found}]
    most: tuple[str, ...] = max(alike, key=len, default=(found[0],))
    return _OR.join(most)


def _is_fiscal_year(values: Series, batches: Sequence[str], name: str, found: Sequence[str]) -> bool:
    """Whether a column that is named as a fiscal year has been one of the years beside the batch's, and it is not known from when on."""
    if not _FISCALLY.search(name.casefold()) or np.any(values != values[0]) or values[0] < _YEARS:
        return False
    beside = [PARTS[_SOME_YEAR].number(batch, float(values[0])) for batch in batches]
    return len(found) != 1 and bool(np.all(np.array(beside) == values[0]))


def part_moved_with(ends: Sequence[Series], batches: Sequence[str]) -> str:
    """The part of the batches' ids that moments move with, though not always as far from it; '' where they move with none.

    `ends` are the first and the last moments of the batches in seconds, each of shape (K,): where one of them varies less beside the date
    than by itself, it moves. Days are read sooner than hours, and these sooner than weeks and months.
    """
    known = [values for values in ends if len(values) and np.isfinite(values).all()]
    numbers = _numbers(tuple(batches)) if known else {}
    part = next((name for name in _MOVING if name in numbers), "")
    step = PARTS[part].step if part else None
    if step is None:
        return ""
    return part if any(np.std(step.of(values) - numbers[part]) < np.std(step.of(values)) for values in known) else ""


def part_of_most(values: Series, batches: Sequence[str], name: str) -> DatePart | None:
    """The part that a series of one number a batch, shape (K,), is in most batches that have one; None where it is none."""
    known = np.isfinite(values)
    for part, numbers in _numbers(tuple(batches)).items() if known.any() else ():
        if PARTS[part].step is None and (values == numbers).sum() >= _MOST * known.sum() and _tells(part, numbers, name):
            return PARTS[part]
    return None


def _tells(part: str, numbers: Series, name: str) -> bool:
    word, changed = part.removeprefix("ISO ").split(maxsplit=1)[0], bool(np.any(numbers != numbers[0]))
    if part in _FISCAL:
        # Months from July and quarters from May are 1 and 2 in July and August.
        named = bool(_NAMED[word].search(name.casefold())) and (changed or bool(_FISCALLY.search(name.casefold())))
        return named or len(np.unique(numbers)) >= _SEVERAL
    said = word in name.casefold() and not (part.startswith("day") and _NO_DAY.search(name.casefold()))
    return changed or (numbers[0] >= _YEARS and not PARTS[part].days_before) or said
