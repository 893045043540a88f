"""Where the values of an amount end, told by its history: nights from 1, a level up to 100.

An extreme that was one number in many batches is a limit where many values stand on it: that no booking has no night is then told by each
of these values, and not by one row of a batch. Of 1 and more with an average of 1.8 a bound that costs what one row may move was 0.
What reached 100 on some days and never went beyond, though it came from 8 on, is a percentage: its bound was 145.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.declarations import KindDeclaration
from avh_ui.metrics.column import NUMBER_KINDS, Column
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MIN

# A month of days, and a tenth of the values: of a tail that thins out fewer stand on its last number.
_BATCHES, _MASS = 30, 0.1
# Where percentages end, told by so many days on which this was the largest of their values.
_WHOLE, _DAYS = 100.0, 3


def limited(declared: KindDeclaration, history: ColumnHistory, sample: pa.ChunkedArray | pa.Array) -> KindDeclaration:
    """What is declared, with the limits that the history and a `sample` of the latest batch show beside those of the kind."""
    if history.kind not in NUMBER_KINDS or history.kind == "temporal":
        return declared
    found = Column.from_arrow(history.column, sample)
    numbers = found.numbers[np.isfinite(found.numbers)] if found.kind == history.kind else np.empty(0)
    least, most = (_end(metric, history, numbers) for metric in (MIN, MAX))
    if least is None and most is None and _percentage(history):
        return replace(declared, highest=_WHOLE)
    # Of numbers with both ends, as stars, a list says more.
    if (least is None) == (most is None):
        return declared
    low = declared.lowest if least is None else max(declared.lowest, least)
    return replace(declared, lowest=low, highest=declared.highest if most is None else min(declared.highest, most))


def _percentage(history: ColumnHistory) -> bool:
    """Whether its largest value was 100 on several days and more on none, and its smallest none below 0."""
    least, most = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX))
    known = len(most) >= _BATCHES and bool(np.all(np.isfinite(least)) and np.all(np.isfinite(most)))
    return known and bool(least.min() >= 0 and most.max() == _WHOLE and np.sum(most == _WHOLE) >= _DAYS)


def _end(metric: Metric, history: ColumnHistory, numbers: np.ndarray) -> float | None:
    """The number that an extreme was in all batches, where so many values stand on it; None of any other."""
    ends = history.values.get(metric.name, np.empty(0))
    ends = ends[np.isfinite(ends)]
    if len(ends) < _BATCHES or not len(numbers) or np.any(ends != ends[0]):
        return None
    return float(ends[0]) if np.mean(numbers == ends[0]) >= _MASS else None
