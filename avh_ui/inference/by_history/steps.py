"""How far a row can move a metric that never changed, and few rows one that hardly did: the least that its bounds tolerate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.going_missing import frequent
from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.moments import ENDS
from avh_ui.inference.by_history.usual_size import of_usual_size
from avh_ui.inference.by_history.written import DAY
from avh_ui.metrics.by_key import RANK_CHANGE
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT
from avh_ui.metrics.distances import COHEN_D
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, MIN, RANGE, STANDARD_DEVIATION
from avh_ui.metrics.whole_numbers import WHOLE_RATIO

# The step of a constant metric of which one row has no known effect, as a share of its value, or of the column's range for extremes.
STEP_SHARE = 0.01
# The bounds of a metric that varied let pass what so many of the rows move, by one standard deviation of their values. A table of which a
# few rows are edited a day stands still else: at "113,905, below 113,906" nobody looks. The smallest failure of coverage is ten times that.
FEW = 0.001
# What rounds numbers rounds many of them; that a few more are whole is chance. Two of New York's weekly rates of 90 weeks alarmed where one
# had been ("at most 1.28 % are whole numbers"), on 2 of 222 clean batches.
_ROUNDED = 0.2
# A wave of cases reorders provinces for weeks, and is no fault: bounds within this made 18 of 26 alarms on 1,721 batches without a label.
# Of a column that is shifted by a row, or whose rows are mixed up, the order is another one: 1 away from what it was.
ANOTHER_ORDER = 0.5
# The deviation of values of which some are far from the others is about so much of their range.
_OF_RANGE = 0.1
# Spreads that are twice or half the usual one are the same number to nobody.
_STEADY = 2.0
# How many batches say how far the values are apart by now.
_LATEST = 3
# Of a column of which less is filled a distance moves by one of its values: of 225 among 11,000 rows "at most 0.2% of its rows" was half of
# one, and a row that comes with the largest value moves the average by a part of how far values are apart.
_MOSTLY_NULL = 0.5


def moves_by_factors(metric: Metric) -> bool:
    """Whether it says by which factor the row moved that moved farthest: how many rows there are has no part in that."""
    return metric.of_farthest and metric.scale is not None and not metric.scale.roots


def grain(model: Modelled, rows: int) -> float:
    """How far one row can move the metric; 0 where that depends on the row's value."""
    if model.metric.volume and model.transform.log and model.transform.lag:
        # A timetable has as many rows as a week before, to the last one, until a tram is added.
        return STEP_SHARE
    if model.transform.log or not rows:
        return 0.0
    if model.metric.volume:
        # Rows come and go in deliveries of some size, and a change of volume worth catching is far larger.
        return max(1.0, math.ceil(STEP_SHARE * model.mu))
    if model.metric.whole:
        return 1.0
    if moves_by_factors(model.metric):
        return 0.0
    # One row moves a share by 1/rows and an average of characters by at least that; an L1 distance by 2/rows.
    moved = {"ratio": 1.0, "characters": 1.0, "distance": 2.0}.get(model.metric.unit, 0.0)
    filled = model.usual.get(COMPLETE_RATIO.name) if model.metric.two_distribution and not model.metric.by_key else None
    if filled is None or filled.most >= _MOSTLY_NULL:
        return moved / rows
    if model.metric.amount and math.isfinite(apart := model.ever[1] - model.ever[0]):
        moved = apart
    return moved / max(rows * filled.most, 1.0)


def least_step(model: Modelled, history: ColumnHistory) -> float:
    """The smallest step worth tolerating where nothing tells what one row moves: 1 % of the column's range for extremes, else of the
    value's size; at least 1 of extremes and medians that are whole.

    What follows from the batch's id has none; but moments that lie on two days, as those of another time zone do, may be a day off.
    """
    if model.transform.part:
        ends = next((ends for ends in ENDS if model.metric.name in ends and all(end in history.values for end in ends)), ())
        days = [Transform(part=model.transform.part).apply(history.values[end], history.batches) for end in ends]
        return float(bool(days) and not np.array_equal(days[0], days[1]))
    if model.metric.dated:
        return DAY
    if moves_by_factors(model.metric):
        return STEP_SHARE
    ranges = history.values.get(RANGE.name) if model.metric.extreme else None
    scale = float(np.median(ranges)) if ranges is not None else abs(model.mu)
    step = STEP_SHARE * scale if math.isfinite(scale) else 0.0
    # The middle of small counts is 1 for years, and then 2.
    whole = (model.metric.extreme or model.metric.of_rank) and bool(np.all(model.observed == np.round(model.observed)))
    return max(step, 1.0) if whole else step


def spread_of(history: ColumnHistory) -> float:
    """The usual standard deviation of a batch's values: how far means are apart over how many deviations that is; where none moved a tenth
    of the range. NaN where neither is known.
    """
    means, deviations, ranges = (history.values.get(metric.name, np.empty(0)) for metric in (MEAN, COHEN_D, RANGE))
    # Distances from batches that are left out are left out too: then one does not know of which batch each is.
    if len(means) == len(deviations) > 1:
        with np.errstate(invalid="ignore"):
            apart = np.abs(np.diff(means))
        moved = np.isfinite(apart) & (deviations[1:] > 0)
        if moved.any():
            return _middle(apart[moved] / deviations[1:][moved])
    ranges = ranges[np.isfinite(ranges)]
    return _OF_RANGE * _middle(ranges) if len(ranges) else math.nan


def of_column(history: ColumnHistory) -> dict[str, Any]:
    """What all metrics of a column are told of its values, by the names of `MetricModel`."""
    sizes = {"spread": spread_of(history), "level": _level_of(history), "lately": late_spread(history), "frequent": frequent(history)}
    return {**sizes, "ever": values_ever(history), "temporal": history.kind == "temporal", "usual": of_usual_size(history)}


def values_ever(history: ColumnHistory) -> tuple[float, float]:
    """The smallest and the largest value of a column in all of its batches; NaN where that was not measured."""
    ends = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX))
    least, most = (one[np.isfinite(one)] for one in ends)
    return (float(least.min()), float(most.max())) if len(least) and len(most) else (math.nan, math.nan)


def _level_of(history: ColumnHistory) -> float:
    """How far a batch's average usually is from 0; NaN where there is none."""
    means = np.abs(history.values.get(MEAN.name, np.empty(0)))
    means = means[np.isfinite(means)]
    return _middle(means) if len(means) else math.nan


def late_spread(history: ColumnHistory) -> float:
    """The deviation of the latest batches' values; NaN where it is about the same in every batch, so that a move in deviations is a number
    in their unit, and infinite where it is not known. Of rain, whose deviation is 0.0009 in one month and 0.0053 in the next, "at most
    about 0.0033" was said where 0.0077 is no more deviations.
    """
    spreads = history.values.get(STANDARD_DEVIATION.name, np.empty(0))
    known = spreads[np.isfinite(spreads)]
    if not len(known):
        return math.inf
    usual = float(np.median(known))
    return math.nan if known.max() <= _STEADY * usual and usual <= _STEADY * known.min() else _middle(known[-_LATEST:])


def _middle(values: Series) -> float:
    """The median, infinite where the two in the middle are too large to be added."""
    with np.errstate(over="ignore"):
        return float(np.median(values))


def least_reach(model: Modelled, spread: float) -> float:
    """How far from the mean the bounds are at least, in the transform's space; `spread` is the usual deviation of the column's values (NaN
    where it is not known). Shares and distances of mixes are rounded to that anyhow, and an extreme is moved by one row.
    """
    metric, transform = model.metric, model.transform
    if metric is WHOLE_RATIO:
        return _ROUNDED
    if metric is RANK_CHANGE:
        return ANOTHER_ORDER
    if transform.part or metric.extreme or metric.by_key or (metric.of_rank and model.sigma == 0):
        return 0.0
    if transform.log:
        return FEW
    if metric.amount or (metric.unit == "value" and not metric.total):
        return FEW * spread if math.isfinite(spread) else 0.0
    if not (metric.volume or metric.total or metric.whole or metric.unit == "characters"):
        return 0.0
    if metric.unit == "characters" and not transform.lag and model.sigma == 0 and model.mu == round(model.mu):
        # A whole average that never moved is the length of every text: "always 6 characters", of which no row is an exception.
        return 0.0
    # A change from batch to batch is about 0, whatever the size of what changes.
    return FEW * (float(np.median(np.abs(model.observed))) if transform.lag else abs(model.mu))


def always_one(history: ColumnHistory, metric: Metric) -> tuple[bool, Series]:
    """Whether a share was 1 in every batch, and the rows of each. 21 counts are often unique by chance: the number of pairs tells."""
    share, rows = (history.values.get(one.name, np.zeros(1)) for one in (metric, ROW_COUNT))
    return bool(np.all(share == 1)), rows
