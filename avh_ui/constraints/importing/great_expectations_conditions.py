"""Row conditions of Great Expectations as SQL: Spark's, pandas', its own in texts of 0.x, and the objects that 1.x stores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from avh_ui.constraints.importing.great_expectations_pandas import sql_of
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.sql_text import literal, quoted

# `col("x") > 3`, `col("x").notNull()`: what suites hold of Great Expectations' own conditions.
_OWN = re.compile(
    r"""\s*col\(["']([^"']+)["']\)\s*(?:(==|!=|<=|>=|<|>)\s*(-?\d+(?:\.\d+)?|"[^"]*"|'[^']*')|\.(?:not[nN]ull|notnull)\(\))\s*"""
)
_SIGNS = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def where_of(kwargs: Mapping[str, Any]) -> str | None:
    """The rows that an expectation is of; None for all, `UnreadError` for a condition in another language than SQL."""
    condition, parser = kwargs.get("row_condition"), kwargs.get("condition_parser")
    if condition in (None, ""):
        return None
    if isinstance(condition, Mapping):
        return _object(condition, parser)
    if not isinstance(condition, str):
        raise UnreadError(f"its row condition {condition!r} is no condition")
    return _text(condition, parser)


def _text(condition: str, parser: Any) -> str:
    if parser == "spark":
        return condition
    if own := _OWN.fullmatch(condition):
        column, operator, value = own.groups()
        if operator is None:
            return f"{quoted(column)} IS NOT NULL"
        told = literal(value[1:-1]) if value[0] in "\"'" else value
        return f"{quoted(column)} {_SIGNS[operator]} {told}"
    if parser in ("pandas", "python"):
        return sql_of(condition)
    raise UnreadError(f"its row condition {condition!r} is no Spark SQL (condition_parser: {parser})")


def _object(condition: Any, parser: Any) -> str:
    match condition:
        case {"type": "comparison", "column": {"name": str(column)}, "operator": str(operator), "parameter": value}:
            return _comparison(quoted(column), operator.upper().replace("_", " "), value)
        case {"type": "nullity", "column": {"name": str(column)}, "is_null": bool(null)}:
            return f"{quoted(column)} IS {'' if null else 'NOT '}NULL"
        case {"type": "and" | "or" as joined, "conditions": [_, *_] as parts}:
            return f" {joined.upper()} ".join(f"({_object(part, parser)})" for part in parts)
        case {"type": "pass_through", "pass_through_filter": str(text)}:
            return _text(text, parser)
    raise UnreadError(f"its row condition {condition!r} is no condition that is known")


def _comparison(name: str, operator: str, value: Any) -> str:
    if operator in ("IN", "NOT IN") and isinstance(value, list) and value:
        return f"{name} {operator} ({', '.join(map(literal, value))})"
    if operator not in _SIGNS or isinstance(value, list | Mapping):
        raise UnreadError(f"its row condition compares by {operator!r} with {value!r}, which is not understood")
    return f"{name} {_SIGNS[operator]} {literal(value)}"
