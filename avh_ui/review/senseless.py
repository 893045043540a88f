"""What an edit or a limit of bounds is refused for before it is kept; a draft that holds such an old one is still read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avh_ui.constraints import contradictions
from avh_ui.review.decision import Decision
from avh_ui.review.draft import Draft, DraftItem, apply_decision


def refuse_senseless(decisions: Sequence[Decision], draft: Callable[[], Draft]) -> None:
    """`AvhError` for bounds of an edit that no batch could break, and for those of an edit or a limit of a share that are none. Of other
    decisions the draft is not read.
    """
    for one in decisions:
        if one.action in ("edit", "limit"):
            item = draft().item(one.suggestion_id)
            if one.action == "edit":
                refuse_idle(item, one)
            _refuse_beyond(item, one)


def refuse_idle(item: DraftItem, decision: Decision) -> None:
    """`ConstraintError` where an edit opens bounds so that no batch could break the rule, as at most 100 %. It is asked before a decision
    is kept and not of those that were: a draft that holds such an old one is still read.
    """
    edited = apply_decision(item, decision).current
    if (edited.lower, edited.upper) != (item.current.lower, item.current.upper):
        contradictions.refuse_idle(edited, beside=", or reject the suggestion")


def _refuse_beyond(item: DraftItem, decision: Decision) -> None:
    """`UsageError` where an edit or a limit gives a share that is none, such as 300%; asked as the former is."""
    now, suggested = item.current, item.suggestion.constraint
    ways = [(one.lower, one.upper) if decision.action == "edit" else one.limits or (None, None) for one in (now, suggested)]
    contradictions.refuse_beyond(suggested, (decision.lower, decision.upper), *ways)
