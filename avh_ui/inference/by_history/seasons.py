"""A number of rows that follows the week: compared with that of a season before, where its season would hide half of a batch.

Of all batches alike the bounds of a table with quiet weekends lie so far apart that half of a Monday lies between them. Simulated for a
year of days with a noise of 6 %: of weekends with half the rows the bounds of all days noticed half of 13 % of the batches, those against
the same weekday 100 %, with no clean batch in 245 beyond either; of flat weeks both 100 %. A single odd batch is left out of both
(`constraints.isolated`). The flights of New York, whose Saturdays are a fifth smaller, keep theirs.

Nearly every batch is nearly every Friday, too. Of bookings with Fridays a sixth larger and Saturdays a fifth smaller than the rest, bounds
from 230 on noticed half of 95 % of all days, and of half of the Fridays nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.isolated import isolated
from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.history.losses import slow_loss
from avh_ui.history.series import Series
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.on_weekdays import LEAST_TURNS, LEFT, by_weekday
from avh_ui.inference.by_history.stationarity import LEAST_POINTS, by_changes, is_constant, make_stationary
from avh_ui.inference.by_history.tails import GRID_R, beyond
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.text import CAPITAL_RATIO

# The usual target of a column: whether half is noticed is asked of bounds that cost so much.
USUAL_RATE = 0.001
# Half of the rows is worth three times as much, where no form notices it for that (`reprogramming.VOLUME_COLUMNS`).
_RATES = (USUAL_RATE, 3 * USUAL_RATE)
# The latest batch may be a small one; the promise is about the others, too. The last twentieth may be as odd as it likes.
NEARLY = 0.95
# Where no form notices half of so many batches, one that notices half of a usual one is better than none.
MIDDLE = 0.5
# From here on half of a value is half by log1p, too (0.6 of 0.69).
_LEAST_LEVEL = 10.0
_HALF = math.log(2)


def form_of(
    metric: Metric, observed: Series, batches: Sequence[str], method: Method, lags: Sequence[int]
) -> tuple[Transform, Series] | None:
    """The transform that makes a metric's history stationary with the transformed values, as `make_stationary`; `observed` is finite, of
    shape (K,), of these `batches`. Of the number of rows a season is told, too; what the paper's method makes of it is its own.
    """
    if method != "paper" and metric is COMPLETE_RATIO:
        # By its changes a column that is lost slowly would be lost as it should; what came before the loss is how much is there.
        loss = slow_loss(observed)
        return IDENTITY, observed[: loss.place] if loss else observed
    if method == "paper":
        return make_stationary(observed, method, lags)
    if metric is CAPITAL_RATIO:
        # Texts are in capitals or are not: by how much the share of these changes nobody says.
        return IDENTITY, observed
    if _in_the_unit(metric) and (form := by_changes(observed)):
        return _as_compared(form, observed, batches)
    if not metric.volume or observed.min() <= 0:
        return _as_compared(make_stationary(observed, method, lags), observed, batches)
    usual = observed[~isolated(np.log(observed))]
    form = make_stationary(usual, method, lags)
    if form is None or not form[0].is_identity:
        compared = _by_factors(metric, observed, batches, _as_compared(make_stationary(observed, method, lags), observed, batches))
        return _growing_by_week(metric, observed, batches, compared) if lags else compared
    return _by_season(metric, observed, batches, lags) or form


def _in_the_unit(metric: Metric) -> bool:
    """Whether it is a level or an extreme in the unit of the column's values."""
    return metric.unit == "value" and not (metric.two_distribution or metric.by_key or metric.dated or metric.extreme == "spread")


def of_level(metric: Metric, observed: Series, batches: Sequence[str], lags: Sequence[int]) -> tuple[Transform, Series] | None:
    """The form by which half of nearly every batch is noticed, of the one value of a table of one row a batch: a day's total is as a number
    of rows. None where no form tells that, or the value grows; `observed` is of shape (K,), finite.
    """
    if observed.min() <= 0:
        return None
    logs = np.log(observed)
    usual = ~isolated(logs)
    form = make_stationary(observed[usual], "calibrated", lags)
    if form is None or not form[0].is_identity:
        return None
    if _notices_half(metric, logs[usual], usual_ends(logs, lags, usual)[1] - _HALF, lagged=False):
        return form
    return _by_season(metric, observed, batches, lags) if observed.min() >= _LEAST_LEVEL else None


def _as_compared(form: tuple[Transform, Series] | None, observed: Series, batches: Sequence[str]) -> tuple[Transform, Series] | None:
    """The form with the changes that a program sees: of ids that are days a week before is the same weekday, not the batch seven places
    back (`history.looking_back`).
    """
    if form is None or not form[0].lag:
        return form
    changes = form[0].apply(observed, batches)
    return form[0], changes[np.isfinite(changes)]


def _by_season(metric: Metric, observed: Series, batches: Sequence[str], lags: Sequence[int]) -> tuple[Transform, Series] | None:
    """The transform by which half of nearly every batch is noticed, or of numbers of rows half of a usual one, and its values, shape (n,);
    None where the number of rows as it is tells that too, or no season of these `lags` does. `observed` is of shape (K,).
    """
    for rate in _RATES:
        noticed, form = _at_rate(metric, observed, batches, lags, rate)
        if noticed or form is not None:
            return form
    return None


def _at_rate(
    metric: Metric, observed: Series, batches: Sequence[str], lags: Sequence[int], rate: float
) -> tuple[bool, tuple[Transform, Series] | None]:
    """Whether the number of rows as it is notices half of nearly every batch at this rate, and else the form that does, or does of most."""
    every = np.log(observed)
    usual = ~isolated(every)
    logs = every[usual]
    if is_constant(logs, 1.0) or _notices_half(metric, logs, usual_ends(every, lags, usual)[1] - _HALF, lagged=False, rate=rate):
        return True, None
    if (found := _by_lag(metric, observed, batches, lags, rate)) is not None:
        return False, found
    if not metric.volume or not lags or (found := by_weekday(observed, batches)) is None:
        return False, None
    halves = found[0].apply(observed / 2, batches)
    if _notices_half(metric, found[1], float(np.quantile(halves, NEARLY)), lagged=True, rate=rate):
        return False, found
    if _notices_half(metric, logs, usual_ends(every, lags, usual, MIDDLE)[1] - _HALF, lagged=False, rate=rate):
        return False, None
    return False, found if _notices_half(metric, found[1], float(np.quantile(halves, MIDDLE)), lagged=True, rate=rate) else None


def _by_factors(
    metric: Metric, observed: Series, batches: Sequence[str], form: tuple[Transform, Series] | None
) -> tuple[Transform, Series] | None:
    """The `form`, changes by how many rows; where these do not notice half of a usual batch and changes by factors do, those: a list that
    has shrunk from 25 rows to 14 changed by more rows than it does.
    """
    if form is None or not form[0].lag or form[0].log or _notices_half_of(metric, observed, batches, form):
        return form
    factors = Transform(form[0].lag, log=True)
    changes = factors.apply(observed, batches)
    found = factors, changes[np.isfinite(changes)]
    return next((found for rate in _RATES if _notices_half_of(metric, observed, batches, found, rate)), form)


def _growing_by_week(
    metric: Metric, observed: Series, batches: Sequence[str], form: tuple[Transform, Series] | None
) -> tuple[Transform, Series] | None:
    """The `form` of what grows; where it does not notice half of a usual batch, how far each is from its weekday's, which grows with it."""
    if form is not None and _notices_half_of(metric, observed, batches, form):
        return form
    found = by_weekday(observed, batches)
    return found if found is not None and _notices_half_of(metric, observed, batches, found) else form


def _notices_half_of(
    metric: Metric, observed: Series, batches: Sequence[str], form: tuple[Transform, Series], rate: float = USUAL_RATE
) -> bool:
    halves = (
        form[0].apply(observed / 2, batches) if form[0].from_id else form[0].against(observed / 2, form[0].references(observed, batches))
    )
    return _notices_half(metric, form[1], float(np.nanquantile(halves, MIDDLE)), lagged=form[0].relative, rate=rate)


def _by_lag(metric: Metric, observed: Series, batches: Sequence[str], lags: Sequence[int], rate: float) -> tuple[Transform, Series] | None:
    """The change against a batch a season before by which half of nearly every batch is noticed, and its values."""
    for lag in lags:
        if len(observed) < 2 * lag + LEAST_POINTS:
            continue
        form = Transform(lag, log=True)
        changes = form.apply(observed, batches)
        changes = changes[np.isfinite(changes)]
        changes = changes[~isolated(changes, changes=True)]
        if _notices_half(metric, changes, usual_ends(changes)[1] - _HALF, lagged=True, rate=rate):
            return form, changes
    return None


def usual_ends(
    values: Series, lags: Sequence[int] = (), known: NDArray[np.bool_] | None = None, share: float = NEARLY
) -> tuple[float, float]:
    """Between what this `share` of the batches lies, and of those of each place of a season of these `lags`, where there is one; `values`
    in the order of their batches, shape (n,), `known` which of them count (None = all; of the same shape).
    """
    known = np.ones(len(values), dtype=bool) if known is None else known
    low, high = (float(np.quantile(values[known], end)) for end in (1 - share, share))
    for lag in lags:
        turns = [values[at::lag][known[at::lag]] for at in range(lag)]
        if min(len(turn) for turn in turns) < LEAST_TURNS:
            continue
        left = np.concatenate([turn - np.median(turn) for turn in turns])
        if np.abs(left).mean() <= LEFT * np.abs(values[known] - np.median(values[known])).mean():
            # Of a dozen of a place the odd one is left out, not a part of it.
            low = min(low, *(float(np.quantile(turn, 1 - share, method="higher")) for turn in turns))
            high = max(high, *(float(np.quantile(turn, share, method="lower")) for turn in turns))
    return low, high


def _notices_half(metric: Metric, logs: Series, highest: float, *, lagged: bool, rate: float = USUAL_RATE) -> bool:
    """Whether bounds that cost so much notice what is not above `highest`: logarithms of halves beside such ones of the rows, (n,)."""
    if is_constant(logs, 1.0):
        return True
    usual = float(logs.mean())
    gap = float(np.abs(logs - usual).max())
    costs = beyond(metric, GRID_R, GRID_R * gap / float(logs.std(ddof=1)), logs, lagged=lagged, logs=True)
    width = float(np.min(GRID_R[costs <= rate], initial=math.inf))
    return highest < usual - width * gap
