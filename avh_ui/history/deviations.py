"""Anomaly strategies by standard deviations from the mean (Deequ: OnlineNormalStrategy, BatchNormalStrategy).

Different from Deequ: `batch_normal` never takes its bounds from the values that it judges (Deequ's `includeInterval`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from avh_ui.errors import UsageError
from avh_ui.history.anomalies import Band, Strategy, require_numbers
from avh_ui.history.series import Series

# Means of equal values are off by rounding alone; a bound that is one of them must not fire on the same value.
ROUNDING = 1e-12


@dataclass(frozen=True)
class _Normal(Strategy):
    """So many standard deviations below and above the mean, None leaves a side open."""

    lower: float | None = 3.0
    upper: float | None = 3.0

    def __post_init__(self) -> None:
        if self.lower is None and self.upper is None:
            raise UsageError(f"{self.name} has no factor.", hint="Give lower, upper or both, in standard deviations.")
        require_numbers(self, "lower", "upper")
        if wrong := [factor for factor in (self.lower, self.upper) if factor is not None and factor < 0]:
            raise UsageError(f"{self.name}: {wrong[0]:g} standard deviations are less than none.", hint="Give 0 or more.")

    @property
    def words(self) -> str:
        """It in words."""
        below, above = (None if factor is None else f"{factor:g}" for factor in (self.lower, self.upper))
        if below == above:
            said = f"{below} standard deviations"
        else:
            parts = (below and f"{below} standard deviations below", above and f"{above} standard deviations above")
            said = " and ".join(part for part in parts if part)
        return f"{self.name.replace('_', ' ')}, {said}"

    def _around(self, mean: float, widths: tuple[float, float], slack: float) -> tuple[float, float]:
        low = -math.inf if self.lower is None else mean - widths[0] - slack
        return low, math.inf if self.upper is None else mean + widths[1] + slack


@dataclass(frozen=True)
class OnlineNormal(_Normal):
    """Mean and standard deviation of all values up to the one that is judged, itself among them (Deequ: OnlineNormalStrategy; Welford's
    recurrence). What fires in the interval is not learned from, with `ignore_anomalies`; the first `ignore_start` of the series is not
    judged.

    A value can be at most sqrt(n - 1) such deviations from the mean of n: 3 cannot fire on the first ten, so they are not judged.
    """

    name: ClassVar[str] = "online_normal"
    ignore_start: float = 0.1
    ignore_anomalies: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.ignore_start <= 1:
            raise UsageError(f"ignore_start={self.ignore_start!r} is no share of the series.", hint="Give a number from 0 to 1.")

    @property
    def least(self) -> int:
        """As many as it takes for one side to fire at all."""
        return math.floor(min(f for f in (self.lower, self.upper) if f is not None) ** 2) + 1

    def band(self, values: Series, start: int, stop: int) -> Band:
        """Solved for the value: d**2 (n - 1) (n - 1 - factor**2) <= factor**2 n S, where d is its distance from the mean before and S
        the sum of squares around that.
        """
        mean = squares = 0.0
        bounds = np.full((2, stop - start), np.inf)
        bounds[0] = -np.inf
        for k, value in enumerate(values[:stop].tolist()):
            n, fires = k + 1, False
            if k >= start and k >= len(values) * self.ignore_start:
                widths = (self._width(self.lower, n, squares), self._width(self.upper, n, squares))
                low, high = self._around(mean, widths, ROUNDING * abs(mean))
                bounds[:, k - start] = low, high
                fires = value < low or value > high
            if not (fires and self.ignore_anomalies):
                # The count is that of all values, also of those that fired (Deequ).
                distance = value - mean if k else 0.0
                mean = mean + distance / n if k else value
                squares += distance * (value - mean)
        return bounds[0], bounds[1]

    def along(self, values: Series) -> Band:
        """As Deequ judges a whole series: what fires is not learned from."""
        lower, upper = self.band(values, 0, len(values))
        early = np.arange(len(values)) < self.least
        return np.where(early, np.nan, lower), np.where(early, np.nan, upper)

    @staticmethod
    def _width(factor: float | None, n: int, squares: float) -> float:
        room = n - 1 - (factor or 0.0) ** 2
        return math.inf if factor is None or n == 1 or room <= 0 else factor * math.sqrt(max(squares, 0.0) * n / ((n - 1) * room))


@dataclass(frozen=True)
class BatchNormal(_Normal):
    """Mean and sample standard deviation of all values outside the interval that is judged (Deequ: BatchNormalStrategy)."""

    name: ClassVar[str] = "batch_normal"

    @property
    def least(self) -> int:
        """One value has no deviation."""
        return 2

    def band(self, values: Series, start: int, stop: int) -> Band:
        """The same for the whole interval."""
        others = np.concatenate([values[:start], values[stop:]])
        if len(others) < self.least:
            return (np.full(stop - start, np.nan),) * 2
        mean, deviation = float(others.mean()), float(others.std(ddof=1))
        widths = ((self.lower or 0.0) * deviation, (self.upper or 0.0) * deviation)
        low, high = self._around(mean, widths, ROUNDING * float(np.abs(others).max()))
        return np.full(stop - start, low), np.full(stop - start, high)
