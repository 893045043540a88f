"""Whether the share of non-conforming values has risen (Auto-Validate, section 4): two samples of two binomials, compared by a test.

Beside it, where something is believed of that share beforehand, the posterior predictive test of the Beta-binomial model. Of 100 values
of which none failed Fisher's test at 0.001 asks for 70 of 900 to fail; of a rule that columns are known to keep to, 40 are enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.plain_data import Number
from avh_ui.typed import CLOSED

# Beyond so many values the chi-squared test says the same as Fisher's and takes no time.
_EXACT_BELOW = 1_000_000
# Tables that are equally likely must not differ by rounding (scipy and R use 1e-7 too).
_EQUAL = 1 + 1e-7


@dataclass(frozen=True)
class Prior:
    """What is believed of the share of failing values before any is seen, as if `bad` of so many `values` had failed.

    The share is then Beta(bad, values - bad); with no `values` nothing is believed.
    """

    __pydantic_config__ = CLOSED
    bad: Number
    values: Number


NO_PRIOR = Prior(0.0, 0.0)


def rises(bad: int, total: int, bad_now: int, total_now: int, level: float = 0.01, prior: Prior = NO_PRIOR) -> bool:
    """Whether `bad_now` of `total_now` values is significantly more than `bad` of `total`; neither a fall nor an empty sample alarms.

    By Fisher's test; where there is a `prior` by this or the predictive test, each at half the level, so that together they alarm no
    oftener than `level` where nothing has changed and the prior is true.
    """
    if not total or not total_now or bad_now * total <= bad * total_now:
        return False
    if not prior.values or total + total_now >= _EXACT_BELOW:
        return p_value(bad, total, bad_now, total_now) < level
    return min(p_value(bad, total, bad_now, total_now), predictive(bad, total, bad_now, total_now, prior)) < level / 2


@lru_cache(maxsize=65536)
def predictive(bad: int, total: int, bad_now: int, total_now: int, prior: Prior) -> float:
    """The chance that at least `bad_now` of `total_now` values fail, known that `bad` of `total` did: the upper tail of

    X ~ BetaBinomial(total_now, a, b), P(X = k) = C(total_now, k) B(a + k, b + total_now - k) / B(a, b),
    a = prior.bad + bad, b = (prior.values - prior.bad) + (total - bad) (Gelman et al., Bayesian Data Analysis, 3rd ed., section 2.4
    and, for such tails as a test, section 6.3).
    """
    a, b = prior.bad + bad, prior.values - prior.bad + total - bad
    if not bad_now or not b:
        return 1.0
    if not a:
        return 0.0
    # From each number to the next, since the validator starts without scipy: P(X = 0), and how much likelier one more is.
    none = math.lgamma(b + total_now) - math.lgamma(a + b + total_now) + math.lgamma(a + b) - math.lgamma(b)
    k = np.arange(bad_now - 1)
    log = _summed(np.log((total_now - k) * (a + k)) - np.log((k + 1) * (b + total_now - k - 1)))
    return float(max(0.0, 1 - np.exp(none + log).sum()))


def _summed(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Zero, and the sums of the first one, two, ... steps."""
    return np.concatenate([[0.0], np.cumsum(steps)])


@lru_cache(maxsize=65536)
def p_value(bad: int, total: int, bad_now: int, total_now: int) -> float:
    """Two-tailed: Fisher's exact test, or for large samples Pearson's chi-squared with Yates' correction."""
    if total + total_now < _EXACT_BELOW:
        return fisher(bad, total, bad_now, total_now)
    return chi_squared(bad, total, bad_now, total_now)


def fisher(bad: int, total: int, bad_now: int, total_now: int) -> float:
    """The sum of the probabilities of all tables with these margins that are no likelier than the one observed (Agresti 1992)."""
    marked = bad + bad_now
    least = max(0, marked - total_now)
    x = np.arange(least, min(total, marked))
    # How much likelier a table is than the one before it; all of them together are certain.
    log = _summed(np.log((total - x) * (marked - x)) - np.log((x + 1) * (total_now - marked + x + 1)))
    chance = np.exp(log - log.max())
    observed = chance[bad - least]
    return float(chance[chance <= observed * _EQUAL].sum() / chance.sum())


def chi_squared(bad: int, total: int, bad_now: int, total_now: int) -> float:
    """Pearson's test on the 2 x 2 table with Yates' continuity correction, one degree of freedom."""
    good, good_now = total - bad, total_now - bad_now
    everything = total + total_now
    margins = total * total_now * (bad + bad_now) * (good + good_now)
    if not margins:
        return 1.0
    # No further towards zero than zero: the correction never makes a difference of its own.
    distance = max(0.0, abs(bad * good_now - good * bad_now) - everything / 2)
    return math.erfc(math.sqrt(everything * distance * distance / margins / 2))


@lru_cache(maxsize=4096)
def most_bad(bad: int, total: int, total_now: int, level: float, prior: Prior = NO_PRIOR) -> int:
    """The most of `total_now` values that may fail without an alarm: `rises` is false up to it and true beyond.

    More values that fail are never less significant while their share is above the earlier one, so it is found by bisection.
    """
    # From the share as it was upwards: the answer is near it, and the exact test of a large share takes long.
    low = min(total_now, total_now * bad // max(total, 1))
    step = 1
    while low + step < total_now and not rises(bad, total, low + step, total_now, level, prior):
        low, step = low + step, 2 * step
    high = min(low + step, total_now)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (low, middle - 1) if rises(bad, total, middle, total_now, level, prior) else (middle, high)
    return low
