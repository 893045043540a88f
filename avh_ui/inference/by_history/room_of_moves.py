"""How far values may move from batch to batch so that a bound still says something: a column of zeros moves by as much as its average.

Of 89 judged bounds on how far values move, on average or in sum, 10 that were otherwise near were called too loose: "a dead sensor passes".
"""

from __future__ import annotations

import math

from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.of_late import latest
from avh_ui.metrics.clocks import CLOCK_DIST
from avh_ui.metrics.distance_words import TOLD_IN_ROWS, rows_moved
from avh_ui.metrics.distances import COHEN_D, KS_DIST

# So many times what ever was is too loose of times of day; of moves and distances readers kept 1.8 and 1.9 times the largest, and called
# 2.0 to 2.7 times too loose; of the rows below any value they kept 1.5, 1.6 and 1.75 times, and called 1.77 and 1.8 too loose.
_CLOCKS, MOVED, _BELOW_ANY = 3.0, 1.9, 1.75
# Nor may values that never were negative move as far as zeros in their place do ("at most 1.05 of the spread" of cases, that zeros move by
# 0.73 to 1.1), nor any across half of what they ever were, as a humidity of 50 to 97 by 40: readers kept none of 5 such bounds. Of the 44
# nearer ones that were within the limits above they kept 38, of one of 0.77 of the average both.
_OF_LEVEL, _OF_RANGE = 0.8, 0.48
# Distances and moves that are as small as this nobody measures by what ever was: of a share, of rows, a divergence, and a move in spreads
# of the values. Averages that move by 0.06 and 0.09 of the spread were too loose after 0.01 and 0.03, and "by at most 260" was after 46.
_SMALL_SHARE, _SMALL_MIX, _SMALL_NATS, _SMALL_MOVE, _SMALL_AVERAGE, _TIMES_SMALL = 0.02, 0.04, 0.01, 0.07, 0.055, 5.0
# In the column's unit readers compare all the same: of 30 bounds of up to 2.1 times the largest move they kept 24, of four of 2.4 and more
# (populations of states beside the country's) one of eight verdicts.
_TIMES_MOVE = 2.2
# Nor is a share small that is so many rows: 1.8 points of 4,000 regions, of which at most 3 had become others, were too loose.
_SMALL_ROWS = 10.0


def room_of_moves(model: Modelled) -> float:
    """Of distances to the batch before, in the transform's space."""
    metric = model.metric
    if not metric.of_quantities:
        times = _CLOCKS if metric is CLOCK_DIST else _BELOW_ANY if metric is KS_DIST else MOVED
        share = metric.unit == "ratio" or metric is KS_DIST
        small = _SMALL_SHARE if share else _SMALL_MIX if metric.name in TOLD_IN_ROWS else _SMALL_NATS
        if share or metric.name in TOLD_IN_ROWS:
            # An L1 distance counts a row twice.
            small = min(small, (1.0 if rows_moved(metric.name) is None else 2.0) * _SMALL_ROWS / max(_values(model), 1.0))
        return max(times * float(model.values.max()), small)
    late = float(latest(model.values).max())
    small, times = (_SMALL_AVERAGE, _TIMES_SMALL) if metric is COHEN_D else (_SMALL_MOVE * model.spread, _TIMES_MOVE)
    far = max(MOVED * late, min(small, times * late) if late > 0 else small)
    return min(far, _far_of_values(model))


def _far_of_values(model: Modelled) -> float:
    """How far values move that are lost, at most: infinite where that is not known."""
    first, last = model.ever
    unit = model.spread if model.metric is COHEN_D else 1.0
    if not (math.isfinite(unit) and unit > 0 and last > first):
        return math.inf
    ends = [_OF_RANGE * (last - first), _OF_LEVEL * model.level if first >= 0 and model.level > 0 else math.inf]
    return min(ends) / unit


def _values(model: Modelled) -> float:
    """How many values a batch has; 0 where that is not known."""
    rows, share = model.frequent
    return rows / share if math.isfinite(rows) and share > 0 else 0.0
