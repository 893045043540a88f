"""Batches of a history that look like faults themselves: one row set to 0 for a day makes the largest fall of the year."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Record, expected_rate
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.candidates import Unconstrained
from avh_ui.inference.by_history.measured import without
from avh_ui.inference.source import Window
from avh_ui.metrics.metric import Metric

# So much farther than the farthest of the others, and at most so many of the batches: a fault and its mending in 100. Where the others
# never moved a number must have become a tenth or tenfold, on the log scale: a share that changed once may do so again.
APART, MOST, TENFOLD = 10.0, 0.02, math.log(10)
# Of what only faults have: three faults and their mendings in 120 batches, as two exchanged rows of Italy's provinces had in 2022. What
# nobody mends on the next day is a fault as seldom as all else: of its provinces 12 of 1,778 days broke so, most of them documented
# mistakes. Of flights 28 of 364 days did: as faults, up to 6 of 100 batches, such days were priced at 1 in 10,000.
_MOST_FAULTS = 0.06
# Below so many batches nobody can tell a fault from a habit.
_LEAST = 30


def without_suspects(history: ColumnHistory, metrics: Sequence[Metric]) -> ColumnHistory:
    """The history with the suspects of these metrics at the largest value of the other batches: bounds are learned as if they had been."""
    # On a scale of its own nobody can say what tenfold is.
    first = {m.name: 0.0 if m.of_faults else TENFOLD if m.far_of is None else math.inf for m in metrics}
    values = {
        m.name: _calmed(series, first[m.name], _MOST_FAULTS if m.of_faults and not _is_trickle(series) else MOST)
        for m in metrics
        if (series := history.values.get(m.name)) is not None
    }
    return replace(history, values={**history.values, **values})


def habits(window: Window, column: ColumnHistory, metrics: Sequence[Metric]) -> list[Unconstrained]:
    """Of these metrics of what only faults do those of which the whole history of a column, less what is not learned from, has more that no
    next batch mended than chance makes of few: then it is what rows do. Each with why no rule says that it never happens.
    """
    whole = window.history.columns.get(column.column, column)
    known = without(whole, window.exclude, window.untaught.get(column.column, ()))
    counts = {m.name: _counted(known.values[m.name]) for m in metrics if m.of_faults and m.name in known.values}
    return [
        Unconstrained(name, f"{broke:,} of {judged:,} batches broke it, and of {alone:,} of them the next did not mend it")
        for name, (judged, broke, alone) in counts.items()
        if judged >= _LEAST and alone > MOST * judged + 2 * math.sqrt(MOST * judged)
    ]


def _counted(series: Series) -> tuple[int, int, int]:
    """How many batches were judged, how many broke what only faults break, and of how many of these the next did not mend it."""
    broken = _broken(series)
    return int(np.isfinite(series).sum()), int(broken.sum()), unmended(broken)


def episodes(broken: Iterable[bool]) -> int:
    """How many faults batches show that break a rule on what only faults do: two in a row are one and its mending."""
    found, mending = 0, False
    for is_broken in broken:
        found += is_broken and not mending
        mending = is_broken and not mending
    return found


def unmended(broken: Iterable[bool]) -> int:
    """How many of them no next batch mended."""
    given = [bool(one) for one in broken]
    return 2 * episodes(given) - sum(given)


def _broken(series: Series) -> NDArray[np.bool_]:
    return np.nan_to_num(series) > 0


def _is_trickle(series: Series) -> bool:
    """Whether more batches broke what only faults break, and were not mended by the next, than are taken for faults; one may be."""
    return unmended(_broken(series)) > max(1, int(MOST * np.isfinite(series).sum()))


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


def seen(judged: int, broken: Sequence[bool], *, of_faults: bool) -> float:
    """The price of what batches broke: as often as they did, less what was mended of what only faults do; 0 where none did. 67 rules that
    some of 120 batches of three tables broke promised 1.0 broken ones of 3,964 later ones; without documented faults 73 were, and this
    says 63.
    """
    count = unmended(broken) if of_faults else sum(broken)
    return expected_rate(judged, count) if count else 0.0
