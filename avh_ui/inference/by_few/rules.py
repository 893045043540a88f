"""The guesses: one declaration each, and one line of `RULES`.

Their widths are wide on purpose: a table is young once, and a guess that alarms on an ordinary second day is switched off for good. What
they alarm on in the first weeks of real tables is in `benchmarks/coverage`. Bounds are rounded outward to one digit or two, so that they
mostly stay the same from day to day, and with them what was decided on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from avh_ui.constraints.constraint import number
from avh_ui.constraints.reading import percent
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT
from avh_ui.metrics.distances import SHAPES_MOVED, VALUES_MOVED
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, MIN
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT, UNIQUE_RATIO

# Half of the rows and twice as many are noticed, with room for rounding.
ROWS_FACTOR = 1.8
# A mean that is three times as large is another unit or another table.
MEAN_FACTOR = 3.0
# So many times the range of the values beyond it.
RANGE_FACTOR = 4.0
# So many times the largest identifier: below ten times, with room to count up until there are enough batches. That is so where the largest
# hardly grew over the batches, or all of them lie within a factor of each other, so that a batch is a small step.
KEY_FACTOR, STANDS, STARTED = 8.0, 1.25, 2.0
# What is null may be as many again, up to so much of the rows, or so few of them where these are more; and half of the values may go. Of
# 4,229 columns of 134 tables without a null in their first batch the next one had more in 5, after two batches in 5 of 4,265; of 1,152 and
# 1,176 with some in 36 and 32. With a fifth of the rows more it was 1 and 3, 15 and 19, and readers kept none of 4 ("at most 45 %" of 24).
NULL_MORE, NULL_LEAST, NULL_ROWS, NULL_ROWS_OF_NONE, HALF = 0.1, 0.05, 5, 3, 0.5
# Of 2, where no pattern of the one batch is one of the other: a quarter of the values changed what they look like.
PATTERNS = 0.5
# Of 2, where no value of the one batch is one of the other: half of the rows have another value.
MIX = 1.0
# A value that so many rows share on average comes again.
_ROWS_OF_A_VALUE = 10
# Fewer rows may all differ by chance; texts do so less than numbers.
KEY_ROWS, TEXT_KEY_ROWS = 100, 10
# Where less has to be there it is no rule.
_SAID = 0.2
# The names of the rules on how values are written, and which there are.
LOOKS, MIXED = "looks", "mix"
# Half of a share of this many values says nothing.
_LEAST_VALUES = 10
# Nor is a third of what few things make: one cancelled flight a day was three the day before. Of 20 expected chance makes 6 or fewer
# once in 4,000 times (Poisson).
_LEAST_SUM = 20


@dataclass(frozen=True)
class Few:
    """One column over its first batches, those not to be learned from left out. `whole` is whether its numbers are whole, `counted` whether
    all of its values were counted to be different, `dated` whether it says when its batch is, or holds dates: these move with the batches.
    """

    history: ColumnHistory
    whole: bool
    counted: bool
    dated: bool = False

    def series(self, metric: Metric) -> Series:
        """The finite values of a metric."""
        found = self.history.values.get(metric.name, np.empty(0))
        return found[np.isfinite(found)]


@dataclass(frozen=True)
class Guess:
    """Bounds on a metric, and what was found so far in words."""

    metric: Metric
    lower: float | None
    upper: float | None
    found: str


@dataclass(frozen=True)
class FewRule:
    """`words` say what it holds a column to; `find` gives None where it does not apply. One `of_table` is stated once, with one column."""

    name: str
    words: str
    find: Callable[[Few], Guess | None]
    of_table: bool = False


def outward(value: float, side: int, digits: int = 1) -> float:
    """The value rounded to so many digits, up with `side` 1 and down with -1."""
    if not value or not math.isfinite(value):
        return value
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1)
    return float(f"{(math.ceil if side > 0 else math.floor)(value / unit - side * 1e-9) * unit:.{digits}g}")


def _rows(few: Few) -> Guess | None:
    rows = few.series(ROW_COUNT)
    if not len(rows):
        return None
    low, high = float(rows.min()), float(rows.max())
    lower, upper = max(1.0, outward(low / ROWS_FACTOR, -1, 2)), outward(high * ROWS_FACTOR, 1, 2)
    return Guess(ROW_COUNT, lower, upper, f"{number(low)} rows" if low == high else f"{number(low)} to {number(high)} rows")


def _values(few: Few) -> float:
    """How many values the smallest batch has."""
    rows, complete = few.series(ROW_COUNT), few.series(COMPLETE_RATIO)
    return float((rows * complete).min()) if len(rows) and len(rows) == len(complete) else 0.0


def _complete(few: Few) -> Guess | None:
    if _values(few) < _LEAST_VALUES:
        return None
    low = float(few.series(COMPLETE_RATIO).min())
    missing, rows = 1 - low, float(few.series(ROW_COUNT).min())
    more = max(NULL_LEAST, min(missing, NULL_MORE), (NULL_ROWS if missing > 0 else NULL_ROWS_OF_NONE) / rows)
    # A hundredth is as fine as a guess gets.
    lower = max(math.floor(100 * (low - more) + 1e-9) / 100, outward(low * HALF, -1))
    if low > 0 and lower < _SAID:
        # "At most 97 % are null" says nothing of what is mostly null.
        return None
    return Guess(COMPLETE_RATIO, lower, None, f"at least {percent(low)} of the values were there")


def _unique(few: Few) -> Guess | None:
    least = TEXT_KEY_ROWS if few.history.kind == "string" else KEY_ROWS
    kept = few.history.kind == "string" or (few.history.kind == "numeric" and few.whole)
    if not kept or few.dated or not few.counted or _values(few) < least or few.series(COMPLETE_RATIO).min() < 1:
        return None
    return Guess(UNIQUE_RATIO, 1.0, 1.0, "no value occurred twice")


def _range(few: Few) -> tuple[float, float] | None:
    """The extremes; None of what has no range: constants, keys, which may be counted on, and parts of the date."""
    low, high = few.series(MIN), few.series(MAX)
    if few.history.kind != "numeric" or few.dated or _unique(few) is not None or not len(low) or not len(high) or low.min() == high.max():
        return None
    return float(low.min()), float(high.max())


def _smallest(few: Few) -> Guess | None:
    found = _range(few)
    if found is None:
        return None
    low, high = found
    if low >= 0 and not few.whole:
        # What is counted does not become negative; a depth or a temperature may, and a bound of -400 on an amount says nothing.
        return None
    lower = 0.0 if low >= 0 else outward(low - RANGE_FACTOR * (high - low), -1)
    return Guess(MIN, lower, None, f"the smallest value was {number(low)}")


def _largest(few: Few) -> Guess | None:
    found = _range(few)
    if found is None:
        return None
    low, high = found
    upper = 0.0 if high <= 0 else outward(high + RANGE_FACTOR * (high - low), 1)
    return Guess(MAX, None, upper, f"the largest value was {number(high)}")


def _size(few: Few) -> Guess | None:
    """How large an identifier that is a number may become; None of texts, and where counting on may get that far in a few batches: they
    begin near 0, and the batches are one, or the largest grows from one to the next.
    """
    low, high = few.series(MIN), few.series(MAX)
    if few.history.kind != "numeric" or _unique(few) is None or not len(low) or not len(high) or high.max() <= 0:
        return None
    stands = len(high) > 1 and high.max() <= STANDS * high.min()
    if not stands and STARTED * low.min() < high.max():
        return None
    return Guess(MAX, None, outward(KEY_FACTOR * float(high.max()), 1, 2), f"the largest was {number(float(high.max()))}")


def _level(few: Few) -> Guess | None:
    means = few.series(MEAN)
    if _range(few) is None or not len(means) or few.series(MIN).min() < 0 or means.min() <= 0 or _values(few) < _LEAST_VALUES:
        return None
    low, high = float(means.min()), float(means.max())
    if few.whole and low * _values(few) < _LEAST_SUM:
        return None
    found = f"the mean was {number(low)}" if low == high else f"the mean was {number(low)} to {number(high)}"
    return Guess(MEAN, outward(low / MEAN_FACTOR, -1), outward(high * MEAN_FACTOR, 1), found)


def _moved(few: Few, metric: Metric, most: float) -> Guess | None:
    """A bound on a distance to the batch before, unless the batches so far were as far apart."""
    moved = few.series(metric)
    if _values(few) < _LEAST_VALUES or (len(moved) and moved.max() > most):
        return None
    found = f"it was at most {number(float(moved.max()))}" if len(moved) else "there is one batch"
    return Guess(metric, None, most, found)


def _looks(few: Few) -> Guess | None:
    return _moved(few, SHAPES_MOVED, PATTERNS) if few.history.kind == "string" else None


def _mix(few: Few) -> Guess | None:
    distinct = few.series(DIST_VAL_COUNT)
    if few.dated or not len(distinct) or distinct.max() * _ROWS_OF_A_VALUE > _values(few):
        return None
    if distinct.max() == 1 and not len(few.series(VALUES_MOVED)):
        # The one value of the only batch may be a name of that batch.
        return None
    return _moved(few, VALUES_MOVED, MIX)


RULES: tuple[FewRule, ...] = (
    FewRule("rows", "the table has more than half and less than twice the rows that it had", _rows, of_table=True),
    FewRule("values", "not many more of the values are null", _complete),
    FewRule("keys", "no value occurs twice", _unique),
    FewRule("smallest", "no value is far below the smallest so far, no count negative", _smallest),
    FewRule("largest", "no value is far above the largest so far", _largest),
    FewRule("size", "no identifier is ten times as large as the largest so far", _size),
    FewRule("level", "the mean stays within a third and three times of what it was", _level),
    FewRule(LOOKS, "values look like those of the batch before", _looks),
    FewRule(MIXED, "half of the rows have the same values as in the batch before", _mix),
)
