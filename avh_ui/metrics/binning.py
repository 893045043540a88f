"""One column's numbers as bars: bins that two distributions can share, and the share of each in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.metrics.column import Floats

# Points ascending and their shares of the whole, shape (D,) both: `DistributionState.support`.
Support = tuple[Floats, Floats]
# Bars that can be told apart in a chart of 400 pixels; at most so many distinct values get a bar each.
BINS = 40
# Beyond the outermost half per cent a single outlier would squeeze everything else into one bar.
TAIL = 0.005


def bin_edges(supports: Sequence[Support]) -> Floats:
    """Edges for all of them, each with values: around each value while they are few, else equal widths within the outer half per cents."""
    every = np.unique(np.concatenate([values for values, _ in supports]))
    every = every[np.isfinite(every)]
    if len(every) <= BINS:
        if len(every) < 2:
            middle = float(every[0]) if len(every) else 0.0
            # Of a year no century; half of one beside numbers beyond 2^52 is no other number.
            half = 0.5 if middle == round(middle) and abs(middle) < 2**52 else abs(middle) / 20
            return np.array([middle - half, middle + half])
        middles = (every[1:] + every[:-1]) / 2
        return np.concatenate([[every[0] - (middles[0] - every[0])], middles, [every[-1] + (every[-1] - middles[-1])]])
    ends = [float(v[np.minimum(np.searchsorted(np.cumsum(w), at), len(v) - 1)]) for v, w in supports for at in (TAIL, 1 - TAIL)]
    low, high = min(ends), max(ends)
    return np.linspace(low, high, BINS + 1) if high > low else np.linspace(every[0], every[-1], BINS + 1)


def binned(support: Support, edges: Floats) -> Floats:
    """Shares per bin; what lies beyond the outer edges is left out."""
    values, shares = support
    inside = (values >= edges[0]) & (values <= edges[-1])
    found: Floats = np.histogram(values[inside], bins=edges, weights=shares[inside])[0]
    return found
