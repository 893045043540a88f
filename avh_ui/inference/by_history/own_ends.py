"""Bounds beside the ends of their own history: each side no further beyond its own farthest batch than the next one goes.

Bounds as far above the usual as below it are as wide as the farther end asks, and most numbers of rows have one: a quiet day pulls twice
as many rows into the bounds. Of 661 windows of 129 real series (pizzas by day, flights by day, airport, carrier, destination and hour,
earthquakes, lists) that had such bounds, and kept their level, the 19,758 next batches were beyond these ends in 3 more than beyond the
even bounds (of 72); twice the rows were noticed of 83 in the place of 78 % of them after 30 to 59 batches, 90 of 86 % after 60 to 99, and
89 of 83 % from 100 on, half of them of 73 (70), 83 (81) and 85 % (84), and the bounds were 9, 10 and 13 % narrower.

So it is of shares and of smallest and largest values, in deviations of their history: see `_SHARES` and `_EXTREMES` for the laws and what
was measured. Of means, medians, distances, what matched rows did, changes against an earlier batch, what mostly stands still and how far
extremes are apart no such law holds, and the bounds stay even; nor of what drifts, as a list that slowly fills.

A number that has natural limits reaches them again and again: months have 28 to 31 days, and a table with a row for each said 23 to 40.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import Series
from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.steps import FEW
from avh_ui.inference.by_history.tails import STILL, VERY_LONG, VOLUME_AWAY_INDEX, VOLUME_SCALE, beyond, modal_share
from avh_ui.metrics.most_frequent import TEXT_TOP_RATIO, TOP_RATIO

Floats = NDArray[np.float64]
B = TypeVar("B", bound=Any)

# No nearer to the farthest, whatever the law says: with .15 there were 20 more of 5,640 batches beyond after 60 to 99, with .2 7 and with
# .25 1; after 100 and more with .15 24 more of 10,709, with .2 1.
_NEAREST, _NEAREST_LONG = 0.25, 0.2
# Both limits come again in so many years.
_YEARS = 3
# Jeffreys' rule for laws, as of what never changed (`tails.CONSTANT_RULE`): of days by month none of the next batches broke them.
_LAW = 2.0


@dataclass(frozen=True)
class EndLaw:
    """After n batches, `least` of them or more, the next one is beyond the farthest on a side by x with the probability
    `(1 + x / scale) ** -index / (n + 1)`; bounds are `nearest` beyond it at least. All in standard deviations of the history.
    """

    scale: float
    index: float
    least: int
    nearest: float


# Walked over 25 real tables (flights, pizzas, births, cases, earthquakes, releases of lists), all in sight when the laws were chosen. Even
# bounds that cost .0002 lay 21, 12.7 and 11.4 deviations from the middle after 30, 60 and 120 batches; beyond them lay of the next 30, all
# tables alike, .00, .01 and .03 % of shares, .27, .01 and .01 % of those of the most frequent value, and .51, 0 and 0 % of those of nulls.
# With ends of 5, 4 and 3 deviations it was .98 (.2 without one list that jumped), .06 and .09 %, then .32, .11 and .03, and .59, .03 and 0;
# of numbers of different values none after 30, .12 and 0 %. Of the next five batches of shares .05 to .4 / (n + 1) lay 2 deviations beyond
# the farthest and .00 to .02 lay 4 beyond it (this says .06 and .012). Before 30 batches lists jump: .55 % in the place of none after 20.
_SHARES = EndLaw(scale=2.0, index=4.0, least=30, nearest=2.0)
# Beyond even bounds on smallest and largest values lay .42 % after 60 and 3.8 % after 120 (waves of cases, in two tables); with ends of 6
# and 5 deviations .60 and 4.2, of the smallest alone none after 120. Of means and medians a law of 7 deviations after 120 made bounds a
# tenth narrower, and days of earthquakes alarmed on 6 in the place of 4 of 3,100 column-batches. Of distances .31 % in the place of .17
# lay beyond ends of 4 deviations after 60, of shares of matched rows .87 in the place of .32 beyond 5 after 120.
_EXTREMES = EndLaw(scale=2.0, index=3.0, least=60, nearest=2.0)
# What drifts goes on beyond its ends: where each batch is so near to the one before, the bounds stay even. Without that frozen rules on
# nulls of two of OurAirports' lists that slowly fill alarmed for 39 batches more (autocorrelations of .91 and .93), and those that follow
# on the most frequent value of counts by day for 14 more at two targets (.81 to .90); of shares of flights none has more than .47.
_DRIFTS = 0.7
# Of dates, and of a usual value that so many have, the most frequent one is no rule to come first: narrower, "43 to 71 % of the flags are
# the same" stood for "none loses more than 10 % of its rows", which halves of both break, and "5 to 14 % of the times are" for their day.
_USUAL = 1 / 3


class Counted(Modelled, Protocol):
    """A metric's model with the ids of its batches."""

    @property
    def batches(self) -> tuple[str, ...]:
        """The ids of what was observed."""
        ...

    @property
    def reach(self) -> float:
        """How far from the mean its bounds are at least."""
        ...

    @property
    def tail(self) -> float:
        """The power of the tail of its table's own history; 0 where that tells none."""
        ...


def by_factors(model: Modelled) -> bool:
    """Whether logarithms are what its bounds are of: a number of rows, or one that varies as such, never half or twice the usual one."""
    values = model.values
    if not (model.volume and model.transform.is_identity) or values.min() <= 0:
        return False
    usual = float(np.exp(np.log(values).mean()))
    return bool(usual / 2 < values.min() and values.max() < 2 * usual)


def compared(model: Counted) -> Series:
    """What varies evenly, of shape (n,): half of the rows are as far from the usual as twice as many, and of all else the values do."""
    return np.log(model.values) if by_factors(model) else model.values


def farthest(model: Counted) -> float:
    """The largest deviation from the mean, of a distance above it."""
    values = compared(model)
    gap = values - values.mean()
    return float(gap.max() if model.metric.two_distribution else np.abs(gap).max())


def costs_of(model: Counted, widths: Floats) -> Floats:
    """What bounds cost that are so many largest deviations wide, shape (B,)."""
    values, lagged = compared(model), bool(model.transform.lag or model.transform.weekdays)
    k = widths * farthest(model) / float(values.std(ddof=1))
    return beyond(model.metric, widths, k, values, lagged=lagged, logs=by_factors(model), own=model.tail)


def ends_of(model: Counted, widths: Floats, costs: Floats) -> tuple[Floats, Floats]:
    """Bounds, shapes (B,), so many largest deviations away from the mean, and no further `past_ends`; but as far as few rows move it."""
    values, factor = compared(model), by_factors(model)
    mean, past, least = float(values.mean()), past_ends(model, costs), FEW if factor else model.reach
    away = np.maximum(widths * farthest(model), least)
    lower = np.maximum(mean - away, np.minimum(values.min() - past, mean - least))
    upper = np.minimum(mean + away, np.maximum(values.max() + past, mean + least))
    return (np.exp(lower), np.exp(np.minimum(upper, 700))) if factor else (lower, upper)


def past_ends(model: Counted, costs: Floats) -> Floats:
    """How far beyond the farthest of its batches on a side, of what is `compared`, the next one lies as rarely as these `costs` say, shape
    (B,); infinitely where no law tells that.
    """
    count = len(model.values)
    if by_factors(model):
        law = VOLUME_SCALE * (((count + 1) * costs) ** (-1 / VOLUME_AWAY_INDEX) - 1)
        return np.maximum(law, _NEAREST_LONG if count >= VERY_LONG else _NEAREST)
    found = _law_of(model)
    if found is None:
        return np.full(len(costs), np.inf)
    return model.sigma * np.maximum(found.scale * (((count + 1) * costs) ** (-1 / found.index) - 1), found.nearest)


def _law_of(model: Counted) -> EndLaw | None:
    """The law of what describes one batch: of what is no amount, and of its smallest and largest values."""
    metric = model.metric
    share = metric.unit == "ratio"
    usual = metric is TEXT_TOP_RATIO or (metric is TOP_RATIO and (model.temporal or float(model.values.mean()) >= _USUAL))
    apart = usual or metric.by_key or metric.total or metric.volume or metric.dated
    if apart or model.transform.relative or (metric.two_distribution and not share):
        return None
    if metric.unit == "value" and metric.extreme not in ("least", "greatest"):
        return None
    law = _EXTREMES if metric.unit == "value" else _SHARES
    told = len(model.values) >= law.least and modal_share(model.values) < STILL and not _drifts(model.values)
    return law if told else None


def _drifts(values: Series) -> bool:
    """Whether each batch is near to the one before, by the autocorrelation of a history, shape (n,)."""
    gap = values - values.mean()
    return bool(gap[1:] @ gap[:-1] >= _DRIFTS * (gap @ gap))


def with_natural_limits(model: Counted, found: B) -> B:
    """Candidates with the `natural_limits` before all others, where there are any."""
    limits = natural_limits(model.observed, model.batches) if by_factors(model) and model.metric.whole else None
    if limits is None:
        return found
    count = len(model.observed)
    first = {"lower": limits[0], "upper": limits[1], "fpr": (count + 2.0) ** -_LAW, "k": np.nan, "width": np.nan}
    return replace(found, **{name: np.concatenate([[value], getattr(found, name)]) for name, value in first.items()})


def natural_limits(observed: Series, batches: tuple[str, ...]) -> tuple[float, float] | None:
    """The smallest and largest of a history, shape (K,) with the ids of its batches, where each came again in several years, and more often
    than the value next to it: what thins out towards its end has none there. None of all others.

    Of 870 windows of the same series 6 were so, of days by month, and none of their 180 next batches broke it. Without the years two
    destinations of flights were, too, of which 13 of 210 did.
    """
    if len(batches) != len(observed):
        return None
    values, counts = np.unique(observed, return_counts=True)
    if len(values) <= 2 or counts[0] <= counts[1] or counts[-1] <= counts[-2]:
        return None
    ends = [{_year(batches[at]) for at in np.flatnonzero(observed == end)} for end in values[[0, -1]]]
    return (float(values[0]), float(values[-1])) if min(len(years - {None}) for years in ends) >= _YEARS else None


def _year(batch: str) -> int | None:
    named = BatchDate.of(batch)
    return named.start.year if named else None
