"""How many false alarms are expected of rules, by their rates."""

from __future__ import annotations

import math

from avh_ui.constraints.constraint import Constraint
from avh_ui.workflows.calendar import batches_per_year


def expected_rate(constraints: tuple[Constraint, ...]) -> float:
    """Expected false alarms per batch: the constraints' false-positive bounds added up in whatever order, at most one."""
    return min(1.0, math.fsum(c.fpr for c in constraints))


def expected_alarms(constraints: tuple[Constraint, ...], cadence: str) -> float:
    """The same per year at a cadence."""
    return expected_rate(constraints) * batches_per_year(cadence)


def two_digits(alarms: float) -> str:
    """A number of alarms with two digits, beyond 100 all."""
    return f"{alarms:.2g}" if alarms < 99.5 else f"{alarms:,.0f}"
