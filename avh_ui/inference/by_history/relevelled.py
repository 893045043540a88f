"""The history of a column of which a lasting change is expected: what came before the change, moved to the level since.

The old values tell how the column varies, until enough new ones do; the new ones tell where.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.series import ColumnHistory, Series, batch_order
from avh_ui.metrics.catalogue import asked_for, measured_for
from avh_ui.metrics.metric import Metric

# From so many values of the new regime on they tell how it varies (the shortest history that bounds are fitted to) ...
_LEAST = 7
# ... and from so many on the old ones are not needed (`tails.LONG`: from there on the tail is known to be lighter).
_ENOUGH = 60
# Four weeks before the change are its level: a trend of months is none.
_JOINED = 28
# A regime that stands still for a week is not held to that.
_LEAST_SCALE = 0.5


def relevelled(history: ColumnHistory, begins: str, rows_begin: str, out: NDArray[np.bool_]) -> ColumnHistory:
    """The history with the values before the batch `begins` (of the number of rows before `rows_begin`) moved to the level since; '' for
    no change. Nothing is learned from the batches `out`, shape (K,).
    """
    if not (begins or rows_begin):
        return history
    places = {True: _place(history, rows_begin), False: _place(history, begins)}
    start = places[False] if places[False] >= 0 and len(history.batches) - places[False] >= _ENOUGH else 0
    declared = {m.name: m for m in (*measured_for(history.kind), *asked_for(history.kind))}
    values = {
        name: _moved(series, declared[name], places[declared[name].volume], out) if name in declared else series
        for name, series in history.values.items()
    }
    return replace(history, values=values).window(start, len(history.batches))


def _place(history: ColumnHistory, begins: str) -> int:
    """Where the regime begins; -1 where all batches are of it, or none is."""
    if not begins:
        return -1
    place = sum(batch_order(batch) < batch_order(begins) for batch in history.batches)
    return place if 0 < place < len(history.batches) else -1


def _moved(series: Series, metric: Metric, place: int, out: NDArray[np.bool_]) -> Series:
    if place < 0:
        return series
    logs = metric.volume and bool(np.all(series[np.isfinite(series)] > 0))
    values = np.log(series) if logs else series.copy()
    known = np.isfinite(values) & ~out
    # The distance over the change belongs to neither side.
    first = place + metric.two_distribution
    old, new = values[:place][known[:place]], values[first:][known[first:]]
    if not len(old) or not len(new):
        return series
    before, since = _mean(old[-_JOINED:]), _mean(new)
    values[:place] = since + _scale(old, new) * (values[:place] - before)
    if metric.two_distribution:
        values[place] = since
    moved = np.exp(values) if logs else values
    moved = np.clip(moved, metric.lowest, metric.highest)
    moved = np.round(moved) if metric.whole else moved
    moved[first:] = series[first:]
    return moved


def _scale(old: Series, new: Series) -> float:
    """How much wider the old values are taken to vary: as the new ones where they are enough to tell, and by the error of their mean."""
    if len(new) < _LEAST or not np.ptp(old):
        return math.sqrt(1 + 1 / len(new))
    return max(_LEAST_SCALE, float(new.std(ddof=1) / old.std(ddof=1))) * math.sqrt(1 + 1 / len(new))


def _mean(values: Series) -> float:
    # The mean of equal numbers may be off by a bit, and is no constant then.
    return float(values.mean()) if np.ptp(values) else float(values[0])
