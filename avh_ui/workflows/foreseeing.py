"""What a label does: the bounds that the next suggestion would have with and without a batch, from what is kept, without data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from avh_ui.constraints.constraint import Constraint
from avh_ui.history.series import ColumnHistory
from avh_ui.workflows.suggesting import LEAST_BATCHES, WINDOW

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredColumn


@dataclass(frozen=True)
class Foreseen:
    """The constraint on one metric as it would be suggested next: learned from the batch, and not; None where it would have none."""

    learned: Constraint | None
    left_out: Constraint | None


def foresee(measured: MeasuredColumn, history: ColumnHistory, metric: str, fpr: float, batch: str, excluded: Collection[str]) -> Foreseen:
    """Of a metric of the column, under a budget of `fpr`; `excluded` are the batches that are left out in any case.

    The history may have grown since the last suggestion run. The injected issues are still those of that run's latest batch, so that the
    clauses chosen may differ from those of a new run; the bounds of a clause follow from the history alone.
    """
    without = set(excluded) | {batch}
    return Foreseen(
        _next(measured, history, metric, fpr, set(excluded) - {batch}),
        _next(measured, history, metric, fpr, without),
    )


def _next(measured: MeasuredColumn, history: ColumnHistory, metric: str, fpr: float, out: Collection[str]) -> Constraint | None:
    from avh_ui.inference.by_history.reprogramming import VOLUME_METRIC, reprogram, reprogram_volume

    clean = [k for k, name in enumerate(history.batches) if name not in out and history.present[k]]
    if len(clean) < LEAST_BATCHES or history.kind != measured.history.kind:
        return None
    window = history.window(clean[-min(WINDOW, len(clean))], clean[-1] + 1)
    prepared = replace(measured, history=window).fitted_or_empty(exclude=out)
    found = reprogram_volume(prepared, fpr) if metric == VOLUME_METRIC else reprogram(prepared, fpr, volume=False)
    return next((s.constraint for s in found.suggestions if s.constraint.metric == metric), None)
