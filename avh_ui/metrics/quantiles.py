"""Quantiles of a number column: estimated within a rank error that the caller states (Deequ's ApproxQuantile), or exact of whole data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import datasketches as ds
import numpy as np

from avh_ui.metrics.column import NO_NUMBERS, NUMERIC, Floats
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.rows import Need, Rows
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
    def of_rows(cls, rows: Rows, need: Need) -> QuantileState:
        """Sketch of a column's numbers, of the size that the need's detail says."""
        return cls.of(rows.column(need.columns[0]).numbers, need.detail)

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


@dataclass(frozen=True)
class ExactQuantiles:
    """Quantiles, the need's detail, interpolated between the two nearest of all values; none without values. NaN sorts last."""

    key: ClassVar[str] = "exact_quantiles"
    mergeable: ClassVar[bool] = False
    values: tuple[float, ...] = ()

    @classmethod
    def identity(cls) -> ExactQuantiles:
        """No values."""
        return cls()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> ExactQuantiles:
        """Of a column's numbers."""
        values = np.sort(rows.column(need.columns[0]).numbers)
        if not len(values):
            return cls()
        places = [q * (len(values) - 1) for q in need.detail]
        ends = [(values[math.floor(at)], values[math.ceil(at)], at - math.floor(at)) for at in places]
        return cls(tuple(float(low if low == high else low + (high - low) * share) for low, high, share in ends))

    def merge(self, other: ExactQuantiles) -> ExactQuantiles:
        """That of one part alone; `ValueError` where both have values: it would take the values themselves."""
        if self.values and other.values:
            raise ValueError("exact quantiles of parts do not give those of the whole")
        return self if self.values else other

    def to_record(self) -> bytes:
        """As bytes."""
        return pack(vars(self))

    @classmethod
    def from_record(cls, record: bytes) -> ExactQuantiles:
        """From `to_record`."""
        header, _ = unpack(record)
        return cls(tuple(header["values"]))


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _are_shares(value: object) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and all(map(_is_share, value))


def _sketched(measure: Measure) -> tuple[Need, ...]:
    error = measure.parameter("relative_error")
    return (Need(QuantileState, measure.columns, measure.where, sketch_size(RELATIVE_ERROR if error is None else error)),)


def _exactly(measure: Measure, *quantiles: float) -> tuple[Need, ...]:
    return (Need(ExactQuantiles, measure.columns, measure.where, quantiles),)


def _quantiles(state: QuantileState, quantiles: tuple[float, ...]) -> Mapping[str, float] | None:
    return {str(q): state.quantile(q) for q in quantiles} if state.n else None


# The error of a rank that Deequ takes where none is asked for.
RELATIVE_ERROR = 0.01
_ERROR = Parameter("relative_error", "from 0 to 1", _is_share, optional=True)
APPROX_QUANTILE = Metric(
    "approx_quantile", NUMERIC, (QuantileState,), 3, "value", "a value of about that rank", wants=_sketched, asked=True,
    single=lambda state, quantile: state.quantile(quantile) if state.n else None, stated=lambda state: state.rank_error,
    parameters=(Parameter("quantile", "from 0 to 1", _is_share, of_value=True), _ERROR), plain="always",
    forms={"deequ": "hasApproxQuantile({column}, {quantile}, {bound})"},
)  # fmt: skip
APPROX_QUANTILES = Metric(
    "approx_quantiles", NUMERIC, (QuantileState,), 3, "value", "values of about these ranks", wants=_sketched, asked=True, number=False,
    single=_quantiles, stated=lambda state: state.rank_error,
    parameters=(Parameter("quantiles", "one or more, each from 0 to 1", _are_shares, of_value=True), _ERROR),
)  # fmt: skip
EXACT_QUANTILE = Metric(
    "exact_quantile", NUMERIC, (ExactQuantiles,), 3, "value", "the value of that rank", asked=True,
    single=lambda found: found.values[0] if found.values else None, wants=lambda m: _exactly(m, m.parameter("quantile")),
    parameters=(Parameter("quantile", "from 0 to 1", _is_share),),
    forms={"deequ": "hasExactQuantile({column}, {quantile}, {bound})"},
)  # fmt: skip
INTERQUARTILE_RANGE = Metric(
    "interquartile_range", NUMERIC, (ExactQuantiles,), 3, "value", "75% less 25% quantile", asked=True, lowest=0,
    single=lambda found: found.values[1] - found.values[0] if found.values else None, wants=lambda m: _exactly(m, 0.25, 0.75),
)  # fmt: skip
