"""A number of rows beside what is usual on its weekday, as far as that weekday is known to vary.

Against the same weekday a week before a number has twice the variance, and where a table's weekends vary more than its working days they
widen the bounds of all days. By weekday each has a level (the median) and a spread, and half of a Monday is told from a Monday.

Walked over the numbers of flights by carrier, airport and hour (46 series, every second day): bounds at a cost of 0.1 % noticed half of
87 and 84 % of the next days after 60 and 120, those of all days 25 and 30 %, and 13 of 1,405 and 20 of 1,001 lay beyond, 31 of them on
three holidays. Against the week before, where that noticed half of nearly all, 1.9 and 2.9 % did. They cost as changes do
(`tails.LAG_FACTOR`): beyond 1, 1.5 and 2 times the largest distance lay 5.7, 2.5 and 1.4 % of all days after 60, of the changes 4.4, 1.9
and 1.3 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.date_parts import PARTS
from avh_ui.constraints.isolated import isolated
from avh_ui.constraints.transforms import Transform
from avh_ui.constraints.weekdays import NAMES, Weekdays
from avh_ui.history.series import Series
from avh_ui.inference.by_history.stationarity import is_constant, make_stationary

# A weekday has a level from so many of it on, and a season is one that leaves this share of the mean deviation (of even noise half of the
# variance).
LEAST_TURNS = 4
LEFT = 0.7
# The spread of a weekday is known by so many of the others as well: of nine Sundays alone it is off by a quarter.
_OTHERS = 8.0


def by_weekday(observed: Series, batches: Sequence[str]) -> tuple[Transform, Series] | None:
    """The transform and its values of the batches that are not isolated, each beside the others of its weekday alone: what a new batch is
    beside them. None where ids are no days in their order, some weekday is hardly known, or the week explains too little; `observed` is of
    shape (K,), above 0.
    """
    days = np.array([PARTS["weekday"].number(batch) for batch in batches])
    dates = [PARTS["date"].number(batch) for batch in batches]
    if len(days) < len(observed) or not np.isfinite(days).all() or any(later <= earlier for earlier, later in pairwise(dates)):
        return None
    logs, week = np.log1p(observed), range(1, len(NAMES) + 1)
    turns = [np.flatnonzero(days == day) for day in week]
    if is_constant(logs, 1.0) or min(len(turn) for turn in turns) < LEAST_TURNS:
        return None
    levels = np.array([np.median(logs[turn]) for turn in turns])
    gaps = logs - levels[days.astype(np.int64) - 1]
    usual = ~isolated(gaps)
    if np.abs(gaps[usual]).mean() > LEFT * np.abs(logs - np.median(logs))[usual].mean():
        return None
    logs, days = logs[usual], days[usual]
    turns = [np.flatnonzero(days == day) for day in week]
    if min(len(turn) for turn in turns) < LEAST_TURNS - 1:
        return None
    apart = np.zeros(len(logs))
    for turn in turns:
        apart[turn] = [logs[at] - np.median(np.delete(logs[turn], place)) for place, at in enumerate(turn)]
    if not (spreads := _spreads(apart, turns)):
        return None
    for turn, spread in zip(turns, spreads, strict=True):
        apart[turn] /= spread
    form = make_stationary(apart, "calibrated")
    if form is None or not form[0].is_identity:
        return None
    return Transform(log=True, weekdays=Weekdays(tuple(round(math.expm1(level), 1) for level in levels.tolist()), tuple(spreads))), apart


def _spreads(apart: Series, turns: Sequence[NDArray[np.int64]]) -> list[float]:
    """How far each weekday usually is from its level, by what it was and by what all are; none where nothing varies."""
    every = float(np.square(apart).mean())
    found = [math.sqrt((_OTHERS * every + float(np.square(apart[turn]).sum())) / (_OTHERS + len(turn))) for turn in turns]
    return [round(spread, 4) for spread in found] if min(found) >= 1e-4 else []
