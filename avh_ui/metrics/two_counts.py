"""How far two distributions are apart, of two counts in hand: what Deequ's `Distance` and TensorFlow Data Validation's comparators say.

Counts are a mapping from values to rows, or what `analyzers.histogram` gave. In a pipeline the metrics of every column compare a batch with
the batch before, with bounds from the history (`metrics.distances`); these functions are for a number here and now.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from avh_ui.errors import UsageError
from avh_ui.metrics.results import BinnedHistogram, Histogram

Counts = Mapping[str, float] | Histogram
# Its lower end, its upper end, and its rows.
Bucket = tuple[float, float, float]
# Knuth, The Art of Computer Programming 2, 3.3.1 (15): two samples of one distribution are farther apart in 3 of 1,000 cases.
_KNUTH = 1.8
# So many rows must be expected of each of two categories (Cochran, 1952); of more than two at most a fifth of the categories may have fewer
# than 5 (Yates, Moore and McCabe, 1999).
_COCHRAN, _YATES, _FEW = 10, 5, 0.2


class ChiSquared(NamedTuple):
    """The statistic, and how likely it is to be as large if nothing has changed; NaN where fewer than two categories could be compared."""

    statistic: float
    p_value: float


def l_infinity(a: Counts, b: Counts, *, robust: bool = False, alpha: float | None = None) -> float:
    """The largest difference of the shares of a value, 0 to 1. `robust` takes away what chance explains, by the number of rows: in all but
    3 of 1,000 cases, or in all but `alpha` (the two-sample test of Kolmogorov and Smirnov).
    """
    ours, theirs = _counts(a), _counts(b)
    if alpha is not None and not 0 < alpha < 1:
        raise UsageError(f"alpha={alpha!r} is no share of cases.", hint="Give a number between 0 and 1.")
    p, q = _shares(ours), _shares(theirs)
    apart = max((abs(p.get(key, 0.0) - q.get(key, 0.0)) for key in {*p, *q}), default=0.0)
    if not robust:
        return apart
    n, m = sum(ours.values()), sum(theirs.values())
    width = _KNUTH if alpha is None else math.sqrt(-math.log(alpha / 2) / 2)
    return max(0.0, apart - width * math.sqrt((n + m) / (n * m))) if n and m else apart


def normalized_absolute_difference(a: Counts, b: Counts) -> float:
    """The largest difference of the rows of a value, by the rows of both; it tells a change of size, too."""
    ours, theirs = _counts(a), _counts(b)
    total = sum(ours.values()) + sum(theirs.values())
    return max((abs(ours.get(key, 0) - theirs.get(key, 0)) / total for key in {*ours, *theirs}), default=0.0) if total else 0.0


def chi_squared(observed: Counts, expected: Counts) -> ChiSquared:
    """Pearson's test of the observed rows of each expected value. What is expected too rarely for the test is put together with the next
    rarest; values that were not expected are left out.
    """
    # Loading it takes longer than all else here.
    from scipy.special import chdtrc

    ours, theirs = _counts(observed), _counts(expected)
    rows, total = sum(count for key, count in ours.items() if key in theirs), sum(theirs.values())
    pairs = sorted((count / total * rows, ours.get(key, 0.0)) for key, count in theirs.items()) if total else []
    while len(pairs) >= 2 and _too_rare([e for e, _ in pairs]):
        (one, found), (other, also), *rest = pairs
        pairs = sorted([(one + other, found + also), *rest])
    if len(pairs) < 2:
        return ChiSquared(math.nan, math.nan)
    statistic = sum((o - e) ** 2 / e for e, o in pairs)
    return ChiSquared(statistic, float(chdtrc(len(pairs) - 1, statistic)))


def population_stability(actual: Sequence[float], expected: Sequence[float]) -> float:
    """The population stability index of the rows of the same buckets; infinite where one side alone has none in a bucket."""
    if len(actual) != len(expected) or not sum(actual) or not sum(expected):
        hint = "Give the rows of the same buckets, not all 0."
        raise UsageError(f"Rows of {len(actual)} and of {len(expected)} buckets cannot be compared.", hint=hint)
    shares = [(a / sum(actual), e / sum(expected)) for a, e in zip(actual, expected, strict=True)]
    return sum(0.0 if a == e else (a - e) * math.log(a / e) if a and e else math.inf for a, e in shares)


def jensen_shannon(a: Counts | BinnedHistogram | Iterable[Bucket], b: Counts | BinnedHistogram | Iterable[Bucket]) -> float:
    """Jensen-Shannon divergence to base 2, 0 to 1: of values, or of numbers in buckets, `(lower, upper, rows)`, of any widths.

    A bucket's rows lie evenly in it; one without a width is a number by itself. What has no place (a bucket with an infinite end, or NaN)
    matches nothing. `UsageError` where a side has no rows.
    """
    if isinstance(a, Mapping | Histogram) or isinstance(b, Mapping | Histogram):
        p, q = _shares(_counts(a)), _shares(_counts(b))
    else:
        ours, theirs = _buckets(a), _buckets(b)
        grid = sorted({end for low, high, _ in (*ours, *theirs) if _wide(low, high) for end in (low, high)})
        p, q = _shares(_cells(ours, grid, "here")), _shares(_cells(theirs, grid, "there"))
    if not p or not q:
        raise UsageError("A distribution without rows is compared.", hint="Give rows on both sides.")
    halves = (share * math.log2(2 * share / (p.get(key, 0.0) + q.get(key, 0.0))) for side in (p, q) for key, share in side.items() if share)
    return min(1.0, max(0.0, sum(halves) / 2))


def _counts(counts: object) -> dict[Hashable, float]:
    given = counts.absolute if isinstance(counts, Histogram) else counts
    if not isinstance(given, Mapping) or not all(isinstance(n, int | float) and n >= 0 for n in given.values()):
        raise UsageError(f"{str(given)[:80]} are no counts.", hint="Give rows by value, such as {'web': 3, 'shop': 1}, or a histogram.")
    return dict(given)


def _shares(counts: Mapping[Hashable, float]) -> dict[Hashable, float]:
    total = sum(counts.values())
    return {key: count / total for key, count in counts.items()} if total else {}


def _too_rare(expected: Sequence[float]) -> bool:
    two = len(expected) == 2
    return sum(e < (_COCHRAN if two else _YATES) for e in expected) > (0 if two else int(_FEW * len(expected)))


def _buckets(given: object) -> list[Bucket]:
    if isinstance(given, BinnedHistogram):
        return [(*ends, float(rows)) for ends, rows in zip(pairwise(given.edges), given.frequencies, strict=True)]
    try:
        return [(float(low), float(high), float(rows)) for low, high, rows in given]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise UsageError(f"{str(given)[:80]} are no buckets.", hint="Give (lower, upper, rows) of each, or a binned histogram.") from None


def _wide(low: float, high: float) -> bool:
    return math.isfinite(low) and math.isfinite(high) and low < high


def _cells(buckets: Iterable[Bucket], grid: Sequence[float], side: str) -> dict[Hashable, float]:
    """Rows by cell: between two neighbours of the grid, on a number, or nowhere, which is a cell of this side alone."""
    found: dict[Hashable, float] = defaultdict(float)
    for low, high, rows in buckets:
        if _wide(low, high):
            for one, other in pairwise(grid):
                if low <= one and other <= high:
                    found[one, other] += rows * (other - one) / (high - low)
        else:
            found[low if math.isfinite(low) and low == high else side] += rows
    return dict(found)
