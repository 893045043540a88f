"""What a label does: the bounds that the next suggestion would have with and without a batch, from what is kept, without data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.history.series import ColumnHistory
from avh_ui.workflows.suggesting import LEAST_BATCHES, WINDOW

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredColumn


@dataclass(frozen=True)
class Foreseen:
    """A constraint with the bounds it would have next at the same false-alarm cost: learned from the batch, and not.

    None where the history allows none of that cost.
    """

    learned: Constraint | None
    left_out: Constraint | None


def foresee(measured: MeasuredColumn, history: ColumnHistory, constraint: Constraint, batch: str, excluded: Collection[str]) -> Foreseen:
    """The bounds of a constraint's metric from the newest window of its history; `excluded` are left out in any case.

    A new suggestion run may choose another metric of the column; what this one would be is what a label of an alarm changes.
    """
    return Foreseen(
        _next(measured, history, constraint, set(excluded) - {batch}),
        _next(measured, history, constraint, set(excluded) | {batch}),
    )


def _next(measured: MeasuredColumn, history: ColumnHistory, constraint: Constraint, out: Collection[str]) -> Constraint | None:
    clean = [k for k, name in enumerate(history.batches) if name not in out and history.present[k]]
    if len(clean) < LEAST_BATCHES or history.kind != measured.history.kind:
        return None
    window = history.window(clean[-min(WINDOW, len(clean))], clean[-1] + 1)
    for grid, _ in replace(measured, history=window).fitted_or_empty(exclude=out).grids:
        affordable = np.flatnonzero(grid.fpr <= constraint.fpr)
        if grid.model.metric.name == constraint.metric and len(affordable):
            at = affordable[np.argmax(grid.fpr[affordable])]  # the tightest of them
            lower = None if constraint.lower is None else float(grid.lower[at])
            upper = None if constraint.upper is None else float(grid.upper[at])
            return replace(constraint, lower=lower, upper=upper, transform=grid.model.transform, fpr=float(grid.fpr[at]))
    return None
