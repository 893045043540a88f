"""The rows behind a verdict on matched rows: keys with their values before and after, as the verdict's samples and in its message."""

from __future__ import annotations

from dataclasses import replace

from avh_ui.constraints.constraint import Verdict
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.moved import moved
from avh_ui.metrics.row_sample import RowSample


def with_rows(verdict: Verdict, metric: Metric, states: States, baseline: States) -> Verdict:
    """The verdict with the keys that moved most, as samples and in its message, and what most of them have in common there; as it is where
    no texts are kept.
    """
    ours, theirs = (found[metric.keys[0]] for found in (states, baseline))
    if not isinstance(ours, RowSample | Matched) or not isinstance(theirs, RowSample | Matched):
        return verdict
    found = moved(metric, ours, theirs)
    if not found.keys:
        return verdict
    said = " ".join(part for part in (verdict.message, found.group, f"Most of all {'; '.join(found.keys)}.") if part)
    return replace(verdict, samples=found.keys, message=said)
