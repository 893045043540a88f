"""The distribution of a number column: exact counts while few values are distinct, sketches beyond.

Up to `EXACT` distinct values the state is the frequency table itself, so quantiles, distinct counts and distances are exact.
Beyond it is a KLL sketch (k = 200: about 1.3 % rank error; Karnin, Lang and Liberty 2016) and a HyperLogLog sketch (lgK = 12:
about 1.6 % relative error). NaN is left out (its count is in the moments). Values are doubles; whole numbers beyond 2**53 and long
decimals, which doubles take for one another, are sketched from the start, so that they are counted apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import ClassVar

import numpy as np

from avh_ui.metrics.column import EXACT, NUMBER_KINDS, Column, Counts, Floats
from avh_ui.metrics.distinct import estimate, merge_sketches, number_keys, sketch_of
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.numerals import WHOLE
from avh_ui.metrics.rank_sketches import KLL_RANK_ERROR, empty, of_counted, read
from avh_ui.metrics.remembering import kept_beside
from avh_ui.metrics.state import Header, InParts
from avh_ui.metrics.type_names import NUMBER
from avh_ui.metrics.wording import Wording

# How the keys in a stored sketch were made; older releases did not say, and made others of decimals.
_KEYS = 2
_NO_COUNTS: Counts = np.empty(0, dtype=np.int64)
_NO_VALUES: Floats = np.empty(0, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class DistributionState(InParts):
    """Either `values` (ascending) with `counts`, shape (D,) each, or the bytes of both sketches over `n` values.

    With `old_keys` an older release sketched decimals, or long numbers of a file without types, by other keys: how many are distinct of
    them and of others together is not known (no `hll`). `grouped` is how many are distinct where all were grouped beside the sketch: it is
    not stored, and no merge has it.
    """

    key: ClassVar[str] = "distribution"
    values: Floats
    counts: Counts
    kll: bytes = b""
    hll: bytes = b""
    old_keys: bool = False
    grouped: int | None = None

    @property
    def exact(self) -> bool:
        """Whether the frequency table is complete."""
        return not self.kll

    @property
    def counted(self) -> bool:
        """Whether the number of distinct values is exact."""
        return self.exact or self.grouped is not None

    @property
    def n(self) -> int:
        """Number of values."""
        return int(self.counts.sum()) if self.exact else int(read(self.kll).n)

    @classmethod
    def identity(cls) -> DistributionState:
        """No values."""
        return cls(_NO_VALUES, _NO_COUNTS)

    @classmethod
    def of(cls, column: Column) -> DistributionState:
        """Distribution of a number column's values."""
        counted, keys = column.held.counted, column.held.keys
        if counted is not None and len(counted[0]) <= EXACT and keys is None:
            return cls(*counted)
        if counted is not None:
            distinct, kll = counted[0], of_counted(*counted)
        else:
            distinct, kll = column.numbers[~np.isnan(column.numbers)], empty()
            kll.update(distinct)
        # A table of doubles would take values beyond 2**53 for one another.
        return cls(_NO_VALUES, _NO_COUNTS, kll.serialize(), sketch_of(number_keys(distinct) if keys is None else keys))

    def merge(self, other: DistributionState) -> DistributionState:
        """The frequency tables added, or collapsed into sketches once they grow past `EXACT`."""
        return self.merge_many([self, other])

    @classmethod
    def merge_many(cls, states: Sequence[DistributionState]) -> DistributionState:
        """All exact tables added at once; with a sketch among them, or past `EXACT` distinct values, sketches of all."""
        tables = [state for state in states if state.exact]
        values, where = np.unique(np.concatenate([_NO_VALUES, *(t.values for t in tables)]), return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, where, np.concatenate([_NO_COUNTS, *(t.counts for t in tables)]))
        if len(tables) == len(states) and len(values) <= EXACT:
            return cls(values, counts)
        kll, distinct = of_counted(values, counts), [sketch_of(number_keys(values))]
        for state in states:
            if not state.exact:
                kll.merge(read(state.kll))
                distinct.append(state.hll)
        old = {state.old_keys for state in states if state.n}
        hll = merge_sketches(*distinct) if len(old) == 1 and all(distinct) else b""
        return cls(_NO_VALUES, _NO_COUNTS, kll.serialize(), hll, True in old)

    @kept_beside
    def support(self) -> tuple[Floats, Floats]:
        """Points ascending and their shares of the whole, float64 of shape (D,) each; empty without values."""
        if self.exact:
            total = self.counts.sum()
            return self.values, self.counts / total if total else self.counts.astype(np.float64)
        return _sketched(self.kll)

    def quantile(self, q: float) -> float:
        """The smallest value whose cumulative share is at least `q` (an observed value); NaN without values."""
        values, shares = self.support()
        if not len(values):
            return math.nan
        # The tolerance keeps rounding in the cumulative sum from stepping past an exact share.
        at = int(np.searchsorted(np.cumsum(shares), q - 1e-12))
        return float(values[min(at, len(values) - 1)])

    def median(self) -> float:
        """The median, the mean of the two middle values when their number is even (exact), or the sketch's 50 % quantile."""
        if not self.exact:
            return self.quantile(0.5)
        n = int(self.counts.sum())
        if not n:
            return math.nan
        upto = np.cumsum(self.counts)
        low, high = (self.values[np.searchsorted(upto, rank)] for rank in ((n + 1) // 2, n // 2 + 1))
        # Halved first: the sum of two large values overflows.
        return float(low / 2 + high / 2) if low != high else float(low)

    def distinct(self) -> float:
        """Number of distinct values, exact or estimated (`HLL_RELATIVE_ERROR`), at most the number of values; NaN where not known."""
        if self.counted:
            return float(len(self.values) if self.grouped is None else self.grouped)
        return min(estimate(self.hll), float(self.n)) if self.hll else math.nan

    def parts(self) -> tuple[Header, tuple[bytes, ...]]:
        """How its keys were made; the table, the sketches."""
        return {} if self.old_keys else {"keys": _KEYS}, (self.values.tobytes(), self.counts.tobytes(), self.kll, self.hll)

    @classmethod
    def of_parts(cls, header: Header, buffers: Sequence[bytes]) -> DistributionState:
        """From `parts`."""
        values, counts, kll, hll = buffers
        old = header.get("keys") != _KEYS
        return cls(np.frombuffer(values, dtype=np.float64), np.frombuffer(counts, dtype=np.int64), kll, hll, old)

    def upgraded(self, type_name: str) -> DistributionState:
        """What an older release stored of a column of this type, as this one would have it as far as can be."""
        if not self.old_keys:
            return self
        decimal = re.fullmatch(r"decimal(?:128|256)?\((\d+), ?(-?\d+)\)", type_name)
        if self.exact and decimal:
            # Its doubles were one place off the nearest.
            scale = 10.0 ** int(decimal[2])
            values, where = np.unique(np.round(self.values * scale) / scale, return_inverse=True)
            return DistributionState(values, np.bincount(where, self.counts, len(values)).astype(np.int64))
        long = type_name == NUMBER and not self.exact and read(self.kll).get_max_value() > WHOLE
        return replace(self, old_keys=bool(decimal or long) and not self.exact)


def _median_error(state: DistributionState, value: float) -> float:
    """The farther of the values whose ranks are `KLL_RANK_ERROR` below and above the middle: 99 of 100 sketches are nearer."""
    if state.exact:
        return 0.0
    return max(abs(state.quantile(0.5 + away) - value) for away in (-KLL_RANK_ERROR, KLL_RANK_ERROR))


MEDIAN = Metric(
    "median", NUMBER_KINDS, (DistributionState,), 1, "value", "median", single=lambda s: s.median() if s.n else None, error=_median_error,
    of_rank=True,
    plain="always", sql="PERCENTILE({column}, 0.5)",
    forms={
        "deequ": "hasApproxQuantile({column}, 0.5, {bound})", "great-expectations": "expect_column_median_to_be_between",
    },
    says=Wording(
        "The value in the middle: half of the values are smaller, half are larger.", "the middle {column}",
        "The middle {column} is between {low} and {high}", "The middle {column} is {low} or more", "The middle {column} is {high} or less",
        "The middle {column} is always {low}",
    ),
)  # fmt: skip


# The metrics of a column, and its distances to another, each ask for the support: of a batch of 10 wide columns and its baseline all are
# remembered, 10 KB each. Making it took 13 % of an ingest.
@lru_cache(maxsize=64)
def _sketched(kll: bytes) -> tuple[Floats, Floats]:
    """The support of a sketch, read-only."""
    sketch = read(kll)
    # The sketch's iterator gives wrong weights after a merge that empties its lowest level (datasketches 5.2); its ranks are right.
    values = np.unique(np.fromiter(map(itemgetter(0), sketch), dtype=np.float64))
    upto = np.asarray(sketch.get_cdf(values, True), dtype=np.float64)[:-1]
    found = values, np.diff(upto, prepend=0.0)
    for array in found:
        array.flags.writeable = False
    return found
