"""How likely a batch of a column comes without a single value, and whether values have stopped to come."""

from __future__ import annotations

import math

import numpy as np

from avh_ui.history.series import ColumnHistory, Series
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT

# As many batches as it was measured after. How many values there are wanders: notes were 1 to 5 a day for half a year, and none on four
# days of the next month, which the fewest of 180 days would call a chance of 0.2 % a day.
_RECENT = 30
# In most of so many latest batches nothing came, where values came in so many batches on end before.
_LATEST, _ON_END = 5, 7
STOPPED = "hardly any values came in the latest 5 batches: how they were written before says nothing of what comes"


# Of so few values a batch in the middle, where most rows have none, how they are written is chance: "url is https://…" was said of the one
# row of 2,800 that has a URL, and kept by neither reader.
_HARDLY, _MOSTLY = 3, 0.5
HARDLY_ANY = "so few rows have a value that what these are like is chance"


def chance_of_no_values(history: ColumnHistory) -> float:
    """How likely the next batch has no value at all: to be the one with the fewest, and of these to have none (a Poisson law's 0); by all
    batches or the latest `_RECENT`, whichever makes it likelier.

    A column that holds one to three notes a day holds none on another. Measured after 30 batches of seven tables: 5 of 345 windows with
    one value at least, 1 of 932 with two, 1 of 839 with three, 2 of 1,400 with four to thirteen; this says 4.1, 4.1, 1.3 and at most 0.8.
    What was null equally often in all batches is no matter of chance.
    """
    complete, rows = (history.values.get(name, np.ones(1)) for name in (COMPLETE_RATIO.name, ROW_COUNT.name))
    if len(complete) != len(rows):
        return 0.0
    # A batch before the column came, or whose file lacked it, says nothing of how full it is.
    there = np.isfinite(complete * rows)
    if not there.any() or not np.ptp(complete[there]) > 0:
        return 0.0
    values = (complete * rows)[there]
    return max(_chance(values), _chance(values[-_RECENT:]))


def _chance(values: Series) -> float:
    fewest = float(np.min(values))
    return math.exp(-fewest) / (len(values) + 1) if fewest >= 0 else 0.0


def has_stopped(history: ColumnHistory) -> bool:
    """Whether values came in one batch after the other, and hardly come any more: of columns that were empty for months readers kept none
    of 6 rules on how their values were written.
    """
    there = history.values_there()
    if there is None or not np.isfinite(there).any():
        return False
    some = there[np.isfinite(there)] > 0
    on_end = np.convolve(some[:-_LATEST], np.ones(_ON_END), "valid") if len(some) >= _LATEST + _ON_END else np.zeros(1)
    return bool(on_end.max() > _ON_END - 0.5) and bool(some[-_LATEST:].mean() < 0.5)


def has_hardly_any(history: ColumnHistory) -> bool:
    """Whether a batch has only one or two values in the middle, and most of its rows have none."""
    there, rows = history.values_there(), history.values.get(ROW_COUNT.name)
    if there is None or rows is None or not (known := np.isfinite(there) & (there > 0)).any():
        return False
    values = float(np.median(there[known]))
    return values < _HARDLY - 0.5 and values < _MOSTLY * float(np.median(rows[known]))


def why_untold(history: ColumnHistory) -> str:
    """Why nothing is said of how its values are written, or which there are; '' where it is."""
    return STOPPED if has_stopped(history) else HARDLY_ANY if has_hardly_any(history) else ""
