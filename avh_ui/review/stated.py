"""What a person states, where it makes a suggestion superfluous."""

from __future__ import annotations

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromPerson
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import Reader
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.review.draft import Draft, DraftItem


def stated_as_much(draft: Draft, item: DraftItem) -> Constraint | None:
    """A rule that somebody states in the draft, and has not rejected, that fails wherever a suggestion does; None where there is none."""
    if isinstance(item.suggestion.evidence, FromPerson):
        return None
    stated = (i.current for i in draft.items if isinstance(i.suggestion.evidence, FromPerson) and i.status != "rejected")
    return next((one for one in stated if _as_much(one, item.current)), None)


def _as_much(stated: Constraint, other: Constraint) -> bool:
    """Of the same measure. Bounds that follow the history may move in tomorrow: only the best value there is lies within them all."""
    if stated.measure != other.measure or stated.level != "error":
        return False
    if any(isinstance(one, PatternConstraint) or one.outside or one.strategy or one.transform != IDENTITY for one in (stated, other)):
        return False
    reader, fixed = Reader.of(other), other.recipe is None
    low, high = other.lower in (None, reader.lowest), other.upper in (None, reader.highest)
    if stated.lower is not None and other.lower is not None:
        low |= stated.lower == reader.highest or (fixed and stated.lower >= other.lower)
    if stated.upper is not None and other.upper is not None:
        high |= stated.upper == reader.lowest or (fixed and stated.upper <= other.upper)
    return low and high
