"""Every constraint the history of one column allows, with its cost (AVH, section 4.2 and Appendix D, Algorithm 3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.errors import NotEnoughHistoryError
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.above_zero import FALLING, held_above_zero, kept_above_zero
from avh_ui.inference.by_history.all_the_same import all_the_same
from avh_ui.inference.by_history.bounds import GRID_K, NOISE, Method, false_positive_rate
from avh_ui.inference.by_history.going_missing import told_by
from avh_ui.inference.by_history.lists import costs_of_nulls
from avh_ui.inference.by_history.moments import followed, moving
from avh_ui.inference.by_history.own_ends import by_factors, costs_of, ends_of, farthest, with_natural_limits
from avh_ui.inference.by_history.own_period import own_days_of, with_own_days
from avh_ui.inference.by_history.saying import saying_something
from avh_ui.inference.by_history.seasons import form_of, of_level
from avh_ui.inference.by_history.stationarity import is_constant, trend, unmodelled
from avh_ui.inference.by_history.steps import always_one, grain, least_reach, least_step, of_column
from avh_ui.inference.by_history.tails import CONSTANT_RULE, GRID_R, NEVER_CELLS, STEPS, is_calm, moved, rule
from avh_ui.inference.by_history.thinned import bounds_of_losses, tells_losses
from avh_ui.inference.by_history.totals import ALONE, changing, never_falling
from avh_ui.inference.by_history.usual_size import UsualShares
from avh_ui.inference.by_history.written import (
    NATURE_RATE,
    as_read,
    held_to_limits,
    keeps_to,
    least_share,
    never_negative,
    one_sided,
    plain_steps,
    to_round_end,
    within_limits,
)
from avh_ui.inference.emptiness import chance_of_no_values
from avh_ui.inference.kinds.limits import may_be_negative
from avh_ui.inference.kinds.of_numbers import KEY_ROWS
from avh_ui.metrics.catalogue import metrics_for
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.dates import unread
from avh_ui.metrics.distribution import MEDIAN
from avh_ui.metrics.keys_matched import SOUND_KEYS
from avh_ui.metrics.metric import NOT_MEASURED, Metric
from avh_ui.metrics.moments import MEAN, MIN, RANGE
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT, UNIQUE_RATIO

Floats = NDArray[np.float64]

# The shortest history the paper tries (Appendix J, Figure 6).
LEAST_BATCHES = 7
_LEVELS = (MEAN, MEDIAN)  # Within the limits of a column's values, as their ends are.


@dataclass(frozen=True)
class Unconstrained:
    """A metric that cannot be constrained, and why; or the `issue` that no constraint notices, `of_table` where it is one of its rows."""

    metric: str
    reason: str
    issue: str = ""
    of_table: bool = False


@dataclass(frozen=True)
class MetricModel:
    """A metric's history: `observed` of shape (K,), its stationary form `values` of shape (n,) with `mu` and sample deviation `sigma`.

    `sigma` is 0 when the values are one within float noise; `reference` is what the latest batch is compared with. Of a constant metric,
    `step` is the smallest worth tolerating (0 where only the number of rows tells it) and `exponent` says how sure it is to stay, see
    `tails.rule`. `undefined` is the probability that the next batch has no value to measure. By nature values lie in `limits`; all were one
    where `one_value`. Bounds are `reach` from the mean at least. Of `volume` half is as far from the usual as twice: it is a number of
    rows, or the value of a table of one row a batch that varies as one. What is `alone` is that one value. `batches` are the ids of what
    was observed. What is `signed` may be negative, though it never was. `spread` is the values' usual deviation. Its column is `temporal`
    or not. A batch has its days in `own_days` beside its date, where it keeps to some. `tail` is the power of the table's own
    (`own_record`; 0 = none). The values `ever` lay between these two, NaN where that is not known. Their deviation was so large `lately`
    where it is not about the same in all batches, else NaN. `frequent` are the rows and the share that its most frequent value has. What is
    `drifting` is as it is though its level drifts. Usual batches had the shares `usual`. A list has `stays` rows, averages are `level`.
    """

    metric: Metric
    observed: Series
    transform: Transform
    values: Series
    mu: float
    sigma: float
    reference: float | None = None
    step: float = 0.0
    exponent: float = CONSTANT_RULE
    undefined: float = 0.0
    limits: tuple[float, float] = (-math.inf, math.inf)
    one_value: bool = False
    reach: float = 0.0
    volume: bool = False
    alone: bool = False
    batches: tuple[str, ...] = ()
    signed: bool = False
    spread: float = math.nan
    level: float = math.nan
    temporal: bool = False
    own_days: tuple[float, float] | None = None
    tail: float = 0.0
    ever: tuple[float, float] = (math.nan, math.nan)
    lately: float = math.nan
    frequent: tuple[float, float] = (math.inf, math.inf)
    drifting: bool = False
    usual: Mapping[str, UsualShares] = field(default_factory=dict)
    stays: int = 0

    @property
    def n(self) -> int:
        """Number of transformed values."""
        return len(self.values)


@dataclass(frozen=True)
class Candidates:
    """The grid of one metric's constraints, widest last: all arrays of shape (B,). A lower bound of -inf is open.

    `k` is the distance of the bounds from the mean in sigma (NaN at sigma 0), `width` the same in largest deviations of the history (NaN
    where it is not chosen by them).
    """

    model: MetricModel
    k: Floats
    width: Floats
    lower: Floats
    upper: Floats
    fpr: Floats


def fit_metrics(
    history: ColumnHistory,
    *,
    method: Method = "calibrated",
    season_lags: Sequence[int] = (),
    metrics: Sequence[Metric] | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[list[MetricModel], list[Unconstrained]]:
    """The stationary form of these metrics (None: of all that programs of the column's kind are made of, in catalogue order), and what was
    left out. The column's values lie within `limits` by nature. `NotEnoughHistoryError` below `LEAST_BATCHES` batches.
    """
    if len(history.batches) < LEAST_BATCHES:
        raise NotEnoughHistoryError(
            f"Column {history.column!r} has {len(history.batches)} batches of history; {LEAST_BATCHES} are needed.",
            hint="Profile more batches, or choose a longer history.",
        )
    models, left_out = [], []
    # Extremes, or the number of different values of texts, which is one also where some are null.
    distinct = history.values.get(DIST_VAL_COUNT.name, np.full(1, np.nan))
    one_value = not np.any(history.values.get(RANGE.name, distinct - 1))
    (unique, rows), (filled, _) = (always_one(history, metric) for metric in (UNIQUE_RATIO, COMPLETE_RATIO))
    empty = chance_of_no_values(history)
    unique, filled = unique and float((rows**2).sum()) >= LEAST_BATCHES * KEY_ROWS**2, filled and float(rows.sum()) >= NEVER_CELLS
    alike, calm = {**of_column(history), "one_value": one_value, "signed": may_be_negative(history)}, is_calm(history.values)
    for metric in metrics_for(history.kind) if metrics is None else metrics:
        own = limits if metric.extreme in ("least", "greatest") or metric in _LEVELS else (-math.inf, math.inf)
        found = unread(metric, history.values) or _fit(metric, history, method, season_lags, held=keeps_to(history, metric, own))
        if isinstance(found, str):
            untold = history.untold.get(metric.name)
            old = "" if untold is None else f"it was {NOT_MEASURED} in {int(untold.sum())} of {len(untold)} batches"
            left_out.append(Unconstrained(metric.name, old or found))
        else:
            # What is a part of the batch's date is so in every row.
            made = {"one_value": one_value or bool(found.transform.part), "unique": unique, "filled": filled, "calm": calm}
            same = found.n if found.transform.is_identity else 0
            exponent = rule(metric, history.kind, **made, one_row=history.of_one_row, dated=bool(found.transform.part), same=same)
            undefined = 0.0 if metric.always_defined else empty  # undefined is a violation
            reach = least_reach(found, alike["spread"]) if method == "calibrated" else 0.0
            found = replace(found, step=least_step(found, history), reach=reach, exponent=exponent, undefined=undefined, limits=own)
            models.append(replace(found, **alike, own_days=own_days_of(found, history) if method == "calibrated" else None))
    return models, left_out


def _fit(metric: Metric, history: ColumnHistory, method: Method, season_lags: Sequence[int], *, held: bool) -> MetricModel | str:
    """The metric's model, or the reason why there is none; as it is where it is `held` to limits by nature."""
    series, batches = history.values.get(metric.name), history.batches
    if series is None:
        return "it is not in the history"
    observed = np.asarray(series, dtype=np.float64)
    if metric.two_distribution and np.isnan(observed[:1]).any():  # without a predecessor the first batch has none
        observed, batches = observed[1:], batches[1:]
    if why := unmodelled(observed, LEAST_BATCHES - metric.two_distribution):
        return why
    alone = history.of_one_row and metric in ALONE and method == "calibrated"
    held = method == "calibrated" and (held or (alone and metric is MIN) or tells_losses(metric))
    transform = followed(metric, history, observed) if method == "calibrated" and not held else IDENTITY
    apart = held or bool(transform.part)
    level = of_level(metric, observed, batches, season_lags) if alone and not apart else None
    form = (transform, transform.apply(observed, batches)) if apart else level or form_of(metric, observed, batches, method, season_lags)
    if alone and form is None:
        form = changing(observed, batches)
    if method == "calibrated" and not apart:
        form = moving(metric, history, observed, form)
        # By how much a spread changes nobody can tell; what grows spans more and more, and never nothing.
        if metric.extreme == "spread" and (form is None or form[0].lag):
            form = (IDENTITY, observed) if trend(observed) > FALLING else None
    # How frequent the most frequent value is may drift: that none is most of them is said all the same.
    if drifting := method == "calibrated" and metric is TOP_RATIO and (form is None or bool(form[0].lag)):
        form = IDENTITY, observed
    if form is None:
        return "its history is not stationary, and no differencing makes it so"
    transform, values = form
    scale = float(np.abs(np.log1p(observed) if transform.log else observed).max())
    constant = is_constant(values, scale)
    mu = float(values[0]) if constant and bool(np.all(values == values[0])) else float(values.mean())
    reference = transform.reference_of_last(observed, batches)
    sigma, volume = 0.0 if constant else float(values.std(ddof=1)), metric.volume or level is not None
    return MetricModel(
        metric, observed, transform, values, mu, sigma, reference, volume=volume, alone=alone, batches=tuple(batches), drifting=drifting
    )


def candidates_of(model: MetricModel, *, method: Method = "calibrated", rows: int = 0) -> Candidates:
    """The constraints of one metric; `rows` of the latest batch give the smallest step of ratios and averages. No clock shows 24:60."""
    own = all_the_same if not model.alone else held_above_zero if model.metric is MIN else never_falling
    found = own(model, _candidates(model, method, rows))
    found = found if method == "paper" else told_by(found, rows)
    fpr = np.full_like(found.fpr, NATURE_RATE) if held_to_limits(model) else costs_of_nulls(model, found.lower, found.fpr)
    return found if method == "paper" else replace(found, fpr=np.minimum(fpr + model.undefined, 1.0))


def _candidates(model: MetricModel, method: Method, rows: int) -> Candidates:
    if method == "calibrated" and tells_losses(model.metric):
        return Candidates(model, *bounds_of_losses(model.values))
    if model.sigma == 0:
        return _constant(model, method, rows)
    if method == "paper":
        beta = GRID_K * model.sigma
        return _bounded(model, method, GRID_K, beta, false_positive_rate(method, model.metric.proposition, model.sigma, beta, model.n))
    factor, costs = by_factors(model), costs_of(model, GRID_R)
    beta = GRID_R * farthest(model)
    k = np.full(len(beta), np.nan) if factor else beta / model.sigma
    found = _bounded(model, method, k, beta, costs, ends_of(model, GRID_R, costs), width=GRID_R)
    return with_own_days(model, with_natural_limits(model, found) if factor else kept_above_zero(model, found))


def _constant(model: MetricModel, method: Method, rows: int) -> Candidates:
    """The metric stays what it always was; the calibrated method also offers to tolerate some of its smallest steps."""
    whole = model.mu == round(model.mu) and bool(np.all(model.values == model.mu)) and abs(model.mu) < 2**53
    noise = 0.0 if whole else NOISE * float(np.abs(np.log1p(model.observed) if model.transform.log else model.observed).max())
    if method == "paper":
        widths, costs = np.array([noise]), np.zeros(1)
    else:
        step = grain(model, rows) or model.step
        # What a table is read by is a key or is none: "at most 0.9 % of the keys stand in several rows" is said of no key.
        steps = STEPS[:1] if step <= 0 or model.metric.unit == "characters" or model.metric in SOUND_KEYS else STEPS
        cost = partial(moved, model.metric, model.exponent, model.n, step=step)
        widths, costs = plain_steps(model, steps * step) * (1 + 1e-9) + noise, cost(steps * step)
        widths, costs = to_round_end(model, np.maximum(widths, max(model.reach, least_share(model))), costs, cost)
    if model.transform.part:
        # What belongs to a batch's date has one width.
        widths, costs = np.full(1, model.step), costs[:1]
    found = _bounded(model, method, np.full(len(widths), np.nan), widths, costs)
    return found if method == "paper" or model.metric.extreme != "spread" else kept_above_zero(model, found)


def _bounded(  # noqa: PLR0917 (what a grid is made of)
    model: MetricModel,
    method: Method,
    k: Floats,
    beta: Floats,
    fpr: Floats,
    bounds: tuple[Floats, Floats] | None = None,
    width: Floats | None = None,
) -> Candidates:
    """Bounds (by default `beta` away from the mean) in the transform's space, not beyond what the metric can be at all."""
    metric, transform = model.metric, model.transform
    lower, upper = (model.mu - beta, model.mu + beta) if bounds is None else bounds
    if metric.two_distribution:
        # A distance may always be smaller; a change of distances may be negative, so there the side is open.
        lower = np.full(len(beta), -np.inf if transform.lag else 0.0)
    if not transform.relative:
        lower = np.maximum(lower, transform.forward(metric.lowest) if math.isfinite(metric.lowest) else -np.inf)
        upper = np.minimum(upper, transform.forward(metric.highest) if math.isfinite(metric.highest) else np.inf)
        lower, upper = within_limits(model, lower, upper)
    if method == "calibrated" and never_negative(model):
        lower = np.maximum(lower, 0.0)
    if method == "calibrated":
        lower, upper = as_read(model, lower, upper, counted=metric.whole and not by_factors(model))
    if metric.whole and not transform.log:  # between whole numbers nothing changes, and they read better
        up, down = np.ceil(lower), np.floor(upper)
        lower, upper = np.where(up <= down, up, lower), np.where(up <= down, down, upper)
    if method == "calibrated" and (not transform.part or model.sigma > 0) and not model.one_value:
        lower, upper = one_sided(model, lower, upper)
    some = np.ones(len(fpr), dtype=bool)
    if method == "calibrated":
        lower, upper, some = saying_something(model, lower, upper)
    width = np.full(len(fpr), np.nan) if width is None else width
    return Candidates(model, k[some], width[some], lower[some], upper[some], fpr[some])
