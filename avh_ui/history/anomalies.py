"""Anomaly strategies: from the series of a measure to the bounds that its next value must keep (Deequ's `anomalydetection`).

Each strategy is data, and gives a band: a lower and an upper bound for each batch of an interval, infinite where a side is open and NaN
where nothing can be said yet. A value fires beyond its band, never on it. The series has no gaps: what was not measured is left out.

Different from Deequ, since there it is unsound: a side without a factor is open, also when all values are equal (Deequ multiplies the
largest double by 0); what `deviations` and `seasonal` say of theirs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from avh_ui.errors import UsageError
from avh_ui.history.series import Series

Band = tuple[Series, Series]


@dataclass(frozen=True)
class Strategy(ABC):
    """How the bounds of a batch follow from the values of the batches before."""

    name: ClassVar[str]

    @property
    def least(self) -> int:
        """How many batches must come before one that can be judged."""
        return 0

    @property
    @abstractmethod
    def words(self) -> str:
        """It in words, with its parameters: `online normal, 3 standard deviations`."""

    @abstractmethod
    def band(self, values: Series, start: int, stop: int) -> Band:
        """The bounds of the values from `start` to `stop` - 1, each array of shape (stop - start,)."""

    def detect(self, values: Series | Sequence[float], start: int = 0, stop: int | None = None) -> list[int]:
        """The places of the values that fire among those from `start` to `stop` - 1; of a series without gaps, oldest first."""
        values = np.asarray(values, float)
        stop = len(values) if stop is None else min(stop, len(values))
        if start >= stop:
            return []
        lower, upper = self.band(values, start, stop)
        with np.errstate(invalid="ignore"):
            return (start + np.flatnonzero((values[start:stop] < lower) | (values[start:stop] > upper))).tolist()

    def following(self, values: Series | Sequence[float]) -> tuple[float, float]:
        """The bounds of the value after these; infinite where a side is open. `UsageError` where that cannot be said, with the reason."""
        values = np.asarray(values, float)
        if len(values) < self.least:
            batches = f"{self.least} batch{'es' * (self.least > 1)}"
            raise UsageError(f"{self.words} needs {batches} before this one, and there are {len(values)}.")
        lower, upper = self.band(np.append(values, np.nan), len(values), len(values) + 1)
        return float(lower[0]), float(upper[0])

    def along(self, values: Series) -> Band:
        """The bounds of every value by those before it alone, each of shape (K,)."""
        bounds = np.full((2, len(values)), np.nan)
        for k in range(self.least, len(values)):
            lower, upper = self.band(values[: k + 1], k, k + 1)
            bounds[:, k] = lower[0], upper[0]
        return bounds[0], bounds[1]

    @property
    def record(self) -> dict[str, Any]:
        """Its parameters as plain data, but for those that have their usual value."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}


@dataclass(frozen=True)
class _Limits(Strategy):
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        if self.lower is None and self.upper is None:
            raise UsageError(f"{self.name} has no bound.", hint="Give lower, upper or both.")
        require_numbers(self, "lower", "upper")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise UsageError(f"Nothing is between {self.lower:g} and {self.upper:g}.", hint="Let lower be below upper.")

    @property
    def limits(self) -> tuple[float, float]:
        """Both, infinite where open."""
        return -math.inf if self.lower is None else self.lower, math.inf if self.upper is None else self.upper

    def _said(self) -> str:
        low = "" if self.lower is None else f"at least {self.lower:,g}"
        return " and ".join(part for part in (low, "" if self.upper is None else f"at most {self.upper:,g}") if part)


@dataclass(frozen=True)
class Threshold(_Limits):
    """Fixed bounds (Deequ: SimpleThresholdStrategy)."""

    name: ClassVar[str] = "threshold"

    @property
    def words(self) -> str:
        """It in words."""
        return f"threshold, {self._said()}"

    def band(self, values: Series, start: int, stop: int) -> Band:  # noqa: ARG002 (as every strategy)
        """The same for all."""
        lower, upper = self.limits
        return np.full(stop - start, lower), np.full(stop - start, upper)


@dataclass(frozen=True)
class AbsoluteChange(_Limits):
    """Bounds on the difference to the value before, of the `order`-th: 2 is the change of the change, 0 the value itself (Deequ:
    AbsoluteChangeStrategy). A fall is a negative number. The way back is a change as well, and fires too.
    """

    name: ClassVar[str] = "absolute_change"
    order: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _order(self.order, 0)

    @property
    def least(self) -> int:
        """As many as the difference takes."""
        return self.order

    @property
    def words(self) -> str:
        """It in words."""
        return f"absolute change{f' of order {self.order}' if self.order != 1 else ''}, {self._said()}"

    def band(self, values: Series, start: int, stop: int) -> Band:
        """What the values before leave room for."""
        # The difference is the value and a sum over those before it, with the binomial coefficients in turn.
        factors = [(-1) ** j * math.comb(self.order, j) for j in range(1, self.order + 1)]
        before = np.zeros(stop - start)
        for j, factor in enumerate(factors, 1):
            before += factor * _before(values, start, stop, j)
        lower, upper = self.limits
        return np.where(np.isnan(before), np.nan, lower - before), np.where(np.isnan(before), np.nan, upper - before)


@dataclass(frozen=True)
class RelativeRateOfChange(_Limits):
    """Bounds on the ratio to the value `order` batches before (Deequ: RelativeRateOfChangeStrategy). After 0 only 0 is within them."""

    name: ClassVar[str] = "relative_rate_of_change"
    order: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        _order(self.order, 1)

    @property
    def least(self) -> int:
        """As far as it looks back."""
        return self.order

    @property
    def words(self) -> str:
        """It in words."""
        back = "the batch before" if self.order == 1 else f"{self.order} batches before"
        return f"relative rate of change, {self._said()} times {back}"

    def changes(self, values: Series) -> Series:
        """The ratios, from the value at `order` on."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return values[self.order :] / values[: -self.order]

    def band(self, values: Series, start: int, stop: int) -> Band:
        """Multiples of the values before; of negative ones the sides change places."""
        reference = _before(values, start, stop, self.order)
        with np.errstate(invalid="ignore"):
            edges = [np.where((reference == 0) & np.isinf(limit), limit, limit * reference) for limit in self.limits]
            down, up = (np.where(reference < 0, edges[1 - side], edges[side]) for side in (0, 1))
        return down, up


def along(strategy: Strategy, series: Series) -> Band:
    """The bounds of every value by those before it, each of shape (K,); NaN where it cannot be judged. Values that are not finite are left
    out of the series.
    """
    there = np.isfinite(series)
    bounds = np.full((2, len(series)), np.nan)
    bounds[:, there] = strategy.along(series[there])
    return bounds[0], bounds[1]


def _before(values: Series, start: int, stop: int, lag: int) -> Series:
    """The values `lag` places before those from `start` to `stop` - 1; NaN where there are none."""
    return np.concatenate([np.full(lag, np.nan), values])[start:stop]


def require_numbers(strategy: Strategy, *names: str) -> None:
    """`UsageError` for a parameter that is neither None nor a finite number."""
    for name in names:
        value: object = getattr(strategy, name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value)):
            raise UsageError(f"{name}={value!r} of {strategy.name} is not a number.", hint="Give a number, or leave it out.")


def _order(order: object, least: int) -> None:
    if isinstance(order, bool) or not isinstance(order, int) or order < least:
        raise UsageError(f"order={order!r} is no number of batches.", hint=f"Give a whole number, {least} or more.")
