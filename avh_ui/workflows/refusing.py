"""Which rules a person has rejected: they stand in for no others any more when rules are suggested; and which are accepted one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import same
from avh_ui.metrics.measure import Measure
from avh_ui.review.draft import Draft
from avh_ui.review.lessons import MOVES, lessons_of
from avh_ui.review.plain import plain


def refused(draft: Draft | None) -> Callable[[Constraint], bool]:
    """Whether a rule was rejected in a draft, or in one before it with a reason that still holds: what it made superfluous is then to be
    suggested in its place. A bound that comes back moved is not refused, nor is what people know: it needs nothing in its place.
    """
    if draft is None:
        return lambda _: False
    lessons = {one.suggestion: one for one in lessons_of(draft)}
    meaningless = {(one.column, one.metric) for one in lessons.values() if one.reason == "meaningless"}
    rejected = {item.suggestion.id for item in draft.items if item.status == "rejected"}

    def is_refused(constraint: Constraint) -> bool:
        lesson = lessons.get(constraint.key)
        if (constraint.column, constraint.metric) in meaningless:
            return True
        if lesson is None:
            return constraint.key in rejected
        if lesson.reason == "known" or (lesson.reason in MOVES and movable(constraint)):
            return False
        # Of what is of several columns these may be others by now.
        return lesson.reason == "duplicate" or constraint.of_each or plain(constraint) == lesson.said

    return is_refused


def decided(draft: Draft | None, filed: Iterable[Measure] = ()) -> Callable[[Constraint], bool]:
    """Whether a rule is in a draft's program as it is, or somebody states one like it, there or of what is `filed` in avh.yml: said of one
    column alone, it goes on to be.
    """
    items = () if draft is None else draft.items
    kept = {item.suggestion.id for item in items if item.in_program}
    stated = {item.current.measure for item in items if item.current.origin == "manual" and item.status != "rejected"} | {*filed}
    return lambda constraint: constraint.key in kept or constraint.measure in stated


def movable(constraint: Constraint) -> bool:
    """Whether it has bounds that can be moved: a pattern has none, and a fact is one value."""
    exact = same(constraint.lower, constraint.upper) or constraint.outside or constraint.strategy is not None
    return not (exact or isinstance(constraint, PatternConstraint))
