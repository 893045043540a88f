"""Conditions of DQDL on a number: as the bounds of a check, or as the strategies that they follow from the last runs by."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.dqdl_dynamic import Dynamic, strategies
from avh_ui.constraints.importing.dqdl_grammar import Condition, DqdlRule, Duration
from avh_ui.constraints.importing.imported import FoundRules, UnreadError, limits
from avh_ui.metrics.measure import Measure

_LIMITS = {"=": "exactly", "!=": "other_than", ">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}


def dynamic(rule: DqdlRule) -> bool:
    """Whether its bounds take the last runs."""
    return rule.condition is not None and any(isinstance(value, Dynamic) for value in rule.condition.operands)


def bounded(measure: Measure, rule: DqdlRule, found: FoundRules) -> list[Check]:
    """A measure within the bounds of its rule, or within those that follow from the last runs."""
    if rule.condition is None or not dynamic(rule):
        return [c.has(measure, **given) for given in each_of_bounds(rule.condition)]
    made = strategies(rule.condition.operator, rule.condition.operands)
    ends = dict(zip(("above", "below"), rule.condition.operands, strict=False)) if rule.condition.operator == "between" else {}
    fixed: dict[str, Any] = {name: value for name, value in ends.items() if isinstance(value, int | float)}
    found.note("`last(k)` is of the sound batches before; where there is none a rule is not evaluated, and Glue takes 0.")
    return [*(c.has(measure, **fixed) for _ in fixed), *(c.has_no_anomalies(measure, strategy) for strategy in made)]


def each_of_bounds(condition: Condition | None) -> list[dict[str, Any]]:
    """A condition on a number as the bounds of one `has` or of several, all of which must hold: `in [4, 6]` is from 4 to 6 and not between
    them.
    """
    if condition is None or condition.operator not in ("in", "not in") or len(condition.operands) == 1:
        return [bounds(condition)]
    numbers = sorted(bounds(Condition("=", (operand,)))["exactly"] for operand in condition.operands)
    if condition.operator == "not in":
        return [{"other_than": number} for number in numbers]
    return [{"at_least": numbers[0], "at_most": numbers[-1]}, *({"not_between": pair} for pair in pairwise(numbers))]


def bounds(condition: Condition | None) -> dict[str, Any]:
    """A condition on a number as the bounds of one `has`."""
    if condition is None:
        raise UnreadError("it says nothing of its number")
    if any(isinstance(value, Dynamic) for value in condition.operands):
        raise UnreadError("no bound that follows from the last runs is a share of rows here")
    operands: list[Any] = [value.seconds if isinstance(value, Duration) else value for value in condition.operands]
    if not all(isinstance(value, int | float) for value in operands):
        raise UnreadError("its number is compared with what is none")
    first, last = operands[0], operands[-1]
    operator = {"in": "=", "not in": "!="}.get(condition.operator, condition.operator) if len(operands) == 1 else condition.operator
    if operator in _LIMITS:
        return {_LIMITS[operator]: first}
    if operator == "between":
        return {"above": first, "below": last}
    if operator == "not between":
        return {"not_between": (first, last)}
    if operator[0] == ">":  # joined with an upper bound
        low, high = operator.split()
        return limits(first, last, strict_lower=low == ">", strict_upper=high == "<")
    raise UnreadError(f"a number has bounds here, and `{operator}` gives none")
