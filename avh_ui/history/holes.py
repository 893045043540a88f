"""Batches that did not come: how many of the rhythm in which a table comes are missing between two of its batches.

A day that nobody delivered is two days for what grows. By the order of the batches the next one follows upon the last, and what is bounded
by the change of a day alarms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.looking_back import WEEK

# The rhythm is that of so many batches; fewer than the least have none.
_LATEST, _LEAST = 60, 7
# Of days the rhythm is that of their weekdays, where that many weeks are known: a weekday on which half of the weeks have a batch or more.
_WEEKS, _OFTEN = 4, 0.5
# Where more neighbours have such a day between them, weekdays are not the rhythm: of a table of every second day, which grows by the same
# each time, all that it grew by was held to twice that. In few weeks half of its weekdays are usual, by chance.
_MOST = 1 / 3
# Of other moments so many of the steps are as long as a step may be. What is missing now and then stays a hole.
_USUAL = 0.9


def missing_between(batches: Sequence[str], earlier: str, batch: str) -> int:
    """How many batches should have come between an `earlier` one and `batch`, and did not; 0 where ids name no moments, or come in no
    rhythm. `batches` are those before `batch`, in order: the ones between are there.
    """
    if earlier not in batches:
        return 0
    place = len(batches) - 1 - list(reversed(batches)).index(earlier)
    between, known = _dates([*batches[place:], batch]), _dates(batches[-_LATEST:])
    if len(between) < len(batches) - place + 1 or len(known) < max(_LEAST, min(len(batches), _LATEST)):
        return 0
    if all(date.period == "day" for date in (*known, *between)):
        days = [date.start.toordinal() for date in known]
        if days[-1] - days[0] >= _WEEKS * WEEK and not _skips(days, weekdays := _usual(days)):
            return _missing_days(weekdays, [date.start.toordinal() for date in between])
    steps = [_seconds(later) - _seconds(one) for one, later in pairwise(known)]
    usual = float(np.quantile(steps, _USUAL, method="inverted_cdf"))
    return sum(max(0, round((_seconds(later) - _seconds(one)) / usual) - 1) for one, later in pairwise(between)) if usual > 0 else 0


def missing_steps(batches: Sequence[str], earlier: str, batch: str, lag: int, steps: int = 1) -> int:
    """How many steps of `lag` batches more than these `steps` should have come between the two (`missing_between`).

    A batch may be compared with the last one of its weekday (`looking_back`): where one of these never came, that is two weeks before.
    """
    missing = missing_between(batches, earlier, batch)
    if not missing or lag == 1:
        return missing
    dates = _dates([earlier, batch])
    if lag == WEEK and all(date.period == "day" for date in dates):
        return max(0, (dates[1].start - dates[0].start).days // WEEK - steps)
    return round(missing / lag)


def _usual(days: Sequence[int]) -> set[int]:
    """The weekdays on which a batch usually comes."""
    there = Counter(day % WEEK for day in set(days))
    weeks = (days[-1] - days[0] + 1) / WEEK
    return {weekday for weekday, count in there.items() if count >= _OFTEN * weeks}


def _skips(days: Sequence[int], usual: set[int]) -> bool:
    """Whether many of the days follow on one before a usual weekday without a batch."""
    return sum(_missing_days(usual, both) > 0 for both in pairwise(days)) > _MOST * (len(days) - 1)


def _missing_days(usual: set[int], between: Sequence[int]) -> int:
    """The days between on whose weekday a batch usually comes, and none came."""
    return sum(day % WEEK in usual for day in set(range(between[0], between[-1])) - set(between))


def _dates(batches: Sequence[str]) -> list[BatchDate]:
    return [date for batch in batches if (date := BatchDate.of(batch)) is not None]


def _seconds(date: BatchDate) -> float:
    """The seconds of its beginning, from one long past on."""
    start = date.start
    return start.toordinal() * 86_400.0 + start.hour * 3_600 + start.minute * 60 + start.second
