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

    Naming rows never costs the verdict: where it fails, the verdict says so and stands.
    """
    try:
        return _with_rows(verdict, metric, states, baseline)
    except Exception as error:  # noqa: BLE001 (whatever is wrong with the rows, what was measured of them is judged)
        return replace(verdict, message=f"{verdict.message} Its rows cannot be named ({type(error).__name__}).")


def _with_rows(verdict: Verdict, metric: Metric, states: States, baseline: States) -> Verdict:
    ours, theirs = (found[metric.keys[0]] for found in (states, baseline))
    if not isinstance(ours, RowSample | Matched) or not isinstance(theirs, RowSample | Matched):
        return verdict
    found = moved(metric, ours, theirs)
    if not found.keys:
        return verdict
    said = " ".join(part for part in (verdict.message, found.group, f"Most of all {'; '.join(found.keys)}.") if part)
    return replace(verdict, samples=found.keys, message=said)
