"""Numbers in their order: the ranks that they have, and how many are alike."""

from __future__ import annotations

import math

import numpy as np

from avh_ui.metrics.column import Counts, Floats


def ranks(values: Floats) -> Floats:
    """Of each of the values, shape (n,), its rank from 0 on; equal ones have the mean of theirs."""
    order, bounds = _runs(values)
    found = np.empty(len(values))
    found[order] = np.repeat((bounds[:-1] + bounds[1:] - 1) / 2, np.diff(bounds))
    return found


def rank_distance(now: Floats, then: Floats) -> float | None:
    """One less Spearman's correlation of pairs of values, both of shape (n,); None where either side is constant."""
    a, b = (order - order.mean() for order in (ranks(now), ranks(then)))
    size = math.sqrt(float(a @ a) * float(b @ b))
    return max(0.0, 1.0 - float(a @ b) / size) if size > 0 else None


def alike(values: Floats) -> Counts:
    """Of each of the values, shape (n,), how many are as large, itself among them; NaN is like no other."""
    order, bounds = _runs(values)
    sizes = np.diff(bounds)
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.repeat(sizes, sizes)
    return found


def _runs(values: Floats) -> tuple[Counts, Counts]:
    """Their order, and where each run of equal ones begins in it, with the end of the last."""
    order = np.argsort(values)
    ordered = values[order]
    return order, np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]]))
