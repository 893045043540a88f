"""The false-positive budget as a number that people understand, expected false alarms a year: as it stands, and after deciding."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from avh_ui.constraints.constraint import ESTIMATED, Constraint
from avh_ui.review.draft import Draft
from avh_ui.workflows.expected import expected_alarms

# Of so few a year nobody tells one from another.
_RARE = 0.01


def alarms_per_year(constraints: tuple[Constraint, ...], cadence: str) -> str:
    """Expected false alarms per year in words: `≤ 0.4`; the bounds are upper ones, so the true number is lower.

    With rules among them, of a snapshot, of values or that people state, whose rates are estimates, it is about so many: `≈ 0.4`.
    """
    if not constraints:
        return "0"
    text = at_most(expected_alarms(constraints, cadence))
    return text.replace("≤", "≈") if any(c.origin in ESTIMATED for c in constraints) else text


def at_most(expected: float) -> str:
    """An upper bound on a number of alarms, with the digits that matter; less than one in a hundred years is as good as none."""
    if expected < _RARE:
        return f"< {_RARE:g}"
    return f"≤ {expected:,.1f}" if expected >= 0.1 else f"≤ {expected:.2g}"


@dataclass(frozen=True)
class ProgramCost:
    """So many constraints in a program, and its false alarms a year in words."""

    constraints: int
    alarms: str


@dataclass(frozen=True)
class BudgetPreview:
    """The budget as it stands, and after accepting or rejecting `items` suggestions."""

    items: int
    now: ProgramCost
    accepted: ProgramCost
    rejected: ProgramCost


def preview(draft: Draft, ids: Collection[str], cadence: str) -> BudgetPreview:
    """Accepting keeps edited bounds; rejecting takes what is in the program out of it."""
    chosen = set(ids)
    now = draft.accepted()
    others = tuple(item.current for item in draft.items if item.in_program and item.suggestion.id not in chosen)
    theirs = tuple(item.current for item in draft.items if item.suggestion.id in chosen)
    return BudgetPreview(len(chosen), *(_budget(some, cadence) for some in (now, (*others, *theirs), others)))


def _budget(constraints: tuple[Constraint, ...], cadence: str) -> ProgramCost:
    return ProgramCost(len(constraints), alarms_per_year(constraints, cadence))
