"""Which decisions bring items back as they were, for undo and redo."""

from __future__ import annotations

from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.review.decision import Action
from avh_ui.review.draft import DraftItem

# Which decision brings a status back.
BACK: dict[str, Action] = {"pending": "reset", "accepted": "accept", "rejected": "reject", "edited": "edit"}
# What an edit changes: lower and upper bound, the pattern, and the columns that are out.
Edit = tuple[float | None, float | None, Pattern | None, tuple[str, ...]]
NO_EDIT: Edit = (None, None, None, ())


def restoring(wanted: tuple[DraftItem, ...]) -> list[tuple[list[DraftItem], Action, Edit]]:
    """The decisions that bring items back: one per status and reason, and one per edited item, since these are edited one by one."""
    made: list[tuple[list[DraftItem], Action, Edit]] = []
    alike = dict.fromkeys((item.status, item.reason) for item in wanted if item.status != "edited")
    made += [([i for i in wanted if (i.status, i.reason) == one], BACK[one[0]], NO_EDIT) for one in alike]
    for item in wanted:
        if item.status == "edited":
            current = item.current
            tested = isinstance(current, PatternConstraint) and bool(current.significance)
            bounds = (None, None) if tested else (current.lower, current.upper)
            edited, limited = (*bounds, other_pattern(item), item.out), item.limits
            made.append(([item], "edit", edited) if limited is None else ([item], "limit", (*limited, None, ())))
    return made


def other_pattern(item: DraftItem) -> Pattern | None:
    """The pattern that stands in the place of the suggested one."""
    now, suggested = item.current, item.suggestion.constraint
    if isinstance(now, PatternConstraint) and isinstance(suggested, PatternConstraint) and now.pattern != suggested.pattern:
        return now.pattern
    return None
