"""Bounds as a person would write them: rounded outwards to the digits that matter."""

from __future__ import annotations

import math
from bisect import bisect_right

# The doubles nearest to powers of ten, from 1e-307: a power function may give others on another processor.
_FIRST = -307
_TENS = [float(f"1e{k}") for k in range(_FIRST, 309)]


def rounded(lower: float, upper: float, size: float, *, whole: bool = False) -> tuple[float, float]:
    """Bounds rounded outwards to two digits of their distance; exact and infinite ones stay. `size` is that of the numbers they are of.

    `whole` ones that are at least 1 away from their middle have no digits behind the point.
    """
    width = (upper - lower) / 2
    if not (math.isfinite(width) and width > 1e-6 * size):
        return lower, upper
    places = bisect_right(_TENS, width) - 1 + _FIRST - 1
    if whole and width >= 1:
        places = max(places, 0)
    # Powers of ten with positive exponents are exact, and so the results are the doubles nearest to the decimals.
    shrink, grow = _TENS[max(places, 0) - _FIRST], _TENS[min(max(-places, 0), 308) - _FIRST]
    # A millionth of a digit is the slack for float noise, not a reason for the next digit.
    low, high = lower / shrink * grow + 1e-6, upper / shrink * grow - 1e-6
    if not (math.isfinite(low) and math.isfinite(high)):
        return lower, upper
    return math.floor(low) * shrink / grow, math.ceil(high) * shrink / grow
