"""In which hour, day, week or month a point in time lies, as a number that grows by one from each to the next."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from avh_ui.history.series import Series

_DAY = 86_400
# Seconds beyond are of no year that a calendar here has.
_FARTHEST = 2.5e11


@dataclass(frozen=True)
class Step:
    """`of` gives the step of seconds since 1970, shape (K,), NaN where they are not finite; `start` the seconds with which one begins."""

    word: str
    of: Callable[[Series], Series]
    start: Callable[[float], float]

    def end(self, seconds: float) -> float:
        """The seconds with which the step after that of `seconds` begins; NaN where these are in none."""
        return self.start(float(self.of(np.array([seconds]))[0]) + 1)


def _even(word: str, size: int, first: int = 0) -> Step:
    """Steps of so many seconds, the one with the number 0 beginning at `first`."""
    return Step(word, lambda seconds: np.floor((seconds - first) / size), lambda step: step * size + first)


def _months(seconds: Series) -> Series:
    there = np.abs(seconds) < _FARTHEST
    days = np.floor(np.where(there, seconds, 0.0) / _DAY).astype(np.int64).astype("datetime64[D]")
    found: Series = np.where(there, days.astype("datetime64[M]").astype(np.int64).astype(np.float64), np.nan)
    return found


def _month_start(step: float) -> float:
    months = np.datetime64(math.floor(step), "M")
    return float(months.astype("datetime64[D]").astype(np.int64)) * _DAY + (step - math.floor(step)) * 30 * _DAY


HOURS, DAYS = _even("hour", 3_600), _even("day", _DAY)
# Weeks begin on Mondays; 1970 began on a Thursday.
WEEKS = _even("week", 7 * _DAY, -3 * _DAY)
MONTHS = Step("month", _months, _month_start)
