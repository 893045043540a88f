"""Numbers in their order: the ranks that they have, and where they end."""

from __future__ import annotations

import math

import numpy as np

from avh_ui.metrics.column import Floats


def ranks(values: Floats) -> Floats:
    """Of each of the values, shape (n,), its rank from 0 on; equal ones have the mean of theirs."""
    order = np.argsort(values)
    ordered = values[order]
    bounds = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]]))
    found = np.empty(len(values))
    found[order] = np.repeat((bounds[:-1] + bounds[1:] - 1) / 2, np.diff(bounds))
    return found


def ends_of(numbers: Floats) -> tuple[float, float]:
    """The least and the greatest of numbers that are finite; NaN without any."""
    least, most = float(np.fmin.reduce(numbers, initial=np.nan)), float(np.fmax.reduce(numbers, initial=np.nan))
    if math.isinf(least) or math.isinf(most):
        return ends_of(numbers[np.isfinite(numbers)])
    return least, most
