"""How far from what a column's values ever were a bound on their level, their smallest or their largest still says something."""

from __future__ import annotations

import math

import numpy as np

from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.of_late import as_it_goes
from avh_ui.metrics.distribution import MEDIAN
from avh_ui.metrics.moments import MEAN

# A level lies within so many largest deviations of its mean, or of the usual deviations of the values themselves: latitudes of a city are
# 44.954 to 44.994 on average, which is 0.64 of these; 1 was too loose of longitudes.
_LEVEL, _USUAL, _FAR = 2.7, 0.7, 8.0
# Of fewer values a level is what these rows make it.
_FEW_VALUES = 10
# Of amounts with a long tail the usual deviation is as large as their level, and says nothing.
_STEADY = 0.5
# Or within this part of itself, of what is never negative, and about as far as its values are from each other: nobody calls 34 to 46 too
# loose of 40, but 248 to 310 days of 274 to 288, where one of them is 15 from the others. Of the 8 levels that went farther than both and
# were within this part readers called 4 too loose, of the 29 nearer ones 3.
_PART, _SPREADS = 0.2, 1.3
# No level is most of the way to the largest of all values ("1.9 to 4.8" of classes of 1 to 5, of which 3.8 was the highest average).
_WAY = 0.5
# Of what is never negative a level twice as high as usual is to be noticed, and half of it: of 93 upper ends beyond 2.2 times the usual
# level readers called 69 too loose ("21 or less on average" of winds of 7, of 12 in their worst week), of 16 nearer ones 2; of 9 lower ends
# below 0.4 times 7, of 49 nearer ones 10. Ends are rounded outwards. So it is of what is hardly ever negative, as fares with refunds, and
# never on average: 6 of 10 such were too loose. Of other numbers none is so many times what it ever was.
_DOUBLED, _HALVED, _TIMES = 2.1, 0.45, 2.2
# Of a smallest or largest value, which people know, what is more than so many times as large or so many ranges beyond all values, and of
# one that may be negative so many: prices of 36,000 after 12,790, 76 lines of an order after 30, 220 degrees after 92.
_EXTREME, _RANGES, _SIGNED_RANGES = 1.45, 0.45, 0.35
# Nor how far below 0 is too far, where hardly a batch has any such: each is a mistake or a mark. Of weights that were -210 once "never
# below -460" was said.
SELDOM_NEGATIVE = 0.25
# Nor is a level of what may be negative so many usual deviations of the values from its mean: delays of 10 minutes, of 84 on the day of a
# storm, were "170 or less on average".
_SIGNED = 4.0
# Values whose range is a smaller part of them have hardly any.
_SAME = 0.01


def room_of_values(model: Modelled) -> tuple[float, float]:
    """Of extremes and levels, by what the values ever were; a level that may be beyond all of them is none."""
    first, last = model.ever
    span = last - first
    if model.metric in (MEAN, MEDIAN):
        return _of_level(model)
    low, high = first - _SIGNED_RANGES * span, last + _SIGNED_RANGES * span
    if first < 0 and not model.sigma:
        # -1 in all batches is a mark, and no end of a range of 91: "never below -32" was said of it.
        low = max(low, _EXTREME * first)
    if first < 0 and model.metric.extreme == "least" and np.mean(model.observed < 0) < SELDOM_NEGATIVE:
        low = math.inf
    if first >= 0:
        high = min(_EXTREME * last, last + _RANGES * span)
    if first > 0:
        low = max(first / _EXTREME, first - _RANGES * span)
    # Of what is nearly the same throughout twice as much is another unit.
    high = high if span > _SAME * abs(last) else last + abs(last)
    return {"least": (low, math.inf), "greatest": (-math.inf, high)}.get(model.metric.extreme, (-math.inf, math.inf))


def _of_level(model: Modelled) -> tuple[float, float]:
    """Of means and medians."""
    first, last = model.ever
    least, most = float(model.values.min()), float(model.values.max())
    # Of one value that is all that can be said, and of a few rows that stay; of more values readers kept 1 of 6.
    rows, share = model.frequent
    room = (last - first) * (1 if model.one_value else 2 if rows < _FEW_VALUES * share else 0)
    away = max(model.mu - least, most - model.mu)
    far = max(_LEVEL * away, _part(model, few=room > 0) if first >= 0 else 0.0)
    # Of a list that stands still not that either.
    usual = min(_USUAL * model.spread, _FAR * away)
    far = max(far, usual) if model.spread <= _STEADY * abs(model.mu) else far
    low, high = max(first - room, model.mu - far), min(last + room, model.mu + far)
    high = high if room else min(high, most + _WAY * (last - most))
    if first >= 0 or least > 0:
        now = float(np.median(as_it_goes(model.values)))
        return max(low, _HALVED * min(model.mu, now)), min(high, _DOUBLED * max(model.mu, now))
    high = min(high, _TIMES * most) if most > 0 else high
    apart = _SIGNED * model.spread if math.isfinite(model.spread) else math.inf
    return max(low, model.mu - apart), min(high, model.mu + apart)


def _part(model: Modelled, *, few: bool) -> float:
    """How far from its mean a level of what is never negative may be, however little it moved; of a few values any of them moves it."""
    return _PART * model.mu if few or not math.isfinite(model.spread) else min(_PART * model.mu, _SPREADS * model.spread)
