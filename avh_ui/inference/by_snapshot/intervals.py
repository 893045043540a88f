"""Confidence intervals of a share, as Deequ's rules use them: 95 %, cut to two decimals."""

from __future__ import annotations

import math
from collections.abc import Callable

# The 97.5 % quantile of the normal distribution: two sides of a 95 % interval.
_Z = 1.959963984540054
Interval = Callable[[float, int], tuple[float, float]]


def wald(share: float, n: int) -> tuple[float, float]:
    """The normal approximation, Deequ's default; a share of 0 or 1 has no width."""
    half = _Z * math.sqrt(share * (1 - share) / n)
    return _cut(share - half, share + half)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's score interval, which holds for small n and shares near 0 and 1."""
    z2 = _Z**2
    center, width = share + z2 / (2 * n), _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return _cut((center - width) / (1 + z2 / n), (center + width) / (1 + z2 / n))


def _cut(lower: float, upper: float) -> tuple[float, float]:
    # Rounding noise must not push a bound that is a multiple of 0.01 to the next one.
    return math.floor(round(100 * lower, 9)) / 100, math.ceil(round(100 * upper, 9)) / 100
