"""Row conditions that pandas evaluates (`condition_parser: pandas`) as SQL: comparisons, `in`, `isnull()`, joined by and, or and not.

A missing value is different from all others there, and neither less nor greater: each comparison is true or false, never null.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.sql_text import literal, quoted

# A name in backticks, a text in quotes, or an operator that pandas reads as a word.
_TOKEN = re.compile(r"(?P<name>`[^`]+`)|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<sign>[&|~])")
_WORDS = {"&": " and ", "|": " or ", "~": " not "}
_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_NULL = {"isnull": "IS NULL", "isna": "IS NULL", "notnull": "IS NOT NULL", "notna": "IS NOT NULL"}


def sql_of(condition: str) -> str:
    """The SQL of a condition; `UnreadError` for what is more than comparisons of a column with values or another column."""
    names: list[str] = []

    def written(found: re.Match[str]) -> str:
        if found["name"] is not None:
            names.append(found["name"][1:-1])
            return f"_{len(names) - 1}_"
        return _WORDS.get(found[0], found[0])

    try:
        tree = ast.parse(_TOKEN.sub(written, condition).strip(), mode="eval").body
        return _Written(names).of(tree)
    except (SyntaxError, RecursionError, ValueError):
        raise _unread(condition) from None


def _unread(condition: str) -> UnreadError:
    return UnreadError(f"its row condition {condition!r} is more than comparisons of columns: state it as Spark SQL (where)")


class _Written:
    """Writes conditions as SQL; `names` are those that stood in backticks. `ValueError` for what it does not know."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def of(self, node: ast.expr) -> str:
        """One condition."""
        match node:
            case ast.BoolOp(op, parts):
                return (" AND " if isinstance(op, ast.And) else " OR ").join(f"({self.of(part)})" for part in parts)
            case ast.UnaryOp(ast.Not(), part):
                return f"NOT ({self.of(part)})"
            case ast.Call(ast.Attribute(column, method), [], []) if method in _NULL:
                return f"{self._column(column)} {_NULL[method]}"
            case ast.Compare(left, signs, others):
                sides = [left, *others]
                told = [self._compared(a, sign, b) for a, sign, b in zip(sides, signs, others, strict=False)]
                return told[0] if len(told) == 1 else " AND ".join(f"({one})" for one in told)
        raise ValueError(ast.dump(node))

    def _compared(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> str:
        if isinstance(sign, ast.In | ast.NotIn):
            if not isinstance(right, ast.List | ast.Tuple) or not right.elts:
                raise ValueError(ast.dump(right))
            listed = f"coalesce({self._column(left)} IN ({', '.join(literal(_value(one)) for one in right.elts)}), false)"
            return listed if isinstance(sign, ast.In) else f"NOT {listed}"
        a, b = self._side(left), self._side(right)
        if isinstance(sign, ast.Eq):
            return f"coalesce({a} = {b}, false)"
        if isinstance(sign, ast.NotEq):
            return f"coalesce({a} <> {b}, true)"
        if type(sign) not in _SIGNS:
            raise ValueError(ast.dump(sign))
        return f"coalesce({a} {_SIGNS[type(sign)]} {b}, false)"

    def _side(self, node: ast.expr) -> str:
        return self._column(node) if isinstance(node, ast.Name) else literal(_value(node))

    def _column(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Name):
            raise ValueError(ast.dump(node))
        stood = re.fullmatch(r"_(\d+)_", node.id)
        return quoted(self._names[int(stood[1])] if stood and int(stood[1]) < len(self._names) else node.id)


def _value(node: ast.expr) -> Any:
    value = ast.literal_eval(node)
    if not isinstance(value, str | int | float | bool):
        raise ValueError(ast.dump(node))
    return value
