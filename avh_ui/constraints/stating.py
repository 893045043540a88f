"""What the functions of `checks` share: their arguments, and how a share of rows is bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from avh_ui.constraints.bounds import Bounds, Limit
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Level
from avh_ui.errors import UsageError
from avh_ui.metrics import analyzers
from avh_ui.metrics.measure import Measure


class Limits(TypedDict, total=False):
    """Bounds of a number: `at_least`, `at_most` (the bound belongs to them), `above`, `below` (it does not), `exactly`, `other_than`,
    `not_between` (two numbers, which are allowed themselves), `outside` (two numbers, which are not).
    """

    at_least: Limit | None
    at_most: Limit | None
    above: Limit | None
    below: Limit | None
    exactly: Limit | None
    other_than: Limit | None
    not_between: Sequence[Limit] | None
    outside: Sequence[Limit] | None


class Manner(TypedDict, total=False):
    """Of which rows (`where`), how severe, and what to do when the rule is broken."""

    where: str | None
    level: Level
    hint: str


class ConditionManner(Manner, total=False):
    """The same, and the least share of rows, 1 unless said."""

    at_least: float


def share(condition: str, says: str, manner: ConditionManner) -> Check:
    """Of rows that satisfy a Spark SQL condition."""
    return bounded(analyzers.compliance(condition, where=manner.get("where")), says, manner)


def bounded(measure: Measure, says: str, manner: ConditionManner) -> Check:
    """A share of rows: all of them, or at least so many."""
    least: Any = manner.get("at_least", 1.0)
    where = manner.get("where")
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= 1:
        raise UsageError(f"at_least={least!r} is no share of rows.", hint="Give a number from 0 to 1.")
    said = says if where is None else f"{says} where {where}"
    return Check(measure, Bounds(lower=float(least)), manner.get("level", "error"), manner.get("hint", ""), said)


def names(columns: Sequence[str], of: str) -> tuple[str, ...]:
    """Names of columns, at least one; `UsageError` for what is none."""
    if not columns or not all(map(is_text, columns)):
        raise UsageError(f"{of} needs names of columns, not {list(columns)!r}.", hint="Give each as a text.")
    return tuple(columns)


def is_text(value: object) -> bool:
    """Whether it is a text of more than blanks."""
    return isinstance(value, str) and bool(value.strip())
