"""How seldom many values become one and the same, where never many were: the cost of the bound above `top_ratio`.

Where it is not far from what was, the law of `tails` holds: beyond 1, 1.5, 2, 3, 5 and 8 times the largest deviation lay 3.2, 1.4, 0.62,
0.11, 0.05 and 0.03 % of the next shares of 38,972 windows of 30 batches of six tables, and 1.1, 0.39, 0.15, 0.04, 0.03 and 0.02 % of 36,292
of 120. Then it ends: beyond 3 times the largest share and a tenth of the values lay 9 of 83,870, 82,039, 78,854 and 72,644 next ones after
14, 30, 60 and 120 batches, 6 of them of one day whose counts of tens and hundreds were 0.

Where the most frequent value never was much, which mostly is chance, it ends sooner. Of 499 series of numbers (flights by day, carrier,
origin, destination and hour, earthquakes, New York's cases, regions and provinces of Italy), as long as no share was above 0.3, beyond
twice the largest and 0.1 above it lay 38, 26, 9 and 7 of 182,979, 171,772, 154,680 and 125,012 next ones after 14, 30, 60 and 120 batches,
6 of the last ones of that day; 0.15 above it 58, 34, 11 and 8. Of 46 more tables 8, 2 and 0 of 6,178, 4,299 and 1,941 lay beyond the first
after 14, 30 and 60, and 6, 2 and 0 beyond the second: what comes before 30 batches is not told so. Without this "never one and the same
value in all rows" was said of counts of which no value ever made up more than an eighth.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.one_value import more_of_one, most_of_one
from avh_ui.metrics.most_frequent import TEXT_TOP_RATIO, TOP_RATIO

B = TypeVar("B", bound=Any)

_BATCHES, _TIMES, _SHARE = 14, 3.0, 0.1
# What is told of each bound.
_ARRAYS = ("upper", "lower", "fpr", "width", "k")
# What a nearer bound may cost that is told instead: the usual target of a column.
_NEAR_RATE = 1e-3
# The largest share of which it ends sooner, and from when; then what lies beyond twice as much and a tenth more, and beyond so much more.
_CHANCE, _KNOWN, _LONG = 0.3, 30, 60
_TWICE, _TENTH, _MORE = 2.0, 0.1, 0.15
_TWICE_RATES, _MORE_RATES = (2e-4, 1e-4), (5e-4, 1.5e-4)
# Where it was more, up to 0.6, 29, 5 and 3 of 14,599, 16,793 and 16,728 lay so much above the largest after 30, 60 and 120.
_OFTEN, _OFTEN_RATE = 0.4, 3e-4
# The 3 others are of a table's notes and of two columns that it was about to give up: 3 of 82,039 and of 72,644.
RATE = 4e-5


def tells_defaults(model: Modelled) -> bool:
    """Whether it is the share of the most frequent value as it is."""
    return model.metric in (TOP_RATIO, TEXT_TOP_RATIO) and model.transform.is_identity


def all_the_same(model: Modelled, found: B) -> B:
    """Bounds of which those that are so far above what ever was cost what was seen, and none is further where a near one may be had; of
    what drifts they are those alone, and stay.
    """
    if not tells_defaults(model):
        return found
    most = float(model.observed.max())
    near = found.upper <= more_of_one(most, _TENTH) + 1e-9
    if not model.drifting and np.any(found.fpr[near] <= _NEAR_RATE):
        found = replace(found, **{name: getattr(found, name)[near | np.isinf(found.upper)] for name in _ARRAYS})
    if len(model.observed) < _BATCHES:
        return found
    # How wide the next bound is that is told in deviations is chance.
    ends = np.array([_written(end) for end, _ in _ends(model, found)[1:] if end <= most_of_one(model)])
    upper, lower = np.append(found.upper, ends), np.append(found.lower, np.full(len(ends), -np.inf))
    fpr = np.append(found.fpr, np.ones(len(ends)))
    for end, rate in _ends(model, found):
        fpr = np.where((upper >= end - 1e-9) & (lower <= 0), np.minimum(fpr, rate), fpr)
    reach = float(np.abs(model.values - model.mu).max())
    far = (ends - model.mu) * (np.nan if model.drifting or not model.sigma else 1.0)
    width, k = np.append(found.width, far / (reach or 1.0)), np.append(found.k, far / (model.sigma or 1.0))
    order = np.argsort(upper, kind="stable")
    order = order[order >= len(found.upper)] if model.drifting else order
    return replace(found, **{name: values[order] for name, values in zip(_ARRAYS, (upper, lower, fpr, width, k), strict=True)})


def _ends(model: Modelled, found: Any) -> list[tuple[float, float]]:
    """From where on a share is so far above what ever was, and how seldom the next one lies there; sooner where nothing nearer is `found`
    that a column may cost.
    """
    most, count = float(model.observed.max()), len(model.observed)
    ends = [(max(_TIMES * most, _SHARE), RATE)]
    near = not model.drifting and np.any(found.fpr[found.upper <= most + _TENTH] <= _NEAR_RATE)
    if model.metric is not TOP_RATIO or model.temporal or near:
        return ends
    if most <= _CHANCE and count >= _KNOWN:
        late = int(count >= _LONG)
        ends += [(max(_TWICE * most, most + _TENTH), _TWICE_RATES[late]), (most + _MORE, _MORE_RATES[late])]
    elif _CHANCE < most <= _OFTEN and count >= _LONG:
        ends.append((most + _MORE, _OFTEN_RATE))
    return ends


def _written(end: float) -> float:
    return math.ceil(end * 100 - 1e-6) / 100
