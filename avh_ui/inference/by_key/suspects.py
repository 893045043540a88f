"""Batches of a history that look like faults themselves: one row set to 0 for a day makes the largest fall of the year."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Record
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.metrics.metric import Metric

# So much farther than the farthest of the others, and at most so many of the batches: a fault and its mending in 100. Where the others
# never moved a number must have become a tenth or tenfold, on the log scale: a share that changed once may do so again.
APART, MOST, TENFOLD = 10.0, 0.02, math.log(10)
# Of what only faults have: three faults and their mendings in 120 batches, as two exchanged rows of Italy's provinces had in 2022.
_MOST_FAULTS = 0.06
# Below so many batches nobody can tell a fault from a habit.
_LEAST = 30


def without_suspects(history: ColumnHistory, metrics: Sequence[Metric]) -> ColumnHistory:
    """The history with the suspects of these metrics at the largest value of the other batches: bounds are learned as if they had been."""
    # On a scale of its own nobody can say what tenfold is.
    first = {m.name: 0.0 if m.of_faults else TENFOLD if m.far_of is None else math.inf for m in metrics}
    most = {m.name: _MOST_FAULTS if m.of_faults else MOST for m in metrics}
    values = {name: _calmed(series, first[name], most[name]) if name in first else series for name, series in history.values.items()}
    return replace(history, values=values)


def _calmed(series: Series, first: float, most: float) -> Series:
    known = np.sort(series[np.isfinite(series)])
    if len(known) < _LEAST:
        return series
    for left in range(1, max(1, int(most * len(known))) + 1):
        largest = known[-1 - left]
        middle = float(np.median(known))
        if known[-left] - middle > (APART * (largest - middle) if largest > middle else first):
            return np.where(series > largest, largest, series)
    return series


def record_of(constraint: Constraint, history: ColumnHistory) -> Record | None:
    """The batches judged by the constraint, suspects too; None where a value is missing but for the first, which has no batch before it."""
    observed, batches = history.values[constraint.metric], history.batches
    if np.isnan(observed[:1]).any():
        observed, batches = observed[1:], batches[1:]
    if len(observed) != len(batches) or np.isnan(observed).any():
        return None
    lag = constraint.transform.lag
    values = constraint.transform.apply(observed)[lag:]
    return Record(len(values), tuple(b for b, value in zip(batches[lag:], values, strict=True) if not constraint.holds(float(value))))
