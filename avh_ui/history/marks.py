"""Numbers that stand for no number, as -9999: in many batches the smallest value, and far below all others."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.distribution import MEDIAN
from avh_ui.metrics.moments import MAX, MIN

# The very same smallest value came in so many batches.
_BATCHES = 3
# All other values are nearer to 0 than such a part of it. -99 beside percentages of change down to -40 may be one of them.
_FAR = 0.1
# And it is no -1, of which counts below 0 are often a correction.
_LEAST = -9.0
# Where it is the smallest value of every batch, so that nothing is known of the others below 0, it is written as such marks are.
_WRITTEN = re.compile(r"-(99+|88+|77+)")


def mark_of(history: ColumnHistory) -> float | None:
    """The number below 0 that stands for none; None where there is no such."""
    least = history.values.get(MIN.name, np.empty(0))
    known = least[np.isfinite(least)]
    if not len(known) or known.min() > _LEAST:
        return None
    mark = float(known.min())
    others = known[known != mark]
    if len(known) - len(others) < _BATCHES or mark != round(mark) or np.any(others <= _FAR * mark):
        return None
    middle = history.values.get(MEDIAN.name, np.empty(0))
    apart = len(others) > 0 or (_WRITTEN.fullmatch(f"{mark:.0f}") is not None and bool(np.any(middle > _FAR * mark)))
    return mark if apart else None


def without_marks(history: ColumnHistory) -> ColumnHistory:
    """The history with the smallest other value of all in the place of a mark (the smallest middle one, where nothing else is known), and
    as the middle and the largest of a batch of nothing else what these are usually; as it is where there is none.
    """
    mark = mark_of(history)
    if mark is None:
        return history
    found = {metric.name: history.values[metric.name] for metric in (MIN, MEDIAN, MAX) if metric.name in history.values}
    others = {name: series[np.isfinite(series) & (series != mark)] for name, series in found.items()}
    least = others[MIN.name] if len(others[MIN.name]) else others[MEDIAN.name]
    usual = {name: float(np.median(own)) for name, own in others.items() if len(own)} | {MIN.name: float(least.min())}
    said = {name: np.where(found[name] == mark, instead, found[name]) for name, instead in usual.items()}
    return replace(history, values={**history.values, **said})
