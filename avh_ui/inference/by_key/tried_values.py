"""What a column's metrics of rows are of the latest batch with each of the faults of rows that are tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from avh_ui.inference.by_key.row_issues import NOTHING
from avh_ui.issues.catching import CLEAR
from avh_ui.metrics.column import Floats
from avh_ui.metrics.keys_matched import KEYS_GONE
from avh_ui.metrics.matching import Matched, match_together
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.profile import ColumnProfile


def tried_values(
    metrics: Sequence[Metric], tried: Mapping[str, tuple[States, States]], columns: tuple[ColumnProfile, ColumnProfile]
) -> Floats:
    """Each metric on each issue, shape (metrics, issues)."""
    if isinstance(before := columns[1].states.get(Matched.key), Matched):
        match_together([cast(Matched, states[Matched.key]) for both in tried.values() for states in both], before)
    return np.array([[_value(metric, name, both, columns) for metric in metrics] for name, both in tried.items()]).T


def _value(metric: Metric, issue: str, spoiled: tuple[States, States], columns: tuple[ColumnProfile, ColumnProfile]) -> float:
    """The metric of a batch with an issue against the batch before; that of the batch as it is where the issue is not for it to notice. A
    row times ten is so to what only faults do, also where it leaves the numbers that the issues stay within, the first of `spoiled`.
    """
    ours, theirs = columns
    within, farther = spoiled
    if metric.of_faults:
        return metric.value(farther, theirs.states)
    found = metric.value(ours.states if issue == NOTHING else within, theirs.states)
    # A bound of 50 % on the keys that go noticed half of the rows of the latest batch by the chance of one draw, 50.4 % of the keys before,
    # so that no rule on the number of rows was kept; of the next batches it noticed none.
    return found / CLEAR if metric is KEYS_GONE else found
