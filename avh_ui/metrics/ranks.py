"""Numbers in their order: the ranks that they have, and where they end."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from avh_ui.metrics.column import Counts, Floats


def ranks(values: Floats) -> Floats:
    """Of each of the values, shape (n,), its rank from 0 on; equal ones have the mean of theirs."""
    order = np.argsort(values)
    ordered = values[order]
    bounds = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]]))
    found = np.empty(len(values))
    found[order] = np.repeat((bounds[:-1] + bounds[1:] - 1) / 2, np.diff(bounds))
    return found


def ends_of(numbers: Floats) -> tuple[float, float]:
    """The least and the greatest of numbers (of any shape) that are finite; NaN without any."""
    least, most = float(np.fmin.reduce(numbers, initial=np.nan)), float(np.fmax.reduce(numbers, initial=np.nan))
    if math.isinf(least) or math.isinf(most):
        return ends_of(numbers[np.isfinite(numbers)])
    return least, most


def quantile_of(ordered: Floats, share: float) -> float:
    """`np.quantile` of numbers (at least one, none NaN) that ascend, which it sorts once more and checks for a tenth of a millisecond."""
    place = share * (len(ordered) - 1)
    below = int(place)
    part, low, high = place - below, float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def quantiles_of(ordered: Floats, counts: Sequence[int], share: float) -> Floats:
    """`quantile_of` by row of numbers that ascend, so many of each row: shape (rows,), NaN of none."""
    last = np.maximum(np.array(counts, dtype=np.int64) - 1, 0)
    place = share * last
    below = place.astype(np.int64)
    part, (low, high) = place - below, (_at(ordered, below), _at(ordered, np.minimum(below + 1, last)))
    return np.asarray(np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part)))


def medians_of(ordered: Floats, counts: Sequence[int]) -> Floats:
    """`np.median` by row of the same."""
    many = np.array(counts, dtype=np.int64)
    middle = many // 2
    high = _at(ordered, np.minimum(middle, np.maximum(many - 1, 0)))
    return np.asarray(np.where(many % 2 == 1, high, (_at(ordered, np.maximum(middle - 1, 0)) + high) / 2))


def _at(ordered: Floats, places: Counts) -> Floats:
    """One number of each row; NaN where rows have none."""
    return ordered[np.arange(len(ordered)), places] if ordered.shape[1] else np.full(len(ordered), np.nan)
