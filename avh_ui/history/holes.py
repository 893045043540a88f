"""Batches that did not come: how many of the rhythm in which a table comes are missing between two of its batches.

A day that nobody delivered is two days for what grows. By the order of the batches the next one follows upon the last, and what is bounded
by the change of a day alarms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from avh_ui.history.batch_dates import BatchDate

# The rhythm is that of so many batches; fewer than the least have none.
_LATEST, _LEAST = 60, 7
# So many of their steps are as long as a step may be: where nothing comes on weekends every fifth is of three days. A day that is missing
# now and then stays a hole.
_USUAL = 0.9


def missing_between(batches: Sequence[str], earlier: str, batch: str) -> int:
    """How many batches should have come between an `earlier` one and `batch`, and did not; 0 where ids name no moments, or come in no
    rhythm. `batches` are those before `batch`, in order: the ones between are there.
    """
    if earlier not in batches:
        return 0
    place = len(batches) - 1 - list(reversed(batches)).index(earlier)
    between = [moment for name in [*batches[place:], batch] if (moment := _moment(name)) is not None]
    known = [moment for name in batches[-_LATEST:] if (moment := _moment(name)) is not None]
    if len(between) < len(batches) - place + 1 or len(known) < max(_LEAST, min(len(batches), _LATEST)):
        return 0
    usual = float(np.quantile([later - one for one, later in pairwise(known)], _USUAL, method="inverted_cdf"))
    return sum(max(0, round((later - one) / usual) - 1) for one, later in pairwise(between)) if usual > 0 else 0


@lru_cache(maxsize=16_384)
def _moment(batch: str) -> float | None:
    """The seconds of the moment that an id names, from a long past one on; None where it names none."""
    date = BatchDate.of(batch)
    if date is None:
        return None
    start = date.start.replace(tzinfo=None)
    return start.toordinal() * 86_400.0 + start.hour * 3_600 + start.minute * 60 + start.second
