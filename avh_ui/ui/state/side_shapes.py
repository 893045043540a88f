"""The distributions of one column on two sides: what is drawn of numbers, and how far the share of each value changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from avh_ui.history.series import Series
from avh_ui.metrics.binning import bin_edges, binned
from avh_ui.metrics.distances import align
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState

# Points of a cumulative curve: one per two pixels.
POINTS = 200


@dataclass(frozen=True)
class CategoryShift:
    """One value (or shape) with its share on both sides and its share of the Jensen-Shannon divergence."""

    name: str
    ours: float
    theirs: float
    contribution: float


@dataclass(frozen=True)
class NumberShapes:
    """What is drawn of a number column. Histogram: `edges` (B + 1,), shares (B,) each; cumulative curves as points; quantiles (99,)."""

    edges: Series
    ours: Series
    theirs: Series
    ours_curve: tuple[Series, Series]
    theirs_curve: tuple[Series, Series]
    quantiles: tuple[Series, Series]


def number_shapes(ours: DistributionState, theirs: DistributionState) -> NumberShapes | None:
    """What is drawn of two distributions; None where a side has no values."""
    (x, p), (y, q) = (side.support() for side in (ours, theirs))
    if not len(x) or not len(y):
        return None
    edges = bin_edges([(x, p), (y, q)])
    at = np.arange(1, 100) / 100
    quantiles = tuple(v[np.minimum(np.searchsorted(np.cumsum(w), at - 1e-12), len(v) - 1)] for v, w in ((x, p), (y, q)))
    low, high = edges[0], edges[-1]
    return NumberShapes(
        edges,
        binned((x, p), edges),
        binned((y, q), edges),
        _curve(x, p, low, high),
        _curve(y, q, low, high),
        (quantiles[0], quantiles[1]),
    )


def _curve(x: Series, p: Series, low: float, high: float) -> tuple[Series, Series]:
    """The cumulative share at evenly spaced values."""
    grid = np.linspace(low, high, POINTS)
    upto = np.concatenate([[0.0], np.cumsum(p)])
    return grid, upto[np.searchsorted(x, grid, side="right")]


def category_shifts(ours: FrequencyState, theirs: FrequencyState) -> list[CategoryShift]:
    """The values of both sides by how much their share changed; empty where a side has none."""
    found = align(ours, theirs)
    if found is None:
        return []
    names, p, q = found
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = sum(np.where(side > 0, side * np.log(side / middle), 0.0) / 2 for side in (p, q))
    total = float(np.sum(terms))
    shares = terms / total if total > 0 else np.zeros(len(p))
    labels = [*names, "everything else"]
    made = [CategoryShift(*row) for row in zip(labels, p.tolist(), q.tolist(), np.maximum(shares, 0).tolist(), strict=True)]
    made = [c for c in made if c.ours or c.theirs]
    return sorted(made, key=lambda c: (-abs(c.ours - c.theirs), c.name))
