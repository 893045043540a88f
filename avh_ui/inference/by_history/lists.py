"""How many nulls, and how many rows, a list gains: a table whose rows come again and again with the values that they had.

What is null there is null in the next release, so that the share stands still, falls as the list is filled, or grows with the list. After
20 to 119 releases of 28 lists the next share was beyond the largest of the newest 20 by half of it, by 1 % of the rows and by 12 rows in 3
of 3,887 cases, of which this says 2.3, and by half as much again in 1. Of other tables it was beyond as much in .3 to 2 %. "At most 5.2 %
of engine are null" was said where 1.9 % ever were.

A list grows by what somebody adds at once, so that near bounds alarm hardly more often than far ones: after 20 to 120 releases of 36 lists
the next one had more rows than the one before by 1.5 times as many as ever, and 5 % of the rows, in 13 of 2,725 cases, by 2 times as many
in 12, 2.5 times in 10, 4 times in 9 (of less than 80 releases 9, 8, 6 and 5 of 864). By the newest two thirds of the releases there were
twice as many cases.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.metrics.counts import COMPLETE_RATIO

Floats = NDArray[np.float64]

# Of fewer releases nothing was measured, and what was null before so many is no measure.
_LEAST, _LEAST_STEPS = 20, 10
# So much more than the largest share is far: half of it, and this part of the rows, or so many of them where these are fewer.
_HALF, _PART, _ROWS = 0.5, 0.01, 12
# After n releases the next share is so far beyond with this / (n + 1), and hardly less often farther.
_RATE = 0.02
# And more than so many times as far says nothing: readers called 12 of 16 bounds of lists too loose that were 1.9 to 3 times the largest.
_FAR = 1.6
# Nearer than so many times as many rows as ever a bound is none, and farther, or than this part of the rows, it says nothing: of those of
# 2.5 to 4.4 times readers called 6 of 8 too loose.
_NEAR_ROWS, _FAR_ROWS, _FEW_OF_LIST = 1.5, 2.5, 0.1
# A list hardly shrinks, and what loses rows loses many: of 2,244 next releases of 53 tables that change by 3 % of their rows in the middle
# at most, 12 had lost more than twice as many as ever and a tenth, 11 more than three times as many and a fifth. A quarter of the
# rows is too many where a quarter more than ever is less.
_STILL, _LOST, _QUARTER, _NEAR_LOST = 0.03, 2.0, 0.25, 1.25


def by_rows(model: Modelled) -> bool:
    """Whether it is by how many rows a list grows or shrinks."""
    return model.metric.volume and bool(model.transform.lag) and not model.transform.log and model.sigma > 0


def grows(model: Modelled) -> bool:
    """Whether it is how many times as many rows a list has as in the batch before."""
    return model.metric.volume and model.transform.lag == 1 and model.transform.log and model.sigma > 0


def growth_of_list(model: Modelled) -> tuple[float, float]:
    """Between what bounds on how many rows a list gains, or how many times as many it has, say something, in the transform's space."""
    most = max(-float(model.values.min()), float(model.values.max()))
    few = math.log1p(_FEW_OF_LIST) if model.transform.log else _FEW_OF_LIST * float(model.observed[-1])
    return _NEAR_ROWS * most, max(_FAR_ROWS * most, few)


def held_to_losses(model: Modelled, lower: Floats) -> Floats:
    """Lower bounds on how many rows a list gains, shapes (B,), none below twice the largest loss, or a quarter of the rows, and a tenth of
    them; else as they are.

    "0.58 to 1.82 times" was said of a list that never lost more than 4 %.
    """
    if not (grows(model) or by_rows(model)) or len(model.values) < _LEAST_STEPS:
        return lower
    rows = 1.0 if model.transform.log else float(model.observed[-1])
    if float(np.median(np.abs(model.values))) > _STILL * rows:
        return lower
    lost = max(0.0, -float(model.values.min()))
    quarter = -math.log1p(-_QUARTER) if model.transform.log else _QUARTER * rows
    far = max(min(_LOST * lost, max(quarter, _NEAR_LOST * lost)), _FEW_OF_LIST * rows)
    return np.where(np.isfinite(lower), np.maximum(lower, -far if model.transform.log else -math.floor(far)), lower)


def of_list(model: Modelled) -> bool:
    """Whether it is the share of values that are there of a list, and varies."""
    known = model.metric is COMPLETE_RATIO and model.transform.is_identity and model.sigma > 0
    return known and model.stays > 0 and len(model.values) >= _LEAST


def costs_of_nulls(model: Modelled, lower: Floats, fpr: Floats) -> Floats:
    """What lower bounds on the share that is there cost of a list, shapes (B,), where that is less than `fpr`; of all else that."""
    if not of_list(model):
        return fpr
    largest, far = _room(model)
    known = (lower > 0) & (1 - lower >= largest + far)
    return np.where(known, np.minimum(fpr, _RATE / (len(model.values) + 1)), fpr)


def lowest_of_list(model: Modelled) -> float:
    """The lowest bound on the share that is there which says something of a list."""
    largest, far = _room(model)
    return 1 - max(largest + _FAR * far, 1 - float(model.values.min()))


def some_null(model: Modelled, lower: Floats, upper: Floats) -> NDArray[np.bool_]:
    """Where bounds on the share that is there tell how little of a list is null at least: not that next to nothing is."""
    return np.asarray((1 - upper >= _HALF * (1 - lower)) | (not of_list(model)))


def _room(model: Modelled) -> tuple[float, float]:
    """The largest share of nulls of late, and how much more is far."""
    largest = 1 - float(model.values[-_LEAST:].min())
    return largest, max(_HALF * largest, min(_PART, _ROWS / model.stays) * (1 - largest))
