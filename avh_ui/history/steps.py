"""Steps within a history: since when a metric stands at another level than before, whether or not anything was ever validated.

The rule compares weeks: the difference between the medians of a week of batches and of the week before. A step is where that difference is
`CLEAR` times the largest that two weeks in the batches before had, where it has lasted for two weeks, where nearly all values since lie
beyond nearly all before, and where the last week still does. A median of a week has no weekday, and outliers of three days do not move
it; a trend, a wave of a year or a random walk has differences of the same size before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from avh_ui.history.series import Series

# A week of a daily table, and longer where its season is.
WEEK = 7
_LONGEST_SEASON = 31
# So many batches before tell which differences are usual, at least and at most.
BEFORE, MOST_BEFORE = 28, 60
# Steps before these are forgotten by whatever follows the history: bounds are learned from at most 120 batches.
REACHES = 120
# Measured on series of 365 values, 400 of each sort, in each of which a step is looked for once, on its last day (the sorts are made in
# tests/unit/history/test_steps.py): none in those that stand still (normal, lognormal, Student's t with 2 degrees, counts, rare nulls,
# AR(1) up to 0.8) and none in those with a habit of a week, so in fewer than 0.8 % of each (95 %); in 2 % of waves of a year, 0.5 % of
# trends, 1 % of AR(1) with 0.95 and 6 % of random walks. A step of 5 standard deviations is found in 94 %, of 3 in 36 %.
CLEAR = 2.5
# Shorter is a holiday: flights from New York are 7 % longer for 11 days around Christmas.
_WEEKS = 2
# By what was missing, and by a rise on the days beside, a place may be off by so many.
_NEAR = 3
# Of the values since and before so many may lie among the others.
_STRAY = 0.1
# A smaller change of the level is none that anybody would name.
_LEAST_CHANGE = 0.02


@dataclass(frozen=True)
class Step:
    """A level that lasts since the batch at `place`: the median of the values `before` (of at most `MOST_BEFORE` batches) and `since`."""

    place: int
    before: float
    since: float


def last_step(series: Series, seasons: Sequence[int] = ()) -> Step | None:
    """The newest step of a series, shape (K,), NaN where nothing is known; None where there is none within the last `REACHES` batches.

    `seasons` are lags in batches: a metric with a habit of so many is compared over as many.
    """
    places = np.flatnonzero(np.isfinite(series))[-(REACHES + MOST_BEFORE) :]
    values = series[places]
    week = max([WEEK, *(lag for lag in seasons if lag <= _LONGEST_SEASON)])
    if len(values) < BEFORE + week or week > BEFORE // 2:
        return None
    medians = np.median(sliding_window_view(values, week), axis=1)
    # At k: the week that begins there against the one that ends before it.
    moves = np.concatenate([np.zeros(week), np.abs(medians[week:] - medians[:-week]), np.zeros(week - 1)])
    # The most that it moved before, up to a week ago.
    usual = sliding_window_view(np.concatenate([np.zeros(MOST_BEFORE), moves]), MOST_BEFORE - week + 1)[: len(moves)].max(axis=1)
    late = np.arange(len(values)) >= BEFORE
    for k in np.flatnonzero(late & (moves > 0) & (moves >= CLEAR * usual))[::-1].tolist():
        near = range(max(1, k - week // 2), min(len(values) - 1, k + week // 2) + 1)
        at = min(near, key=lambda place: _misfit(values, place))
        if at >= BEFORE and (found := _lasting(values, at, week)) is not None:
            return Step(int(places[at]), *found)
    return None


def _misfit(values: Series, place: int) -> float:
    """How far the values around a place are from two levels that change there."""
    sides = values[max(0, place - MOST_BEFORE) : place], values[place:]
    return float(sum(np.abs(side - np.median(side)).sum() for side in sides))


def _grows(values: Series, place: int, change: float) -> bool:
    """Whether values rise in nearly every batch, and not at the place by most of the `change`: what only grows, and grows faster for a
    while, such as the cases of an epidemic so far, has no level that changes.
    """
    rises = np.diff(values)
    at_once = float(rises[max(0, place - _NEAR) : place + _NEAR].max(initial=0.0))
    return bool((rises >= 0).mean() >= 1 - _STRAY) and at_once < change / 2


def _lasting(values: Series, place: int, week: int) -> tuple[float, float] | None:
    """The levels before and since, where nearly all values since are beyond nearly all before, and the last week too."""
    before, since = values[max(0, place - MOST_BEFORE) : place], values[place:]
    if len(since) < _WEEKS * week:
        return None
    old, new = float(np.median(before)), float(np.median(since))
    up = 1.0 if new > old else -1.0
    ends = np.quantile(up * before, 1 - _STRAY), np.quantile(up * since, _STRAY), np.median(up * since[-week:])
    if not (ends[0] < ends[1] and ends[0] < ends[2]) or abs(new - old) < _LEAST_CHANGE * abs(old):
        return None
    if _grows(up * values[max(0, place - MOST_BEFORE) :], place - max(0, place - MOST_BEFORE), up * (new - old)):
        return None
    return old, new
