"""What a batch's id says of its rows, as numbers: the year of `2014-01-02`, its month, day, weekday, date.

A column that repeats it is a calendar part of the batch's key: it changes with every batch, and may be nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

import numpy as np

from avh_ui.constraints.calendar_steps import DAYS, HOURS, MONTHS, WEEKS, Step
from avh_ui.history.batch_dates import BatchDate, Period
from avh_ui.history.series import Series

_PERIODS: tuple[Period, ...] = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
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

    def number(self, batch: str) -> float:
        """The number that a batch's id gives; NaN where it names no date, or a longer period."""
        date = _date(batch)
        if date is None or _PERIODS.index(date.period) < _PERIODS.index(self.period) or (self.own and date.period != self.period):
            return math.nan
        start = date.start.replace(tzinfo=None)
        try:
            return float(self.of(start - timedelta(days=self.days_before)))
        except (OverflowError, ValueError):
            return math.nan


@lru_cache(maxsize=1 << 16)
def _date(batch: str) -> BatchDate | None:
    return BatchDate.of(batch)


_OF: tuple[tuple[str, DatePart], ...] = (
    ("year", DatePart("year", "year", lambda at: at.year)),
    ("quarter", DatePart("quarter", "quarter", lambda at: (at.month + 2) // 3)),
    ("month", DatePart("month", "month", lambda at: at.month)),
    ("year and month", DatePart("year and month", "month", lambda at: 100 * at.year + at.month)),
    ("week", DatePart("ISO week", "week", lambda at: at.isocalendar().week)),
    ("day", DatePart("day of the month", "day", lambda at: at.day)),
    ("day of the year", DatePart("day of the year", "day", lambda at: at.timetuple().tm_yday)),
    ("year, month and day", DatePart("year, month and day", "day", lambda at: 10_000 * at.year + 100 * at.month + at.day)),
    ("weekday", DatePart("weekday, Monday 1", "day", lambda at: at.isoweekday())),
    ("weekday from Sunday", DatePart("weekday, Sunday 1", "day", lambda at: at.isoweekday() % 7 + 1)),
    ("hour", DatePart("hour", "hour", lambda at: at.hour)),
    ("whole hour", DatePart("hour", "hour", lambda at: 24 * (at.toordinal() - _EPOCH) + at.hour, HOURS, own=True)),
    ("date", DatePart("date", "day", lambda at: at.toordinal() - _EPOCH, DAYS)),
    ("whole week", DatePart("week", "week", lambda at: (at.toordinal() - _EPOCH + 3) // 7, WEEKS, own=True)),
    ("whole month", DatePart("month", "month", lambda at: 12 * (at.year - 1970) + at.month - 1, MONTHS, own=True)),
)


def _before(part: DatePart) -> DatePart:
    return DatePart(f"{part.words} of the day before", "day", part.of, days_before=1)


# A file of a day is often that of the day before: named when it was made, and not after what is in it. A date may lag as it is.
PARTS: Mapping[str, DatePart] = dict(_OF) | {f"{name} of the day before": _before(part) for name, part in _OF if part.step is None}
# Of a day it is the first hour, 0 whatever the day: read where a document says it, and followed by nothing.
_IDLE = "hour of the day before"

# What moments are told by that move with their batch.
_MOVING = ("date", "whole hour", "whole week", "whole month")

# From here on a number is a year, or begins with one, and equals that of all batches by no chance.
_YEARS = 1_000
# A column that is a part in nine of ten batches is that part, and wrong in the others.
_MOST = 0.9


@lru_cache(maxsize=64)
def _numbers(batches: tuple[str, ...]) -> Mapping[str, Series]:
    """Of each part that all the batches' ids name, their numbers of shape (K,)."""
    found = {name: np.array([part.number(batch) for batch in batches]) for name, part in PARTS.items() if name != _IDLE}
    return {name: numbers for name, numbers in found.items() if len(numbers) and np.isfinite(numbers).all()}


def part_followed(values: Series, batches: Sequence[str], name: str, *, moments: bool = False) -> str:
    """The part of the batches' ids that a series of one value a batch, shape (K,), follows; '' where there is none, or it says too little.

    Equal in all batches, of a part that changed among them, or that is a year. Where a part has stood still so far, a column that merely is
    constant equals it, too, so that the column's `name` must say the same. `moments` are seconds, and may be some days off.
    """
    if not len(values) or not np.isfinite(values).all():
        return ""
    for part, numbers in _numbers(tuple(batches)).items():
        step = PARTS[part].step
        if moments != (step is not None):
            continue
        off = (values if step is None else step.of(values)) - numbers
        if np.any(off != off[0]) or (off[0] != 0 and not moments):
            continue
        if _tells(part, numbers, name):
            return part
    return ""


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
    told = bool(np.any(numbers != numbers[0])) or (numbers[0] >= _YEARS and not PARTS[part].days_before)
    return told or part.split(maxsplit=1)[0] in name.casefold()
