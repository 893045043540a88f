"""Which mixes of a column of texts say something: of values that come again, and of shapes that are a form."""

from __future__ import annotations

import math

import numpy as np

from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.column import NUMBER_KINDS
from avh_ui.metrics.distances import NUMBER_DISTANCES, SHAPE_DISTANCES, TEXT_DISTANCES, VALUES_MOVED
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric, find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.shapes import ShapeState
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT, UNIQUE_RATIO

# Where nearly all values are there once, or more than half of the rows have a value that the batch before had not, shares of values are
# those of chance. A sketch of the distinct values is off by less than 5 %.
_ONCE, _OTHERS = 0.9, 1.0
# Of more values than are counted one by one, of which none has such a share of the rows, single edits decide how far the mix is from the
# one before: of 7 alarms in 90 quiet deliveries of airport frequencies 6 were of the mix of 10,000 airports, none of which had 30 of
# 29,000 rows.
_LEAST_SHARE = 0.01
# So many shapes at once are no form: a hash of 8 hexadecimal digits has 8 to 11, one of 16 has 16, tail numbers have 2, codes 1 to 3.
_SHAPES = 6.0
# Where so many of the batches moved by less than this part of what chance moves, rows are those of the batch before: of lists of airports
# and regions "no value loses more than 46 %" was too loose for all four readers, since none ever lost more than 4.
_STANDING, _OF_CHANCE = 0.9, 0.5
# Wards from A1 to OPD: that two letters and a digit are rarer at weekends is said of shapes, and meant of wards.
_LISTED = 20
# "The distribution of user_id changes by at most 24 pt" was said of a thousand users, by the tenths of their numbers.
_OF_NUMBERS = frozenset(m.name for m in NUMBER_DISTANCES if not m.of_quantities)
_OF_VALUES, _OF_SHAPES = frozenset(m.name for m in TEXT_DISTANCES), frozenset(m.name for m in SHAPE_DISTANCES)


def no_mix(history: ColumnHistory, baseline: ColumnProfile | None, metric: Metric, *, names: bool = False) -> str:
    """Why a distance between shares says nothing of a column with this history, whose batch before is the `baseline`; '' where it does.
    Of numbers that are `names` it does where they are few.
    """
    # Distances of numbers are called alike.
    if history.kind in NUMBER_KINDS:
        unsaid = names and metric.name in _OF_NUMBERS and _many(baseline)
        return "it names many things, whose order says nothing" if unsaid else ""
    if metric.name in _OF_VALUES:
        if _middle(history, UNIQUE_RATIO) >= _ONCE:
            return "nearly all its values are there once"
        if _spread_out(baseline):
            return f"none of its many values is in {_LEAST_SHARE:.0%} of the rows"
        return "most of its values are others in each batch" if mostly_others(history) else ""
    if metric is DIST_VAL_COUNT and _ONCE <= _middle(history, UNIQUE_RATIO) < 1:
        return "nearly all its values are there once, so that it counts rows"
    if metric.name in _OF_SHAPES and _few(baseline):
        return "its values are few, and say more than their shapes"
    if metric.name in _OF_SHAPES and (many := shapes_at_once(baseline)) > _SHAPES:
        return f"its values have no form: about {many:.0f} shapes at once"
    return ""


def mostly_others(history: ColumnHistory) -> bool:
    """Whether more than half of the rows of a batch have a value that the batch before had not."""
    return _middle(history, VALUES_MOVED) >= _OTHERS


def is_standing(history: ColumnHistory, profile: ColumnProfile | None) -> bool:
    """Whether shares of values hardly move from batch to batch, since the same rows come: far less than those of rows drawn anew do."""
    counted = None if profile is None else find(profile.states, FrequencyState)
    moved = history.values.get(VALUES_MOVED.name, np.empty(0))
    moved = moved[np.isfinite(moved)]
    if counted is None or not counted.n or not len(moved):
        return False
    shares = np.fromiter(counted.table.values(), dtype=np.float64) / counted.n
    # How far two draws of so many rows are apart on average: of each share by the root of 4 p (1 - p) / (pi n).
    chance = float(np.sqrt(4 * shares * np.maximum(1 - shares, 0) / (math.pi * counted.n)).sum())
    return float(np.quantile(moved, _STANDING)) < _OF_CHANCE * chance


def _many(profile: ColumnProfile | None) -> bool:
    """Whether a column of numbers has more values than a person reads as a list."""
    state = None if profile is None else find(profile.states, DistributionState)
    return state is not None and len(state.support()[0]) > _LISTED


def _few(profile: ColumnProfile | None) -> bool:
    """Whether a column has so few values that a person reads them as a list."""
    counted = None if profile is None else find(profile.states, FrequencyState)
    return counted is not None and counted.exact and len(counted.table) <= _LISTED


def _spread_out(profile: ColumnProfile | None) -> bool:
    """Whether a column has more values than are counted one by one, and none that is frequent."""
    counted = None if profile is None else find(profile.states, FrequencyState)
    return counted is not None and not counted.exact and max(counted.table.values(), default=0) < _LEAST_SHARE * counted.n


def shapes_at_once(profile: ColumnProfile | None) -> float:
    """Of how many equally frequent shapes the texts would be as mixed (the exponential of the entropy); 0 where that is not known."""
    state = None if profile is None else find(profile.states, ShapeState)
    counts = np.fromiter(state.table.values(), dtype=np.float64) if state is not None else np.empty(0)
    counts = counts[counts > 0]
    shares = counts / counts.sum() if len(counts) else counts
    return math.exp(-float(shares @ np.log(shares))) if len(shares) else 0.0


def _middle(history: ColumnHistory, metric: Metric) -> float:
    known = history.values.get(metric.name, np.empty(0))
    known = known[np.isfinite(known)]
    return float(np.median(known)) if len(known) else 0.0
