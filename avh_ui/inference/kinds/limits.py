"""Where the values of an amount end, told by its history: nights from 1, a level up to 100; and where that 0 is no end.

An extreme that was one number in many batches is a limit where many values stand on it: that no booking has no night is then told by each
of these values, and not by one row of a batch. Of 1 and more with an average of 1.8 a bound that costs what one row may move was 0.
What reached 100 on some days and never went beyond, though it came from 8 on, is a percentage: its bound was 145.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa

from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.marks import mark_of, without_marks
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.declarations import KindDeclaration
from avh_ui.inference.kinds.facts import ColumnFacts
from avh_ui.inference.kinds.names import ANGLE, CHANGED, PARTS_OF_TIME, PERCENT, RATING, SIGNED, TIME, YEAR
from avh_ui.metrics.column import NUMBER_KINDS, Column
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, MIN, RANGE
from avh_ui.metrics.ranks import ranks

# A month of days, and a tenth of the values: of a tail that thins out fewer stand on its last number.
_BATCHES, _MASS = 30, 0.1
# Where percentages end, told by so many days on which this was the largest of their values.
_WHOLE, _DAYS = 100.0, 3
# Hours: on so many days one of the last two was the last, and on some one was 0; of what thins out towards its end the next is there, too.
_HOURS, _LAST_HOURS, _MIDNIGHT = (0.0, 23.0), 5, 2
# Ends of scales, of which the greatest ever was so much: of 9.2 it was said that none is above 12.
_SCALES, _REACHED = (5.0, 10.0, 100.0), 0.8
# Years end with the decade that begins so many years after the batch's, where none is farther after it: "never above 2,850" lets any pass.
_OLDEST, _AHEAD, _DECADE = 1500.0, 2, 10
# What is not known is -1 in so many batches, and nothing else is below 0: "never below -80" was said of it.
_UNKNOWN, _USUAL = -1.0, 0.5
# Degrees of a circle, told by so many batches that came within a hundredth of it to either end, and none beyond: an amount that came so
# near to 360 five times would have passed it. Yaws and winds of a turbine were "never above 680".
_CIRCLES, _NEAR, _TIMES = ((0.0, 360.0), (-180.0, 180.0)), 3.6, 5
# As is what came so near to the upper end in so many batches, and did not pass it: gaps between seismometers, none of them near 0, were
# "never above 450". What is called degrees is so where it reached so much of either end: magnetic variations were "never above 235".
_NEAR_ONE, _TIMES_ONE, _REACHED_ROUND = 18.0, 10, 0.75
# A scale whose 0 is no end: all of it moved by so much of a batch's range, and by more than its least is above 0; it lies about evenly
# around its mean, and spans no more where its level is higher. Amounts have a long tail above, their smallest stands still, and counts that
# grow spread. Of ten real tables no column of numbers that are not whole is such in any window of 30, 60 or 120 batches above 0.
_MOVED, _EVEN, _GROWS = 0.2, 0.6, 0.4
# In fewer batches nothing has moved yet.
_FEW = 7
_NO_SAMPLE = pa.nulls(0)


def limited(declared: KindDeclaration, history: ColumnHistory, sample: pa.ChunkedArray | pa.Array) -> KindDeclaration:
    """What is declared, with the limits that the history and a `sample` of the latest batch show beside those of the kind."""
    if history.kind not in NUMBER_KINDS or history.kind == "temporal":
        return declared
    if mark_of(history) is not None:
        # What stands for no number lies beyond the lower end.
        return replace(limited(declared, without_marks(history), sample), lowest=declared.lowest)
    found = Column.from_arrow(history.column, sample)
    numbers = found.numbers[np.isfinite(found.numbers)] if found.kind == history.kind else np.empty(0)
    least, most = (_end(metric, history, numbers) for metric in (MIN, MAX))
    if (named := _named(history) or _hours(history) or _scale(history) or _years(history)) is not None:
        return replace(declared, lowest=max(declared.lowest, named[0]), highest=min(declared.highest, named[1]))
    if least is None and most is None and _percentage(history):
        return replace(declared, highest=_WHOLE)
    if (circle := _circle(history)) is not None:
        return replace(declared, lowest=max(declared.lowest, circle[0]), highest=min(declared.highest, circle[1]))
    if (unknown := _unknown(history)) is not None:
        return replace(declared, lowest=max(declared.lowest, unknown))
    # Of numbers with both ends, as stars, a list says more.
    if (least is None) == (most is None):
        return declared
    low = declared.lowest if least is None else max(declared.lowest, least)
    return replace(declared, lowest=low, highest=declared.highest if most is None else min(declared.highest, most))


def _named(history: ColumnHistory) -> tuple[float, float] | None:
    """From where to where what the column is called for goes, where its values keep to that: "day is never above 54" was said of days of
    the month, and "avg_humidity is never above 126"; and "never below -160" of percentages by which counts of crimes changed.
    """
    least, most = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX))
    # Of a batch without a number nothing is known.
    least, most = (ends[~np.isnan(ends)] for ends in (least, most))
    if len(most) < _FEW or not (np.all(np.isfinite(least)) and np.all(np.isfinite(most))):
        return None
    name = ColumnFacts(history, _NO_SAMPLE).name
    whole = bool(np.all(least == np.round(least)) and np.all(most == np.round(most)))
    ends = [(low, high) for named, low, high in PARTS_OF_TIME if whole and named.search(name)]
    # A share written as a part of 1 ends at 1.
    percent = bool(PERCENT.search(name)) and most.max() > 1
    ends += [(0.0, _WHOLE)] if percent else []
    ends += [(-_WHOLE, math.inf)] if percent and least.min() < 0 and CHANGED.search(name) else []
    ends += [end for end in _CIRCLES[::-1] if ANGLE.search(name) and max(-least.min(), most.max()) >= _REACHED_ROUND * end[1]]
    there = (float(least.min()), float(most.max()))
    return there if there in ends else next((end for end in ends if end[0] <= there[0] and there[1] <= end[1]), None)


def _ends_known(history: ColumnHistory) -> tuple[np.ndarray, np.ndarray] | None:
    """The smallest and the largest value of each of many batches, of which all are known."""
    least, most = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX))
    return (least, most) if len(most) >= _BATCHES and np.all(np.isfinite(least)) and np.all(np.isfinite(most)) else None


def _hours(history: ColumnHistory) -> tuple[float, float] | None:
    """The ends of the hours of a day, of what may be these by its name, where its values begin and end with them."""
    if (ends := _ends_known(history)) is None or not TIME.search(ColumnFacts(history, _NO_SAMPLE).name):
        return None
    least, most = ends
    whole = bool(np.all(least == np.round(least)) and np.all(most == np.round(most)))
    within = (least.min(), most.max()) == _HOURS and np.sum(most >= _HOURS[1] - 1) >= _LAST_HOURS and np.sum(least == 0) >= _MIDNIGHT
    return _HOURS if whole and within else None


def _scale(history: ColumnHistory) -> tuple[float, float] | None:
    """Where ratings end: the end of a scale that they came near to and never exceeded."""
    if (ends := _ends_known(history)) is None or not RATING.search(ColumnFacts(history, _NO_SAMPLE).name):
        return None
    end = next((end for end in _SCALES if ends[1].max() <= end), math.inf)
    return (-math.inf, end) if ends[0].min() >= 0 and end * _REACHED <= ends[1].max() else None


def _years(history: ColumnHistory) -> tuple[float, float] | None:
    """Where years end that are told of rows, such as that of a renovation, or 0: some time after their batch."""
    least, most = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX))
    batch = BatchDate.of(history.batches[-1]) if history.batches else None
    if batch is None or len(most) < _FEW or not YEAR.search(ColumnFacts(history, _NO_SAMPLE).name):
        return None
    whole = bool(np.all(least == np.round(least)) and np.all(most == np.round(most)))
    if not whole or least.min() < 0 or not _OLDEST <= most.min() <= most.max() <= batch.start.year + _AHEAD:
        return None
    return -math.inf, float(_DECADE * math.ceil(batch.start.year / _DECADE + 1))


def _unknown(history: ColumnHistory) -> float | None:
    """The number that stands for what is not known, where it is the only one below 0."""
    least = history.values.get(MIN.name, np.empty(0))
    below = least[least < 0]
    many = len(below) >= max(_FEW, _USUAL * len(least)) and least[-1] < 0
    return _UNKNOWN if many and np.all(below == _UNKNOWN) else None


def _percentage(history: ColumnHistory) -> bool:
    """Whether its largest value was 100 on several days and more on none, and its smallest none below 0."""
    least, most = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX))
    known = len(most) >= _BATCHES and bool(np.all(np.isfinite(least)) and np.all(np.isfinite(most)))
    return known and bool(least.min() >= 0 and most.max() == _WHOLE and np.sum(most == _WHOLE) >= _DAYS)


def _circle(history: ColumnHistory) -> tuple[float, float] | None:
    """From where to where degrees of a circle are, where values came near to both ends in several batches and went beyond them in none."""
    least, most = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX))
    if len(most) < _BATCHES or not (np.all(np.isfinite(least)) and np.all(np.isfinite(most))):
        return None
    for low, high in _CIRCLES:
        near = (least <= low + _NEAR).sum(), (most >= high - _NEAR).sum()
        if least.min() >= low and most.max() <= high and min(near) >= _TIMES:
            return low, high
    round_up = _CIRCLES[0][1]
    often = np.sum(most >= round_up - _NEAR_ONE) >= _TIMES_ONE
    return (-math.inf, round_up) if least.min() >= 0 and most.max() <= round_up and often else None


def _end(metric: Metric, history: ColumnHistory, numbers: np.ndarray) -> float | None:
    """The number that an extreme was in all batches, where so many values stand on it; None of any other."""
    ends = history.values.get(metric.name, np.empty(0))
    ends = ends[np.isfinite(ends)]
    if len(ends) < _BATCHES or not len(numbers) or np.any(ends != ends[0]):
        return None
    return float(ends[0]) if np.mean(numbers == ends[0]) >= _MASS else None


def may_be_negative(history: ColumnHistory) -> bool:
    """Whether values that never were negative may become so: they move as a whole, by more than they are above 0, as temperatures do.

    "Never below 0" of dew points from 12 to 2 degrees in autumn alarmed on ten days of the winter.
    """
    least, most, mean, span = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX, MEAN, RANGE))
    if history.kind == "numeric" and len(least) and bool(np.all(least > 0)) and SIGNED.search(ColumnFacts(history, _NO_SAMPLE).name):
        return True
    if history.kind != "numeric" or not len(least) == len(most) == len(mean) == len(span):
        return False
    known = np.isfinite(least) & np.isfinite(most) & np.isfinite(mean) & (span > 0)
    if known.sum() < _FEW or least[known].min() <= 0:
        return False
    if np.all(least[known] == np.round(least[known])) and np.all(most[known] == np.round(most[known])):
        # Counts, and numbers that name something.
        return False
    low, high = mean[known] - least[known], most[known] - mean[known]
    even = float(np.median(np.minimum(low, high) / np.maximum(low, high)))
    moved = float(np.ptp(least[known]))
    levels, spans = ranks(mean[known]), ranks(span[known])
    grows = bool(np.ptp(levels) and np.ptp(spans)) and float(np.corrcoef(levels, spans)[0, 1]) > _GROWS
    return not grows and even >= _EVEN and moved >= _MOVED * float(np.median(span[known])) and moved > float(least[known].min())
