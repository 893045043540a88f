"""Making a metric's history stationary (AVH, section 4.2 and Appendix E, Algorithms 4 and 5).

The augmented Dickey-Fuller test is that of `statsmodels.tsa.stattools.adfuller` with its defaults (a constant, the lag order by
AIC up to Schwert's 12 (n / 100)^(1/4)). Here one QR decomposition gives all lag orders at once: about 10 times faster, which
matters when each of some 500 series of a table is tried at up to 80 differencings.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.history.series import Series
from avh_ui.inference.by_history.bounds import NOISE, Method

# The statistic at which MacKinnon's p-value (with a constant, one series) is 5 %; below it the unit root is rejected. As a number, since
# importing statsmodels for it takes 1.4 s.
CRITICAL = -2.8615927630969753
# ADF has no power on fewer points than this, nor on less than a third of the history (design, section 6).
LEAST_POINTS = 6
# A table that grows by one row a week and twice by none has steps of which all but some are one: a test for a unit root finds no error to
# tell them from (of 105 such weeks it refused each differencing, and found a growth by logarithms steady in 112). Steps are steady where so
# many are the same.
STEADY = 0.9
# Differencing doubles the variance of what has no trend, and one odd batch becomes two. The calibrated method differences only
# where the correlation with time is at least this: the trend explains two thirds of the variance.
STRONG_TREND = 0.8
# What is nearer to the batch before than to its level wanders, and leaves any bounds on that. Of means and medians of 25 tables with so
# much correlation from batch to batch 43 % of the next ten lay beyond all before after 60 batches and 1.0 % beyond twice the largest
# deviation; of their changes 5.3 and 1.0 %, at a seventh of the width (after 30: 59 and 1.9 %, 8.5 and 1.6 %, an eighth; of extremes 36
# and 1.2 %, 4.1 and 1.1 %, a fifth). Where changes are not so much nearer, what differencing costs is more than it gives.
WANDER, WANDER_WIDTH, WANDER_LEAST = 0.85, 1 / 3, 30


def make_stationary(series: Series, method: Method = "paper", season_lags: Sequence[int] = ()) -> tuple[Transform, Series] | None:
    """A transform that makes `series`, finite of shape (K,), stationary, and the transformed values of shape (K - lag,).

    None when there is none. A constant series is stationary. `paper`: Algorithm 5, with the season's lags before the others.
    `calibrated`: the series as it is unless it has a strong trend; then, of lag 1 and the season's, the steadiest that is stationary.
    """
    if method == "calibrated" and (is_constant(series) or abs(trend(series)) < STRONG_TREND):
        return IDENTITY, series
    if method == "calibrated":
        return _steadiest(series, season_lags)
    if is_stationary(series):
        return IDENTITY, series
    return next(_stationary_forms(series, _lags(len(series), season_lags)), None)


def unmodelled(observed: Series, least: int) -> str:
    """Why a series of fewer than the `least` batches, or of what is no number, has no model, whatever it does; '' where it may have one."""
    if len(observed) < least:
        return f"it is known of {len(observed)} batches beside those left out"
    undefined, infinite = int(np.isnan(observed).sum()), int(np.isinf(observed).sum())
    if undefined or infinite:
        what = f"undefined in {undefined}" if undefined else f"infinite in {infinite}"
        return f"it is {what} of {len(observed)} batches"
    # Squares of larger numbers overflow.
    return "its values are too large to have a variance" if float(np.abs(observed).max()) > 1e150 else ""


def is_constant(values: Series, scale: float | None = None) -> bool:
    """Whether all values are one within float noise; `scale` is the size of the numbers they were computed from."""
    if scale is None:
        scale = float(np.abs(values).max(initial=0.0))
    return bool(np.ptp(values) <= NOISE * scale) if len(values) else True


def is_stationary(values: Series, scale: float | None = None) -> bool:
    """Whether the unit root is rejected at 5 %, or the series is constant (statsmodels raises there); float64 of shape (n,)."""
    if is_constant(values, scale):
        return True
    if len(values) < LEAST_POINTS:
        return False
    spread = float(values.std())
    if not math.isfinite(spread) or spread == 0:
        return False
    return adf_statistic((values - values.mean()) / spread) < CRITICAL


def adf_statistic(x: Series) -> float:
    """The t statistic of the augmented Dickey-Fuller regression; NaN where the regression has no error to compare with.

    `dx_t = c + g x_(t-1) + a_1 dx_(t-1) + ... + a_p dx_(t-p)`, the t statistic of g, p by AIC on the sample common to all orders.
    """
    nobs = len(x)
    most = min(nobs // 2 - 2, math.ceil(12.0 * (nobs / 100.0) ** 0.25))
    if most < 0:
        return math.nan
    response, design = _regression(x, most)
    left = len(response)
    q, r = np.linalg.qr(design)
    if np.abs(np.diagonal(r)).min() <= 1e-10 * math.sqrt(left):
        return math.nan  # exactly collinear: a periodic or polynomial series, nothing to test
    explained = np.cumsum((q.T @ response) ** 2)[1:]
    residual = np.maximum(float(response @ response) - explained, np.finfo(float).tiny)
    aic = left * np.log(residual / left) + 2.0 * np.arange(2, most + 3)
    return _t_statistic(x, int(np.argmin(aic)))


def _regression(x: Series, order: int) -> tuple[Series, NDArray[np.float64]]:
    """Response and regressors (constant, level, lagged differences) of one lag order."""
    steps = np.diff(x)
    rows = len(steps) - order
    columns = [np.ones(rows), x[order:-1], *(steps[order - j : order - j + rows] for j in range(1, order + 1))]
    return steps[order:], np.stack(columns, axis=1)


def _t_statistic(x: Series, order: int) -> float:
    response, design = _regression(x, order)
    freedom = len(response) - design.shape[1]
    if freedom <= 0:
        return math.nan
    # The level comes last: its coefficient and standard error are then the last entries of the triangular system.
    q, r = np.linalg.qr(design[:, [0, *range(2, design.shape[1]), 1]])
    projected = q.T @ response
    residual = float(np.sum((response - q @ projected) ** 2))
    if residual <= 1e-20 * float(response @ response):
        return math.nan
    return float(math.copysign(1.0, r[-1, -1]) * projected[-1] / math.sqrt(residual / freedom))


def wanders(series: Series) -> bool:
    """Whether each of a series, finite of shape (n,), is so near to the one before that bounds on its changes lie much nearer."""
    if len(series) < WANDER_LEAST or is_constant(series):
        return False
    gap = series - series.mean()
    near = float(gap[1:] @ gap[:-1]) >= WANDER * float(gap @ gap)
    changes = np.diff(series)
    return near and float(np.abs(changes - changes.mean()).max()) <= WANDER_WIDTH * float(np.abs(gap).max())


def by_changes(series: Series) -> tuple[Transform, Series] | None:
    """The changes from batch to batch of what `wanders`, with their transform; None of what does not, or whose changes do, too."""
    return _steadiest(series, ()) if wanders(series) else None


def _lags(batches: int, season_lags: Sequence[int]) -> list[int]:
    """Algorithm 5's lags, the season's first, as far as enough points are left."""
    most = batches - max(LEAST_POINTS, math.ceil(batches / 3))
    return [lag for lag in dict.fromkeys([*season_lags, *range(1, most + 1)]) if 1 <= lag <= most]


def _is_steady(values: Series, scale: float) -> bool:
    """Whether nearly all values are one within float noise; of shape (n,), at least one."""
    return bool(np.mean(np.abs(values - np.median(values)) <= NOISE * scale) >= STEADY)


def _stationary_forms(series: Series, lags: Sequence[int], *, steady: bool = False) -> Iterator[tuple[Transform, Series]]:
    """Every stationary differencing: first of the values, then of their log1p where none is negative. With `steady`, where nearly all
    changes are the same, too.
    """
    for log in (False, True) if series.min() >= 0 else (False,):
        values = np.log1p(series) if log else series
        scale = float(np.abs(values).max())
        for lag in lags:
            changes = values[lag:] - values[:-lag]
            if is_stationary(changes, scale) or (steady and _is_steady(changes, scale)):
                yield Transform(lag, log), changes


def _steadiest(series: Series, season_lags: Sequence[int]) -> tuple[Transform, Series] | None:
    """Of lag 1 and the season's lags, the stationary form that varies least; values come before logarithms."""
    allowed = _lags(len(series), ())
    forms = list(_stationary_forms(series, [lag for lag in dict.fromkeys([1, *season_lags]) if lag in allowed], steady=True))
    plain = [form for form in forms if not form[0].log] or forms
    return min(plain, key=lambda form: float(form[1].std()), default=None)


def trend(series: Series) -> float:
    """Rank correlation with time (Spearman), -1 to 1: growth by a factor is a trend, too, of which a straight line tells little."""
    time = np.arange(len(series)) - (len(series) - 1) / 2
    _, inverse, counts = np.unique(series, return_inverse=True, return_counts=True)
    gap = (np.cumsum(counts) - (counts - 1) / 2)[inverse] - (len(series) + 1) / 2
    size = math.sqrt(float(time @ time) * float(gap @ gap))
    return float(time @ gap) / size if size > 0 else 0.0
