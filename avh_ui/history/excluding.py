"""A history without some of its batches, as if they had never been delivered."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import ColumnHistory, History
from avh_ui.metrics.catalogue import metrics_for


def without(history: History, batches: Collection[str], repository: HistoryRepository) -> History:
    """The history with those batches left out; unknown ones are passed over, and the given history is not changed.

    The batch after a gap is compared with the last one before it: its distances against a bad batch would tell of the bad one. They
    are computed from both batches' states.
    """
    drop = set(batches) & set(history.batches)
    if not drop:
        return history
    keep = np.array([batch not in drop for batch in history.batches])
    left = np.flatnonzero(keep)
    names = tuple(history.batches[k] for k in left)
    columns = {}
    for name, column in history.columns.items():
        values = {metric: series[keep] for metric, series in column.values.items()}
        columns[name] = replace(column, batches=names, values=values, present=column.present[keep])
    # Where the batch before is no longer the one before; the first batch of all has none.
    after = [at for at in range(1, len(left)) if left[at] - left[at - 1] > 1]
    for at in after:
        _compare(history.pipeline, columns, at, names, repository)
    if len(left) and left[0] > 0:
        _forget(columns)
    return History(history.pipeline, names, history.rows[keep], columns)


def _compare(pipeline: str, columns: dict[str, ColumnHistory], at: int, names: Sequence[str], repository: HistoryRepository) -> None:
    before, now = (repository.load(pipeline, names[k]).columns for k in (at - 1, at))
    for name, column in columns.items():
        if name not in now:
            continue
        distances = now[name].distances(before[name]) if name in before else {}
        for metric in _distances(column):
            column.values[metric][at] = distances.get(metric, np.nan)


def _forget(columns: dict[str, ColumnHistory]) -> None:
    """The first batch has nothing before it to compare with."""
    for column in columns.values():
        for metric in _distances(column):
            column.values[metric][0] = np.nan


def _distances(column: ColumnHistory) -> list[str]:
    return [m.name for m in metrics_for(column.kind) if m.two_distribution and m.name in column.values]
