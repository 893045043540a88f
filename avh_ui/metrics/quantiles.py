"""Quantiles of a number column, estimated within a rank error that the caller states: Deequ's ApproxQuantile(s)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import datasketches as ds
import numpy as np

from avh_ui.metrics.column import NO_NUMBERS, Floats
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.state import pack, unpack

LARGEST_K = 65_535


def sketch_size(relative_error: float) -> int:
    """The k of a KLL sketch that keeps the rank error with a wide margin; `LARGEST_K` where the sketch cannot.

    Half of the asked error: the sketch's own bound holds in 99 of 100 sketches, so at half of it a miss is a matter of 5 sigma.
    """
    if relative_error <= 0:
        return LARGEST_K
    low, high = 8, LARGEST_K
    while low < high:
        middle = (low + high) // 2
        if ds.kll_doubles_sketch.get_normalized_rank_error(middle, False) <= relative_error / 2:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True, eq=False)
class QuantileState:
    """A KLL sketch (Karnin, Lang and Liberty 2016) of size `k` over the values that are no NaN, and the number of NaNs.

    Exact up to about `k` values. Deequ uses Greenwald and Khanna's digest; both return an observed value.
    """

    key: ClassVar[str] = "quantiles"
    k: int
    nans: int = 0
    kll: bytes = b""

    @classmethod
    def identity(cls, k: int = 8) -> QuantileState:
        """No values; merges with states of any size."""
        return cls(k)

    @classmethod
    def of(cls, values: Floats, k: int) -> QuantileState:
        """Sketch of the values, float64 of shape (n,), without nulls."""
        numbers = values[~np.isnan(values)]
        if not len(numbers):
            return cls(k, len(values))
        sketch = ds.kll_doubles_sketch(k)
        sketch.update(numbers)
        return cls(k, len(values) - len(numbers), sketch.serialize())

    def merge(self, other: QuantileState) -> QuantileState:
        """Both sketches merged, NaNs added."""
        nans = self.nans + other.nans
        if not self.kll or not other.kll:
            return replace(self if self.kll else other, nans=nans, k=max(self.k, other.k))
        sketch = ds.kll_doubles_sketch.deserialize(self.kll)
        sketch.merge(ds.kll_doubles_sketch.deserialize(other.kll))
        return QuantileState(max(self.k, other.k), nans, sketch.serialize())

    @property
    def n(self) -> int:
        """Number of values, NaNs included."""
        return self.nans + (int(ds.kll_doubles_sketch.deserialize(self.kll).n) if self.kll else 0)

    @property
    def rank_error(self) -> float | None:
        """The error of a quantile's rank, as a share of the values, with 99 % confidence; None while the sketch holds every value."""
        sketch = ds.kll_doubles_sketch.deserialize(self.kll) if self.kll else None
        return float(sketch.normalized_rank_error(False)) if sketch is not None and sketch.is_estimation_mode() else None

    def quantile(self, q: float) -> float:
        """The smallest value whose cumulative share is at least `q`; NaN sorts above all numbers, as in Spark."""
        numbers = self.n - self.nans
        rank = max(q * self.n, 0)
        if not numbers or rank > numbers * (1 + 1e-12):
            return math.nan
        values, shares = DistributionState(NO_NUMBERS, np.empty(0, dtype=np.int64), self.kll).support()
        # The tolerance keeps rounding in the cumulative sum from stepping past an exact share.
        at = int(np.searchsorted(np.cumsum(shares), rank / numbers - 1e-12))
        return float(values[min(at, len(values) - 1)])

    def to_record(self) -> bytes:
        """As bytes."""
        return pack({"k": self.k, "nans": self.nans}, self.kll)

    @classmethod
    def from_record(cls, record: bytes) -> QuantileState:
        """From `to_record`."""
        header, (kll,) = unpack(record)
        return cls(header["k"], header["nans"], kll)
