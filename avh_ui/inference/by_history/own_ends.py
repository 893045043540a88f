"""Numbers of rows beside the ends of their own history: each side no further beyond its own farthest batch than the next one goes.

Bounds as far above the usual as below it are as wide as the farther end asks, and most numbers of rows have one: a quiet day pulls twice
as many rows into the bounds. Of 661 windows of 129 real series (pizzas by day, flights by day, airport, carrier, destination and hour,
earthquakes, lists) that had such bounds, and kept their level, the 19,758 next batches were beyond these ends in 3 more than beyond the
even bounds (of 72); twice the rows were noticed of 83 in the place of 78 % of them after 30 to 59 batches, 90 of 86 % after 60 to 99, and
89 of 83 % from 100 on, half of them of 73 (70), 83 (81) and 85 % (84), and the bounds were 9, 10 and 13 % narrower.

A number that has natural limits reaches them again and again: months have 28 to 31 days, and a table with a row for each said 23 to 40.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import Series
from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.tails import VERY_LONG, VOLUME_AWAY_INDEX, VOLUME_SCALE, beyond

Floats = NDArray[np.float64]
B = TypeVar("B", bound=Any)

# No nearer to the farthest, whatever the law says: with .15 there were 20 more of 5,640 batches beyond after 60 to 99, with .2 7 and with
# .25 1; after 100 and more with .15 24 more of 10,709, with .2 1.
_NEAREST, _NEAREST_LONG = 0.25, 0.2
# Both limits come again in so many years.
_YEARS = 3
# Jeffreys' rule for laws, as of what never changed (`tails.CONSTANT_RULE`): of days by month none of the next batches broke them.
_LAW = 2.0


class Counted(Modelled, Protocol):
    """A number of rows with the ids of its batches."""

    @property
    def batches(self) -> tuple[str, ...]:
        """The ids of what was observed."""
        ...

    @property
    def volume(self) -> bool:
        """Whether it is a number of rows, or varies as one."""
        ...


def by_factors(model: Counted) -> bool:
    """Whether logarithms are what its bounds are of: a number of rows, or one that varies as such, never half or twice the usual one."""
    values = model.values
    if not (model.volume and model.transform.is_identity) or values.min() <= 0:
        return False
    usual = float(np.exp(np.log(values).mean()))
    return bool(usual / 2 < values.min() and values.max() < 2 * usual)


def costs_by_factors(model: Counted, widths: Floats) -> Floats:
    """What bounds on the logarithms cost that are so many largest deviations wide, shape (B,)."""
    logs = np.log(model.values)
    return beyond(model.metric, widths, widths * farthest(logs) / float(logs.std(ddof=1)), logs, lagged=False, logs=True)


def ends_by_factors(model: Counted, away: Floats, costs: Floats) -> tuple[Floats, Floats]:
    """Half of the rows are as far from the usual as twice as many: bounds, shapes (B,), so far `away` from the mean of the logarithms, and
    no further `past_ends`.
    """
    logs = np.log(model.values)
    mean, past = float(logs.mean()), past_ends(len(logs), costs)
    lower, upper = np.maximum(mean - away, logs.min() - past), np.minimum(mean + away, logs.max() + past)
    return np.exp(lower), np.exp(np.minimum(upper, 700))


def past_ends(count: int, costs: Floats) -> Floats:
    """How far beyond the farthest of so many batches on a side, in logarithms, the next one lies as rarely as these `costs` say."""
    law = VOLUME_SCALE * (((count + 1) * costs) ** (-1 / VOLUME_AWAY_INDEX) - 1)
    return np.maximum(law, _NEAREST_LONG if count >= VERY_LONG else _NEAREST)


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


def farthest(logs: Series) -> float:
    """The largest deviation from the mean, of shape (n,)."""
    return float(np.abs(logs - logs.mean()).max())
