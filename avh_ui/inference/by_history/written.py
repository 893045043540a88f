"""Bounds as a person would write them: no further than values can be by nature, and rounded outwards to the digits that matter."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.transforms import IDENTITY
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.bounds import LEAST_RATE
from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.most_frequent import TOP_RATIO

Floats = NDArray[np.float64]
DAY = 86_400.0
# Of a share that may be a fifth lower, nobody cares for the last per cent.
_FAR = 0.2
# From so many days on a person writes tens of them.
_MANY = 100.0
# One row of a thousand that gets another value moves a distance by .0001 (cosine) to .002 (L1).
_LEAST_DISTANCE = 0.0005
# What fewer of the values are than this is no group of rows that anybody knows by its size: "9 to 14.6 %" was said of one example number,
# "11.5 to 29 %" of a rank, "15 to 43 %" of one of five precincts.
_FREQUENT = 1 / 3
# Nobody writes a share that some rows have more finely.
_LEAST_SHARE = 0.005
# Digits of a smallest or largest value that never changed, rounded outwards: 1.00783 is no less than 1, and not than 1.01.
_DIGITS = 3
# So many batches in a row nothing rises by chance.
_RISES = 30
# The usual target of a column.
_USUAL_RATE = 0.001


def within_limits(model: Modelled, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Bounds not beyond what the column's values can be by nature, where its history keeps to that: nothing there is clean.

    What has both limits is held to them alone: that a day's last hour is 20 at least says less than that none is 24.
    """
    least, most = _limits(model)
    if not (model.values.min() >= least and model.values.max() <= most):
        return lower, upper
    if held_to_limits(model):
        first = model.metric.extreme == "least"
        return np.full(len(lower), least if first else -np.inf), np.full(len(upper), np.inf if first else most)
    return np.maximum(lower, least), np.minimum(upper, most)


# What such values can be at all no clean batch breaks: a tenth of the least that a history lets claim, so that these come before estimates.
NATURE_RATE = LEAST_RATE / 10


def held_to_limits(model: Modelled) -> bool:
    """Whether the column's values have both limits by nature, and its history keeps to them."""
    least, most = _limits(model)
    known = math.isfinite(least) and math.isfinite(most) and bool(model.metric.extreme)
    return known and bool(model.values.min() >= least and model.values.max() <= most)


def keeps_to(history: ColumnHistory, metric: Metric, limits: tuple[float, float]) -> bool:
    """Whether an extreme keeps to both limits by nature, and so is held to them, however it moves between."""
    series = history.values.get(metric.name, np.empty(0))
    return (
        bool(metric.extreme)
        and all(map(math.isfinite, limits))
        and bool(len(series) and np.all((series >= limits[0]) & (series <= limits[1])))
    )


def _limits(model: Modelled) -> tuple[float, float]:
    least, most = (model.transform.forward(limit) if math.isfinite(limit) else limit for limit in model.limits)
    return least, most


def one_sided(model: Modelled, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Bounds on the smallest value from below and on the largest from above: nobody says that the smallest may not be too large. On how far
    they are apart from below: what is too far apart is too large or too small.

    What moves all values moves their level too. Extremes that are the batch's date keep both sides.
    """
    if model.metric.extreme in ("least", "spread"):
        return lower, np.full(len(upper), np.inf)
    if model.metric.extreme == "greatest":
        return np.full(len(lower), -np.inf), upper
    if model.metric.name == TOP_RATIO.name and not model.transform.relative and model.mu < _FREQUENT:
        # Of values of which none is frequent nobody says how frequent the most frequent one has to be.
        return np.full(len(lower), -np.inf), upper
    if model.metric.tells_keys and model.sigma > 0:
        # Nobody says that too many texts differ.
        return lower, np.full(len(upper), np.inf)
    return lower, upper


def rounded(model: Modelled, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Bounds rounded outwards to ones, twos or fives of the digit that is a tenth of their distance, as a person would write them; exact
    ones stay.

    Extremes that were whole throughout have whole bounds, and shares far from the usual one end in 0 or 5 per cent.
    """
    if model.transform.part:
        if np.all(model.values == model.values[0]):
            # Moments of a day lie on two in another time zone.
            return _not_beyond_its_date(model, lower, upper) if model.transform.step is None else (lower, upper)
        return _whole_steps(model, lower, upper)
    if model.metric.dated:
        # Days of texts are whole days; a millionth of one is float noise.
        return np.floor(lower / DAY + 1e-6) * DAY, np.ceil(upper / DAY - 1e-6) * DAY
    width = (upper - lower) / 2
    some = width > 1e-6 * np.abs(model.observed).max()
    with np.errstate(divide="ignore", invalid="ignore"):
        tenth = np.where(some & np.isfinite(width), width / 10, 1.0)
        places = np.floor(np.log10(tenth))
    leading = tenth / 10.0**places
    steps = np.where(leading >= 5, 5.0, np.where(leading >= 2, 2.0, 1.0))
    if whole_extremes(model):
        steps, places = np.where((places < 0) & (width >= 1), 1.0, steps), np.where(width >= 1, np.maximum(places, 0), places)
    if model.metric.unit == "ratio" and not model.transform.relative:
        # The last thousandth is as fine as a share is read.
        steps, places = np.where(places < -3, 1.0, steps), np.maximum(places, -3)
        far = np.fmax(model.mu - lower, upper - model.mu) >= _FAR
        steps, places = np.where(far, 5.0, steps), np.where(far, -2.0, places)
    # Powers of ten with positive exponents are exact, and so the results are the doubles nearest to the decimals.
    shrink, grow = steps * 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    # A millionth of a step is the slack for float noise, not a reason for the next one.
    low = np.floor(lower * grow / shrink + 1e-6) * shrink / grow
    high = np.ceil(upper * grow / shrink - 1e-6) * shrink / grow
    if model.metric.two_distribution and model.metric.unit == "distance" and not model.transform.relative:
        # A mix that "barely changes (at most 1.5e-07)" is one of a table that stands still, and says of the first row that all changed.
        high = np.maximum(high, _LEAST_DISTANCE)
    if model.metric.extreme and not whole_extremes(model):
        # What hardly moves is written outwards, too.
        low, high = np.where(some, low, _outward(lower, np.floor)), np.where(some, high, _outward(upper, np.ceil))
        return np.where(np.isfinite(low), low, lower), np.where(np.isfinite(high), high, upper)
    return np.where(some & np.isfinite(low), low, lower), np.where(some & np.isfinite(high), high, upper)


def _outward(ends: Floats, side: Callable[[Floats], Floats]) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = 10.0 ** (np.floor(np.log10(np.abs(ends))) - _DIGITS + 1)
        near = np.round(ends / unit)
        found = np.where(np.abs(ends / unit - near) < 1e-6, near, side(ends / unit)) * unit
    return np.where(np.isfinite(ends) & (ends != 0), found, ends)


def _whole_steps(model: Modelled, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Bounds beside the batch's date: nobody counts parts of a day, nor single days from a hundred on. What never lay before the batch is
    never before it, and what never lay after it is never after.
    """
    low, high = (np.where(np.abs(end) >= _MANY, end / 10, end) for end in (lower, upper))
    low, high = np.floor(low + 1e-6), np.ceil(high - 1e-6)
    low, high = np.where(np.abs(lower) >= _MANY, low * 10, low), np.where(np.abs(upper) >= _MANY, high * 10, high)
    return _not_beyond_its_date(model, low, high)


def _not_beyond_its_date(model: Modelled, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    low = np.maximum(low, 0.0) if model.metric.extreme == "least" and model.values.min() >= 0 else low
    return low, np.minimum(high, 0.0) if model.metric.extreme == "greatest" and model.values.max() <= 0 else high


def plain_steps(model: Modelled, widths: Floats) -> Floats:
    """How far a metric that never changed may move, shape (Q,): shares and averages by one digit, rounded up. Nobody writes that 0.4673 %
    may be null.
    """
    if model.metric.whole or model.metric.extreme or model.metric.unit not in ("ratio", "characters", "distance"):
        return widths
    with np.errstate(divide="ignore"):
        unit = np.where(widths > 0, 10.0 ** np.floor(np.log10(widths) + 1e-9), 1.0)
    return np.ceil(widths / unit - 1e-6) * unit


def least_share(model: Modelled) -> float:
    """How far a share that never changed may move at least, of what some rows have: "between 91.84 and 91.96 % are null" is of a list whose
    next row ends it.
    """
    some = model.metric.unit == "ratio" and not model.metric.by_key and not model.transform.relative and 0 < model.mu < 1
    return _LEAST_SHARE if some else 0.0


def as_read(model: Modelled, lower: Floats, upper: Floats, *, counted: bool) -> tuple[Floats, Floats]:
    """Bounds, shapes (Q,), outwards to what a person would write; those on numbers that are `counted` stay, and so do those on logarithms.

    How far rows move is written in numbers of its own (`RowScale.rounded`): "rises by more than 538 on 1,000" was said of a bound that is
    19 times what came.
    """
    metric = model.metric
    if model.sigma == 0 and least_share(model):
        return np.floor(lower / _LEAST_SHARE + 1e-6) * _LEAST_SHARE, np.ceil(upper / _LEAST_SHARE - 1e-6) * _LEAST_SHARE
    if not (model.transform.log or counted) and (model.sigma > 0 or metric.extreme or metric.unit == "value"):
        lower, upper = rounded(model, lower, upper)
    if metric.scale is not None and model.transform.is_identity:
        upper = np.array([metric.scale.rounded(far) for far in upper.tolist()])
    return lower, upper


def whole_extremes(model: Modelled) -> bool:
    """Whether it is an extreme that was a whole number throughout."""
    return bool(model.metric.extreme) and bool(np.all(model.observed == np.round(model.observed)))


def to_round_end(model: Modelled, widths: Floats, costs: Floats, cost_of: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Widths and costs, shapes (Q,), of a largest value that never changed, no further than the end of its scale: the next of 1 and 100, of
    which it is more than half. A level that never was above 99 ends at 100, and not at 104; where that costs too much it stays as it is.
    """
    ends = [end - model.mu for end in (1.0, 100.0) if end / 2 < model.mu <= end]
    if model.metric.extreme != "greatest" or model.transform != IDENTITY or not ends:
        return widths, costs
    cost = cost_of(np.array(ends[:1]))
    beyond = (widths > ends[0]) & (cost <= _USUAL_RATE)
    return np.where(beyond, ends[0], widths), np.where(beyond, cost, costs)


def never_negative(model: Modelled) -> bool:
    """Whether it is the least of values that were never negative: a count, an amount, a duration. Or its rise is, where it rose with each
    of many batches, as that of numbers which are handed out does: "the smallest loan_id falls by at most 220" was said of such.

    Of 3,511 windows of real columns without a negative value, one (a temperature) had one in the next batch.
    """
    if model.metric.extreme != "least" or model.transform.part or model.signed:
        return False
    if model.transform.relative:
        return bool(model.transform.lag and len(model.values) >= _RISES and model.values.min() > 0)
    return float(model.observed.min()) >= 0
