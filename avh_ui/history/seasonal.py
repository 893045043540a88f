"""Holt-Winters: exponential smoothing with a trend and a season, both additive (Deequ's seasonal strategy), and the period of a series.

The model and where it starts are Deequ's: the level is the mean of the first period, the trend the mean difference of the first two by
place, the season the first period around its level; the three weights, each from 0 to 1, make the squared errors one step ahead least
(L-BFGS-B from the same start). Which least is found depends on the optimiser. statsmodels has the same model, and takes a second to load:
it is what ours is tested against.

Different from Deequ: the width is a multiple of the root mean square of those errors. Deequ takes the standard deviation of their
absolute values, which of normal errors is 0.6 of it, so that one clean batch in four fires.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from avh_ui.errors import UsageError
from avh_ui.history.anomalies import Band, Strategy
from avh_ui.history.series import Series

# Two-sided 95 % of a normal error, Deequ's factor.
FACTOR = 1.96
# Deequ's first guess of the weights of level, trend and season.
_START = (0.3, 0.1, 0.1)
# Weights are found to some eight digits, so that a series which the model fits exactly still has errors of this share of its values.
_FITTED = 1e-6
# Below this many standard errors (1 / sqrt(n)) a correlation of a series with itself is chance: 3 of some 30 lags that are looked at.
_SURE = 3.0
# A multiple of the period correlates as well as the period but for chance: the first that is nearly the best is it.
_NEARLY = 0.85


@dataclass(frozen=True)
class HoltWinters(Strategy):
    """`factor` deviations around the forecast, with the `period` in batches; None finds it in the series."""

    name: ClassVar[str] = "holt_winters"
    period: int | None = None
    factor: float = FACTOR

    def __post_init__(self) -> None:
        period: object = self.period
        if period is not None and (isinstance(period, bool) or not isinstance(period, int) or period < 2):
            raise UsageError(f"period={period!r} is no period.", hint="Give a whole number of batches, 2 or more, or leave it out.")
        factor: object = self.factor
        if isinstance(factor, bool) or not isinstance(factor, int | float) or not factor > 0:
            raise UsageError(f"factor={factor!r} is no number of deviations.", hint="Give a number above 0.")

    @property
    def least(self) -> int:
        """Two periods; where it is to be found, two of the shortest."""
        return 2 * (self.period or 2)

    @property
    def words(self) -> str:
        """It in words."""
        return f"Holt-Winters, {f'period {self.period}' if self.period else 'the period found in the series'}, {self.factor:g} deviations"

    def band(self, values: Series, start: int, stop: int) -> Band:
        """Forecasts of as many steps from the values before `start`. `UsageError` where they have no period, or not two of them."""
        known = values[:start]
        period = self._period(known)
        forecast, errors = _fit(known, period, stop - start)
        width = self._width(errors, known)
        return forecast - width, forecast + width

    def along(self, values: Series) -> Band:
        """One step ahead each, by the weights that fit the whole series best (one fit) and the errors of the batches before."""
        bounds = np.full((2, len(values)), np.nan)
        try:
            period = self._period(values)
        except UsageError:
            return bounds[0], bounds[1]
        _, errors = _fit(values, period, 1)
        for k in range(2 * period, len(values)):
            width = self._width(errors[:k], values[:k])
            bounds[:, k] = values[k] - errors[k] - width, values[k] - errors[k] + width
        return bounds[0], bounds[1]

    def _width(self, errors: Series, values: Series) -> float:
        return self.factor * float(np.sqrt(np.mean(errors**2))) + _FITTED * float(np.abs(values).max())

    def _period(self, values: Series) -> int:
        period = self.period or period_of(values)
        if period is None:
            raise UsageError(f"No period was found in {len(values)} batches.", hint="Give one: holt_winters(period=7).")
        if len(values) < 2 * period:
            raise UsageError(f"Holt-Winters of period {period} needs {2 * period} batches before this one, and there are {len(values)}.")
        return period


def period_of(values: Series) -> int | None:
    """The period of a series of shape (K,), in batches: the lag at which it is most like itself once its straight trend is taken away; at
    least two of it are there. None where no lag is more than chance.
    """
    n = len(values)
    if n < 8:
        return None
    places = np.arange(n, dtype=np.float64)
    rest = values - np.polyval(np.polyfit(places, values, 1), places)
    if (power := float(rest @ rest)) <= (1e-9 * float(np.abs(values).max())) ** 2 * n:
        return None
    lags = range(1, n // 2 + 1)
    like = np.array([float(rest[lag:] @ rest[:-lag]) / power * n / (n - lag) for lag in lags])
    peaks = [k for k in range(1, len(like)) if like[k] > like[k - 1] and (k + 1 == len(like) or like[k] >= like[k + 1])]
    peaks = [k for k in peaks if like[k] > _SURE / np.sqrt(n)]
    if not peaks:
        return None
    best = max(like[k] for k in peaks)
    return next(lags[k] for k in peaks if like[k] >= _NEARLY * best)


def smoothed(values: Series, period: int, weights: Sequence[float], steps: int = 0) -> tuple[Series, Series]:
    """The errors one step ahead by the weights of level, trend and season, shape (K,), and the forecast of so many steps."""
    alpha, beta, gamma = weights
    first, second = values[:period], values[period : 2 * period]
    level, trend = float(first.mean()), float(second.sum() - first.sum()) / period**2
    season = (first - level).tolist()
    errors = np.empty(len(values))
    for k, value in enumerate(values.tolist()):
        place, base = k % period, level + trend
        errors[k] = value - base - season[place]
        above = alpha * (value - season[place]) + (1 - alpha) * base
        season[place] = gamma * (value - base) + (1 - gamma) * season[place]
        level, trend = above, beta * (above - level) + (1 - beta) * trend
    ahead = [level + step * trend + season[(len(values) + step - 1) % period] for step in range(1, steps + 1)]
    return errors, np.array(ahead)


def _fit(values: Series, period: int, steps: int) -> tuple[Series, Series]:
    """The forecast of so many steps, and the errors one step ahead, shape (K,), by the weights that make the squared errors least."""
    # Loading it takes half a second, which no other strategy is to pay.
    from scipy.optimize import minimize

    scale = float(values.std()) or 1.0

    def squares(weights: Series) -> float:
        errors = smoothed(values, period, weights.tolist())[0] / scale
        return float(errors @ errors)

    found = minimize(squares, _START, method="L-BFGS-B", bounds=[(0.0, 1.0)] * 3)
    errors, ahead = smoothed(values, period, found.x.tolist(), steps)
    return ahead, errors
