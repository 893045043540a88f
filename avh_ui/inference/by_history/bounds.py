"""What a constraint costs: the probability that a clean batch falls outside `mu - beta` to `mu + beta` (AVH, section 4.2).

`paper` states the paper's bounds as they are: Propositions 1 to 3 with the estimated mean and deviation put in. From some 30
batches these estimates err, and clean batches fall outside more often than stated. `calibrated` counts that error in: at least the cost
of a Student-t prediction interval, for every metric, and of the heavier tails of `tails`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc, stdtr

from avh_ui.metrics.metric import Proposition

Method = Literal["paper", "calibrated"]
Floats = NDArray[np.float64]

# Algorithm 3's grid in sigma: Chebyshev needs 31.6 for 0.1 %; a grid that stops at 10 doubled the false alarms.
GRID_K: Floats = np.arange(1.0, 40.0 + 0.25, 0.5)
# A history of some tens of batches says nothing about one batch in ten thousand. Claiming less also draws the greedy choice, which
# weighs gain against cost, to the widest bounds: at equal false alarms (0.23 % on seven tables at a target of 0.1 %) recall on issues of
# other magnitudes was .779 with a floor of 1e-6 and .803 with 1e-4.
LEAST_RATE = 1e-4
# Values closer than this share of their size are the same value computed in another order of summation.
NOISE = 1e-10


def chebyshev(sigma: float, beta: Floats) -> Floats:
    """Proposition 1, eq. 5: `(sigma / beta)^2`, at most 1. `beta` has any shape; at sigma 0 the cost is 0."""
    return _at_zero(sigma, beta, lambda k: np.minimum(1.0, k**-2.0))


def cantelli(sigma: float, beta: Floats) -> Floats:
    """Proposition 2, eq. 6, one-sided: `sigma^2 / (beta^2 + sigma^2)`. At sigma 0 the cost is 0."""
    return _at_zero(sigma, beta, lambda k: 1.0 / (1.0 + k**2.0))


def central_limit(sigma: float, beta: Floats) -> Floats:
    """Proposition 3, eq. 7: `1 - erf(beta / (sqrt(2) sigma))`, by `erfc` so that small values keep their digits. At sigma 0: 0."""
    return _at_zero(sigma, beta, lambda k: np.asarray(erfc(k / math.sqrt(2.0)), dtype=np.float64))


def student(k: Floats, n: int, *, one_sided: bool) -> Floats:
    """Probability that the next of n + 1 equal normal values is further than k sample deviations from the mean of the first n.

    `(x - mean) / (s sqrt(1 + 1/n))` is Student-t with n - 1 degrees of freedom. `k` has any shape; needs n >= 2.
    At least `LEAST_RATE`.
    """
    tail = np.asarray(stdtr(n - 1, -np.asarray(k) / math.sqrt(1.0 + 1.0 / n)), dtype=np.float64)
    return np.maximum(tail if one_sided else 2.0 * tail, LEAST_RATE)


def false_positive_rate(method: Method, proposition: Proposition, sigma: float, beta: Floats, n: int) -> Floats:
    """The cost of bounds `beta` away from the mean of n values with deviation `sigma` > 0, shape of `beta`."""
    if method == "calibrated":
        return student(beta / sigma, n, one_sided=proposition == 2)
    return {1: chebyshev, 2: cantelli, 3: central_limit}[proposition](sigma, beta)


def _at_zero(sigma: float, beta: Floats, rate: Callable[[Floats], Floats]) -> Floats:
    beta = np.asarray(beta, dtype=np.float64)
    if sigma == 0:
        return np.zeros_like(beta)
    return np.asarray(rate(beta / sigma), dtype=np.float64)
