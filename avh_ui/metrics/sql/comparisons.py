"""Which columns a condition compares as they are: with each other, or with a whole number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from avh_ui.metrics.sql.parsing import name_of, parsed

_WHOLE = frozenset({"tinyint", "smallint", "int"})


@dataclass(frozen=True)
class ColumnComparison:
    """`one` with `other`, each by the parts of its name; of a whole number, which stands there as `number`, `other` is empty. It is `alone`
    where it is the whole condition.
    """

    one: tuple[str, ...]
    sign: str
    other: tuple[str, ...] = ()
    number: int | None = None
    alone: bool = False


def comparisons_of(text: str) -> tuple[ColumnComparison, ...]:
    """Those of a condition, but for those of rules of two columns (`metrics.compared`). Errors as of `parsed`."""
    read = parsed(text)
    whole = {f"k{k}": one.value for k, one in enumerate(read.constants) if one.type in _WHOLE and isinstance(one.value, int)}
    return _found(read.tree, whole)


def comparisons_of_query(statement: str) -> tuple[ColumnComparison, ...]:
    """Those of columns with each other in a query; none of one that only Spark can read."""
    from sqlglot import parse
    from sqlglot.errors import SqlglotError

    try:
        trees = [tree for tree in parse(statement, read="spark") if tree is not None]
        return tuple(one for tree in trees for one in _found(tree, {}))
    except (SqlglotError, RecursionError):
        return ()


def _found(tree: Any, whole: Mapping[str, int]) -> tuple[ColumnComparison, ...]:
    from sqlglot import exp

    signs = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.EQ: "=", exp.NEQ: "<>"}
    swapped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    found: list[ColumnComparison] = []
    for node in tree.find_all(*signs):
        one, other, sign = node.this.unnest(), node.expression.unnest(), signs[type(node)]
        if isinstance(one, exp.Literal):
            one, other, sign = other, one, swapped.get(sign, sign)
        if isinstance(one, exp.Column) and isinstance(other, exp.Column):
            found.append(ColumnComparison(name_of(one), sign, name_of(other), alone=node is tree))
        elif isinstance(one, exp.Column) and isinstance(other, exp.Literal) and other.this in whole:
            found.append(ColumnComparison(name_of(one), sign, number=whole[other.this]))
    return tuple(dict.fromkeys(found))
