"""The false-positive budget as a number that people understand: expected false alarms a year."""

from __future__ import annotations

from avh_ui.constraints.constraint import Constraint
from avh_ui.workflows.publishing import expected_alarms


def alarms_per_year(constraints: tuple[Constraint, ...], cadence: str) -> str:
    """Expected false alarms per year in words: `≤ 0.4`; the bounds are upper ones, so the true number is lower.

    With rules on one batch among them, whose rates are estimates, it is about so many: `≈ 0.4`.
    """
    if not constraints:
        return "0"
    text = at_most(expected_alarms(constraints, cadence))
    return text.replace("≤", "≈") if any(c.origin == "snapshot" for c in constraints) else text


def at_most(expected: float) -> str:
    """An upper bound on a number of alarms, with the digits that matter."""
    return f"≤ {expected:,.1f}" if expected >= 0.1 else f"≤ {expected:.2g}"
