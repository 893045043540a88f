"""The bound on values of other forms where their share varies from batch to batch more than chance does, or drifts.

The rise test takes the values of all batches for one sample of one share. Models of aircraft were in other forms in 2 % of the values of a
history's first batches and in 4 % of its last, and then in 8 to 13 % of five of the next 60, which it alarmed on.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, chdtrc, gammaln, ndtr

# Fewer batches tell neither a spread nor a trend.
_LEAST_BATCHES = 20
# So unlikely a spread or a trend is of chance alone: of a hundred columns whose share stands one is bounded so.
_UNLIKELY = 0.01
# A trend goes on for so long a part of the history: by then a program is learned anew.
_AHEAD = 0.5
# One bound stands for batches of all sizes: it leaves room for chance in batches as small as a quarter of them are.
_SMALL = 0.25
# Of more values chance decides nothing beside the spread between batches.
_MOST_VALUES = 10_000
# Values that go together by less are as good as each for itself.
_TOGETHER = 1e-6


def varying_bound(bad: NDArray[np.int64], totals: NDArray[np.int64], level: float) -> float | None:
    """The share that a batch exceeds with the chance `level` where `bad` of the `totals` of each batch (B,) vary or drift; None where they
    do so by chance alone.

    A line is fitted to the shares by weighted least squares. Pearson's statistic of what is left tells the spread between batches, and a
    score test (Cochran 1954, Armitage 1955) the trend; the bound is a quantile of the Beta-binomial distribution of that spread.
    """
    batch = np.flatnonzero(totals)
    failing, sizes = bad[batch].astype(np.float64), totals[batch].astype(np.float64)
    pooled = float(failing.sum() / sizes.sum()) if len(batch) else 0.0
    if len(batch) < _LEAST_BATCHES or not 0 < pooled < 1:
        return None
    away = batch - float(np.average(batch, weights=sizes))
    variance, weight = pooled * (1 - pooled), float((sizes * away**2).sum())
    rise = float((away * (failing - sizes * pooled)).sum())
    slope = rise / weight
    left = failing - sizes * (pooled + slope * away)
    spread = float((left**2 / (sizes * variance)).sum())
    freedom = len(batch) - 2
    drifts = bool(ndtr(-rise / math.sqrt(variance * weight)) < _UNLIKELY)
    varies = bool(chdtrc(freedom, spread) < _UNLIKELY)
    if not (drifts or varies):
        return None
    share = pooled + slope * (float(away[-1]) + _AHEAD * len(batch)) if drifts else pooled
    common = max(0.0, (spread / freedom - 1) / max(float(sizes.mean()) - 1, 1.0)) if varies else 0.0
    return _quantile(min(share, 1.0), common, int(min(np.quantile(sizes, _SMALL), _MOST_VALUES)), level)


def _quantile(share: float, common: float, size: int, level: float) -> float:
    """The share of so many values that is exceeded with the chance `level`, where those of a batch go together by `common`."""
    if share >= 1 or common >= 1:
        return 1.0
    both = 1 / max(common, _TOGETHER) - 1
    a, b, k = share * both, (1 - share) * both, np.arange(size + 1)
    log = gammaln(size + 1) - gammaln(k + 1) - gammaln(size - k + 1) + betaln(k + a, size - k + b) - betaln(a, b)
    return int(np.searchsorted(np.cumsum(np.exp(log)), 1 - level)) / size
