"""DQDL's ColumnValues: what every value of a column must be."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.dqdl_grammar import Condition, DqdlRule, Duration, Keyword, Moment, Operand
from avh_ui.constraints.importing.imported import UnreadError, limits
from avh_ui.constraints.readable import duration
from avh_ui.constraints.sql_text import end_of_range, literal, quoted, worded
from avh_ui.metrics import analyzers as of

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# Deequ takes a time of the day for the day itself, so that `> "9:30 AM"` is no comparison of times there.
_TIME = re.compile(r"\d{1,2}:\d{2}(?: [AP]M)?", re.IGNORECASE)
_KEYWORDS = {"NULL": "{0} IS NULL", "EMPTY": "{0} = ''", "WHITESPACES_ONLY": "(length(trim({0})) = 0 AND length({0}) > 0)"}
_SAID = {"=": "", "!=": "other than", "in": "one of", "not in": "none of", "matches": "a match of", "not matches": "no match of"}
Bounds = Callable[[Condition | None], dict[str, Any]]


def checks(rule: DqdlRule, bounds: Bounds) -> list[Check]:
    """Of the rule. Where its `where` is only that the column is there, as our exporter writes it, a value need not be there."""
    (column,), condition = rule.parameters, rule.condition
    if condition is None:
        raise UnreadError("it says nothing of the values")
    if condition.operator not in ("=", "!=", "in", "not in") and any(isinstance(v, str) and _TIME.fullmatch(v) for v in condition.operands):
        raise UnreadError("it compares with a time of the day, which Glue takes for today: state the condition on a row (satisfies)")
    where, lax = _lax(rule.where, column)
    plain = condition.operands and not any(isinstance(value, Keyword | Moment) for value in condition.operands)
    if rule.threshold is None and plain and (found := _named(column, condition, where)) is not None:
        return found if lax or condition.operator == "matches" else [*found, c.is_complete(column, where=where)]
    if rule.threshold is None and condition.operands == (Keyword("NULL"),) and condition.operator in ("!=", "not in"):
        return [c.is_complete(column, where=rule.where)]
    return share(_condition(column, condition), f"{column} is {said(condition)}", rule, bounds)


def said(condition: Condition) -> str:
    """A condition as the end of a sentence."""
    joined = " and " if "between" in condition.operator else ", "
    return f"{_SAID.get(condition.operator, condition.operator)} {joined.join(map(_worded, condition.operands))}".strip()


def share(condition: str, says: str, rule: DqdlRule, bounds: Bounds) -> list[Check]:
    """A condition on each row, and its threshold on the share of rows."""
    if rule.threshold is None:
        return [c.satisfies(condition, says=says, where=rule.where)]
    given = bounds(rule.threshold)
    if set(given) == {"at_least"}:
        return [c.satisfies(condition, says=says, where=rule.where, **given)]
    return [c.has(of.compliance(condition, where=rule.where), **given)]


def compared(value: str, operator: str, operands: Sequence[str]) -> str:
    """A comparison in SQL; `between` is of what lies inside of its ends."""
    first, last = operands[0], operands[-1]
    match operator:
        case "=" | ">" | ">=" | "<" | "<=":
            return f"{value} {operator} {first}"
        case "!=":
            return f"{value} <> {first}"
        case "between":
            return f"({value} > {first} AND {value} < {last})"
        case "not between":
            return f"({value} <= {first} OR {value} >= {last})"
        case "in" | "not in":
            return f"{value} {operator.upper()} ({', '.join(operands)})"
        case both if both[0] == ">":
            low, high = both.split()
            return f"({value} {low} {first} AND {value} {high} {last})"
    raise UnreadError(f"`{operator}` compares no such values")


def _named(column: str, condition: Condition, where: str | None) -> list[Check] | None:
    """By a function of the vocabulary, which lets null pass (but for `matches`); None where there is none."""
    values: list[Any] = [date.fromisoformat(v) if isinstance(v, str) and _DATE.fullmatch(v) else v for v in condition.operands]
    if any(isinstance(value, date) for value in values):
        return None  # Compared by their days, whatever the column's type.
    match condition.operator:
        case "=" | "in":
            return [c.is_contained_in(column, values, where=where)]
        case "matches":
            return [c.has_pattern(column, f"^(?:{values[0]})$", where=where)]
        case ">" | ">=":
            return [c.is_in_range(column, values[0], strict="lower" if condition.operator == ">" else "", where=where)]
        case "<" | "<=":
            return [c.is_in_range(column, None, values[0], strict="upper" if condition.operator == "<" else "", where=where)]
        case "between":
            return [c.is_in_range(column, *values, strict="both", where=where)]
        case both if both[0] == ">":
            given = limits(0, 1, strict_lower=not both.startswith(">="), strict_upper=not both.endswith("<="))
            strict: Any = {(True, True): "both", (True, False): "lower", (False, True): "upper"}.get(
                ("above" in given, "below" in given), ""
            )
            return [c.is_in_range(column, *values, strict=strict, where=where)]
    return None


def _condition(column: str, condition: Condition) -> str:
    """In SQL, true only of the rows that keep it."""
    name, operator = quoted(column), condition.operator
    if operator in ("matches", "not matches"):
        found = f"{name} RLIKE {literal(f'^(?:{condition.operands[0]})$')}"
        return f"NOT ({found})" if operator.startswith("not") else found
    words = [_KEYWORDS[value.name].format(name) for value in condition.operands if isinstance(value, Keyword)]
    values, null = [value for value in condition.operands if not isinstance(value, Keyword)], _KEYWORDS["NULL"].format(name)
    dated = any(isinstance(v, Moment) or (isinstance(v, str) and _DATE.fullmatch(v)) for v in values)
    write = _written if operator.endswith("in") else _end
    test = compared(f"to_date({name})" if dated else name, operator, list(map(write, values))) if values else ""
    if operator in ("=", "in"):
        one_of = f"{name} IN ({', '.join(map(_written, values))})" if values and not dated else test
        one_of = " OR ".join(filter(None, (*words, one_of)))
        return f"{name} IS NOT NULL AND ({one_of})" if words and null not in words else one_of
    if operator in ("!=", "not in"):  # null passes, unless it is named
        texts = [f"NOT ({word})" for word in words if word != null]
        passes = " AND ".join([*texts, *([test] if test else [])])
        if len(texts) < len(words):
            return " AND ".join(filter(None, (f"{name} IS NOT NULL", passes)))
        return f"({name} IS NULL OR {f'({passes})' if texts else passes})"
    if words:
        raise UnreadError(f"NULL and its like are no bounds of `{operator}`")
    return test


def _written(value: Operand) -> str:
    match value:
        case Moment(seconds):
            return f"to_date(current_timestamp() {'-' if seconds < 0 else '+'} INTERVAL {abs(seconds)} SECONDS)"
        case str() if _DATE.fullmatch(value):
            return literal(date.fromisoformat(value))
        case str() | int() | float():
            return literal(value)
    raise UnreadError(f"{value} is no value of a column")


def _end(value: Operand) -> str:
    return end_of_range(value) if isinstance(value, int) else _written(value)


def _worded(value: Operand) -> str:
    match value:
        case Keyword(name):
            return name
        case Moment(seconds):
            return f"{duration(abs(seconds))} {'ago' if seconds < 0 else 'ahead'}" if seconds else "now"
        case Duration(seconds):
            return duration(seconds)
    return worded(value)


def _lax(where: str | None, column: str) -> tuple[str | None, bool]:
    """The condition without that the column is there, and whether it said so."""
    there = f"{quoted(column)} IS NOT NULL"
    if where == there:
        return None, True
    if where is not None and where.startswith(f"{there} AND (") and where.endswith(")"):
        return where[len(there) + len(" AND (") : -1], True
    return where, False
