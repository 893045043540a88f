"""Slow losses: a column that fills less and less, so slowly that no batch is far from those before it.

Bounds that are learned anew from such a history take the loss for how the column varies. It is told by its weeks: the median of the last
one is further below that of the first four than any week of these was from another, and the batches fall in order.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from avh_ui.history.series import Series
from avh_ui.history.steps import REACHES, WEEK, Step

# The level before the loss is that of the first month.
_MONTH = 4 * WEEK
# Of the values that are there a twentieth is a loss that somebody would name.
_LEAST_LOSS = 0.05
# So many times the largest difference between weeks of the first month.
_CLEAR = 2.5
# The rank correlation with time of what falls. Of 400 series of 120 shares of each sort none that stands still, has outbreaks, a step or
# is an AR(1) of 0.8 is a loss, one of an AR(1) of 0.95, and 24 % of waves of a year that fall by a tenth; falls by 12 to 40 points in 40
# to 120 batches are in 99 % or more.
_FALLING = -0.8


def slow_loss(shares: Series) -> Step | None:
    """The loss that lasts at the end of a series of shares of values that are there, shape (K,), NaN where nothing is known: its `place` is
    where the weeks leave those of the first month of the last `REACHES` batches. None where there is none.
    """
    places = np.flatnonzero(np.isfinite(shares))[-REACHES:]
    values = shares[places]
    if len(values) < 2 * _MONTH:
        return None
    weeks: list[float] = np.median(sliding_window_view(values, WEEK), axis=1).tolist()
    first = weeks[: _MONTH - WEEK + 1]
    usual = max(first) - min(first)
    level, now = float(np.median(values[:_MONTH])), weeks[-1]
    # The last week that was as those of the first month; from its end on the column falls.
    last = max(k for k, week in enumerate(weeks) if week >= min(first))
    falling = values[last:]
    if level - now < max(_LEAST_LOSS, _CLEAR * usual) or len(falling) < 3 * WEEK or _order(falling) > _FALLING:
        return None
    return Step(int(places[min(last + WEEK, len(places) - 1)]), level, now)


def _order(values: Series) -> float:
    """Rank correlation with time, of ranks in which equal values are in order of time backwards: no fall that is none counts."""
    ranks = np.empty(len(values))
    ranks[np.lexsort((np.arange(len(values)), values))] = np.arange(len(values))
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1])
