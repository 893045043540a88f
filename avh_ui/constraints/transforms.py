"""Time-series transforms that make a metric's history stationary (AVH, Appendix E, Algorithm 5).

A transform is remembered with its constraint: a new value is transformed by the same lag and logarithm before it is compared
with the bounds, and bounds are carried back to the metric's own unit to be drawn and explained.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from avh_ui.history.series import Series
from avh_ui.typed import CLOSED, Truth, Whole


@dataclass(frozen=True)
class Transform:
    """`lag` batches of differencing (0 = none), after `log1p` when `log`."""

    __pydantic_config__ = CLOSED
    lag: Whole = 0
    log: Truth = False

    def __post_init__(self) -> None:
        if self.lag < 0:
            raise ValueError(f"a lag counts batches back and cannot be {self.lag}")

    @property
    def is_identity(self) -> bool:
        """Whether values are compared as they are."""
        return self.lag == 0 and not self.log

    def forward(self, observed: float, reference: float | None = None) -> float:
        """The transformed value of one observation; `reference` is the metric `lag` batches earlier.

        NaN when the observation is undefined, negative under a logarithm, or its reference is missing.
        """
        value = _log1p(observed) if self.log else observed
        if not self.lag:
            return value
        if reference is None:
            return math.nan
        return value - (_log1p(reference) if self.log else reference)

    def apply(self, series: Series) -> Series:
        """The whole series transformed: shape (K,), NaN for its first `lag` batches."""
        values = np.full(len(series), np.nan)
        if self.log:
            np.log1p(series, out=values, where=series >= 0)
        else:
            values[:] = series
        if self.lag:
            lagged = np.full(len(series), np.nan)
            lagged[self.lag :] = values[self.lag :] - values[: -self.lag]
            return lagged
        return values

    def comparable(self, reference: float | None) -> bool:
        """Whether a value can be compared at all: without lag always, else when the reference is finite and has the logarithm."""
        if not self.lag:
            return True
        return reference is not None and math.isfinite(reference) and (reference >= 0 or not self.log)

    def inverse(self, bound: float | None, reference: float | None = None) -> float | None:
        """A bound carried back to the metric's unit; None stays open, and so does a bound whose reference is not `comparable`."""
        if bound is None or not self.comparable(reference):
            return None
        value = bound
        if self.lag and reference is not None:
            value += _log1p(reference) if self.log else reference
        if not self.log:
            return value
        # Bounds far outside the double range are open for all practical purposes.
        return math.expm1(value) if value < 700 else math.inf

    def inverse_series(self, bound: float | None, series: Series) -> Series:
        """The bound in the metric's unit at each batch: shape (K,), NaN where it is open or has no reference yet."""
        out = np.full(len(series), np.nan)
        for k in range(self.lag, len(series)):
            value = self.inverse(bound, float(series[k - self.lag]) if self.lag else None)
            out[k] = math.nan if value is None else value
        return out

    def describe(self) -> str:
        """In words: what is compared with the bounds."""
        what = "the logarithm of the value" if self.log else "the value"
        if not self.lag:
            return what
        back = "the batch before" if self.lag == 1 else f"{self.lag} batches before"
        return f"the change of {what} against {back}"


IDENTITY = Transform()


def _log1p(value: float) -> float:
    return math.log1p(value) if value >= 0 else math.nan
