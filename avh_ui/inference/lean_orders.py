"""Bounds that follow from an order of columns: where the opening price is never above the highest one, and this never above 1,600, neither
is the other. Of a table of prices both ends were told of each of open, high and low.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from avh_ui.constraints.evidence import FromRelation, Proposal
from avh_ui.inference.lean_rule import LeanRule, rule_of
from avh_ui.inference.lean_twins import bound
from avh_ui.issues.catching import CLEAR
from avh_ui.metrics.metric import Extreme

_ORDER = "order"
_ENDS: tuple[Extreme, ...] = ("least", "greatest")


def within(relations: Sequence[Proposal], kept: Sequence[Proposal]) -> Iterator[tuple[Proposal, Proposal]]:
    """Each bound among the `kept` that follows the history of a column's least or greatest value, and that another column's bound implies
    by orders that every row keeps, with that other one; where it lets hardly more pass, and notices each issue that the first alone does.
    A null keeps any order: of the columns between, and of the other one, none may be.
    """
    rules = [rule_of(one) for one in kept if one.constraint.measure.standard]
    filled = {rule.constraint.column for rule in rules if rule.never_null}
    for end in _ENDS:
        beyond = _beyond(relations, end, filled)
        bounds = {rule.constraint.column: rule for rule in rules if bound(rule, end) is not None and rule.constraint.recipe is not None}
        for column, rule in bounds.items():
            alone = rule.caught.difference(*(r.caught for r in rules if r is not rule and r.constraint.column == column))
            others = [other for name, other in bounds.items() if name in beyond.get(column, ())]
            able = [other for other in others if _is_as_near(rule, other, end) and alone <= other.caught]
            # The last of them has no other one beyond it.
            if able:
                yield rule.proposal, min(able, key=lambda other: len(beyond.get(other.constraint.column, ()))).proposal


def _is_as_near(rule: LeanRule, other: LeanRule, end: Extreme) -> bool:
    own, its = bound(rule, end), bound(other, end)
    if own is None or its is None:
        return False
    own, its = (own, its) if end == "greatest" else (-own, -its)
    return its <= max(own * CLEAR, own / CLEAR)


def _beyond(relations: Sequence[Proposal], end: Extreme, filled: Set[str]) -> Mapping[str, Set[str]]:
    """By column those of all `filled` columns that are at least as far towards this end in every row, over any number of orders."""
    links: dict[str, set[str]] = {}
    for one in relations:
        if isinstance(one.evidence, FromRelation) and one.evidence.family == _ORDER and one.constraint.lower == 1:
            low, high = one.evidence.of
            near, far = (low, high) if end == "greatest" else (high, low)
            links.setdefault(near, set()).update({far} & filled)
    found = {column: set(nearest) for column, nearest in links.items()}
    for _ in links:
        for reached in found.values():
            reached.update(*(links.get(name, ()) for name in reached))
    return found
