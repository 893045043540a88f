"""Of two rules of a column the one that the other says in other words, or says more of."""

from __future__ import annotations

from collections.abc import Sequence

from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.inference.by_history.first_noticed import DEFAULT
from avh_ui.inference.lean_rule import LeanRule
from avh_ui.metrics.metric import Extreme, Metric
from avh_ui.metrics.most_frequent import TEXT_TOP_RATIO, TOP_RATIO

# Half of a column at one value, as a default or a failed join leaves it.
_HALF_FILLED = ("one_value 50%", "increased_nulls 50% zero")


def twins(rule: LeanRule, other: LeanRule) -> bool:
    """Whether it says in the words of one batch what the other says from its history, or bounds by nature what the other lists, or is the
    average of a constant, or that it is one, of which the other says that every value is the one.
    """
    a, b = rule.constraint, other.constraint
    if other.closes and rule.fixed and a.measure.standard and isinstance(b, PatternConstraint) and b.pattern.single:
        # That nothing is there is what the fill says; that texts are empty where none was, every validation.
        return {name for name in rule.caught if not name.endswith((" null", " empty"))} <= other.caught
    if rule.nature and isinstance(b, PatternConstraint) and b.upper == 0:
        # That nothing is there is what the fill says.
        return {name for name in rule.caught if not name.endswith(" null")} <= other.caught
    same = a.metric == b.metric and a.measure == b.measure and not isinstance(a, PatternConstraint)
    least = bound(rule, "least")
    if same and least is not None and b.lower is not None and least >= 0 > b.lower:
        # "Never below 0" is no other word for a bound that follows what the least value was, and lets it be -220.
        return False
    # That a value occurs once is counted; what the history bounds is an estimate.
    return same and a.origin == "snapshot" and b.origin == "history" and (b.unique or not a.unique)


def defaults_said(rules: Sequence[LeanRule]) -> list[LeanRule]:
    """How many values are one and the same, where the other rules notice half of them filled with one, and it alone but a fifth: no owner
    of a market's number reads for that alone how much one of them may make up.
    """
    found = []
    for rule in rules:
        others = frozenset().union(*(r.catches for r in rules if r is not rule and r not in found))
        half = {*_HALF_FILLED}.intersection(rule.proposal.evidence.tried)
        if _tells_defaults(rule) and half and half <= others and rule.caught - others <= {DEFAULT}:
            found.append(rule)
    return found


def _tells_defaults(rule: LeanRule) -> bool:
    declared = metric_of(rule)
    return declared in (TOP_RATIO, TEXT_TOP_RATIO) and rule.constraint.measure.standard and rule.constraint.lower is None


def bound(rule: LeanRule, of: Extreme) -> float | None:
    """What a rule on the least or greatest number holds every one of a column's rows to; None of all other rules."""
    made, declared = rule.constraint, metric_of(rule)
    if declared is None or declared.extreme != of or declared.unit != "value" or made.kind != "numeric" or made.transform != IDENTITY:
        return None
    return made.lower if of == "least" else made.upper


def metric_of(rule: LeanRule) -> Metric | None:
    """What its metric is declared as; None of one that is not in the catalogue."""
    return declaration_of(rule.constraint.metric, rule.constraint.kind)
