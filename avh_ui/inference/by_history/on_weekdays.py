"""A number of rows beside what is usual on its weekday, as far as that weekday is known to vary.

Against the same weekday a week before a number has twice the variance, and where a table's weekends vary more than its working days they
widen the bounds of all days. By weekday each has a level (the median) and a spread, and half of a Monday is told from a Monday.

Walked over the numbers of flights by carrier, airport and hour (46 series, every second day): bounds at a cost of 0.1 % noticed half of
87 and 84 % of the next days after 60 and 120, those of all days 25 and 30 %, and 13 of 1,405 and 20 of 1,001 lay beyond, 31 of them on
three holidays. Against the week before, where that noticed half of nearly all, 1.9 and 2.9 % did. They cost as changes do
(`tails.LAG_FACTOR`): beyond 1, 1.5 and 2 times the largest distance lay 5.7, 2.5 and 1.4 % of all days after 60, of the changes 4.4, 1.9
and 1.3 %.

What grows beside its week is told by how fast. Simulated for 90 days after 60 and 110, 12 series each, with a week of 0.45 to 1.25, no day
of 1,080 alarms, whether it grows on or stands still from the first of them on: between both all is usual. Half of the days of the first
four weeks is noticed on 100 % after 60 days with a noise of 6 % where it grows by 0.6 % a day, on 98 % by 1.2 % (9 to 19 % of these alarmed
by bounds of all days); after 110 days with 12 % on 65 and 44 %. By bounds of all days half of none was where it grows by 0.6 %.
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
from avh_ui.inference.by_history.stationarity import STRONG_TREND, is_constant, make_stationary, trend

# A weekday has a level from so many of it on, and a season is one that leaves this share of the mean deviation (of even noise half of the
# variance).
LEAST_TURNS = 4
LEFT = 0.7
# The spread of a weekday is known by so many of the others as well: of nine Sundays alone it is off by a quarter.
_OTHERS = 8.0


def by_weekday(observed: Series, batches: Sequence[str]) -> tuple[Transform, Series] | None:
    """The transform and its values of the batches that are not isolated, each beside the others of its weekday alone: what a new batch is
    beside them. None where ids are no days in their order, some weekday is hardly known, or the week explains too little; `observed` is of
    shape (K,), above 0. What grows beside its week is compared with what is usual by then.
    """
    days = np.array([PARTS["weekday"].number(batch) for batch in batches])
    dates = np.array([PARTS["date"].number(batch) for batch in batches])
    if len(days) < len(observed) or not np.isfinite(days).all() or any(later <= earlier for earlier, later in pairwise(dates)):
        return None
    logs, week = np.log1p(observed), range(1, len(NAMES) + 1)
    if is_constant(logs, 1.0) or min(np.sum(days == day) for day in week) < LEAST_TURNS:
        return None
    growth = _growth(logs, days, dates)
    logs = logs - growth * (dates - dates[-1])
    levels = _levels(logs, days)
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
    usually = tuple(round(math.expm1(level), 1) for level in levels.tolist())
    return Transform(log=True, weekdays=Weekdays(usually, tuple(spreads), growth, int(dates[-1]) if growth else 0)), apart


def _levels(logs: Series, days: Series) -> Series:
    """The middle of each weekday, Monday first, shape (7,)."""
    return np.array([np.median(logs[days == day]) for day in range(1, len(NAMES) + 1)])


def _growth(logs: Series, days: Series, dates: Series) -> float:
    """By how much logarithms grow a day beside their week: the middle of the slopes between each two days (Theil and Sen). 0 where their
    order does not tell that they grow.
    """
    gaps = logs - _levels(logs, days)[days.astype(np.int64) - 1]
    if abs(trend(gaps[~isolated(gaps)])) < STRONG_TREND:
        return 0.0
    first, second = np.triu_indices(len(gaps), 1)
    alike = days[first] == days[second]
    slopes = (logs[second] - logs[first])[alike] / (dates[second] - dates[first])[alike]
    return round(float(np.median(slopes)), 6)


def _spreads(apart: Series, turns: Sequence[NDArray[np.int64]]) -> list[float]:
    """How far each weekday usually is from its level, by what it was and by what all are; none where nothing varies."""
    every = float(np.square(apart).mean())
    found = [math.sqrt((_OTHERS * every + float(np.square(apart[turn]).sum())) / (_OTHERS + len(turn))) for turn in turns]
    return [round(spread, 4) for spread in found] if min(found) >= 1e-4 else []
