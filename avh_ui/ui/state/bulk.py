"""What deciding on several suggestions would make of the program and its false alarms, before it is done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from avh_ui.constraints.constraint import Constraint
from avh_ui.review.draft import Draft
from avh_ui.ui.state.budget import alarms_per_year


@dataclass(frozen=True)
class ProgramCost:
    """So many constraints in a program, and its false alarms a year in words."""

    constraints: int
    alarms: str


@dataclass(frozen=True)
class Preview:
    """The budget as it stands, and after accepting or rejecting `items` suggestions."""

    items: int
    now: ProgramCost
    accepted: ProgramCost
    rejected: ProgramCost


def preview(draft: Draft, ids: Collection[str], cadence: str) -> Preview:
    """Accepting keeps edited bounds; rejecting takes what is in the program out of it."""
    chosen = set(ids)
    now = draft.accepted()
    others = tuple(item.current for item in draft.items if item.in_program and item.suggestion.id not in chosen)
    theirs = tuple(item.current for item in draft.items if item.suggestion.id in chosen)
    return Preview(len(chosen), *(_budget(some, cadence) for some in (now, (*others, *theirs), others)))


def _budget(constraints: tuple[Constraint, ...], cadence: str) -> ProgramCost:
    return ProgramCost(len(constraints), alarms_per_year(constraints, cadence))
