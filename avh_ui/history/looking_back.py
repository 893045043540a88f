"""Which batch lies a season before another: a week before a day is the last one of the same weekday, whatever did not come in between."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.standings import REACH

# So many batches of days are a week.
WEEK = 7


def places_back(batches: Sequence[str], lag: int) -> NDArray[np.int64]:
    """The place of the batch `lag` before each, shape (K,), -1 where there is none: so many batches before, in their order.

    Of ids that each name a later day than the one before, `WEEK` back is the last batch of the same weekday: after a day that did not come
    a Monday is still compared with a Monday, and where no batch comes on weekends, too.
    """
    back = np.maximum(np.arange(len(batches)) - lag, -1)
    if lag != WEEK:
        return back
    days = [day for batch in batches if (day := _day(batch)) is not None]
    if len(days) < len(batches) or any(later <= earlier for earlier, later in pairwise(days)):
        return back
    last: dict[int, int] = {}
    for place, day in enumerate(days):
        back[place] = last.get(day % WEEK, -1)
        last[day % WEEK] = place
    return back


def compared_with(back: NDArray[np.int64], place: int, sound: NDArray[np.bool_]) -> tuple[int, int]:
    """The batch that the one at a `place` is compared with, which has one `back`, and by how many steps: the first that is `sound` within
    `REACH` steps, else the first.
    """
    at = int(back[place])
    for steps in range(1, REACH + 1):
        if at < 0:
            break
        if sound[at]:
            return at, steps
        at = int(back[at])
    return int(back[place]), 1


def looked_back(batches: Sequence[str], lag: int, batch: str = "") -> list[str]:
    """The batches that `batch` may be compared with at this lag, of those before it, in order: the one `lag` before (`places_back`), and
    where that is not sound the one `lag` before that, so that a Monday is compared with a Monday.
    """
    near = [*batches[-lag * REACH :], batch]
    back, found = places_back(near, lag), [len(near) - 1]
    while len(found) <= REACH and (place := int(back[found[-1]])) >= 0:
        found.append(place)
    return [near[place] for place in found[:0:-1]]


@lru_cache(maxsize=16_384)
def _day(batch: str) -> int | None:
    """The day that an id names, in days since one long past; None where it names none."""
    date = BatchDate.of(batch)
    return date.start.toordinal() if date is not None and date.period == "day" else None
