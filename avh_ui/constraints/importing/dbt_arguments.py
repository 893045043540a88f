"""What the tests of dbt's packages share: arguments that dbt writes into its SQL as they are, names of other tables, ages."""

from __future__ import annotations

import contextlib
import re
from datetime import timedelta
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.metrics import analyzers as of

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
# What a column's name has, in quotes or not; all else is SQL.
_NAME = re.compile(r"[\w$. -]*\w[\w$. -]*", re.UNICODE)
_QUOTES = '"`'
_TEXT = re.compile(r"'((?:[^']|'')*)'")


def named(column: Any) -> str:
    """A column that an argument names; `UnreadError` for an expression, which dbt takes there too."""
    text = str(column).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES:
        text = text[1:-1]
    if not _NAME.fullmatch(text) or " - " in text:
        raise UnreadError(f"{column!r} is an expression and no column: state the condition on a row (satisfies), or a query (custom_sql)")
    return text


def unique(columns: list[Any], *, nulls: bool, manner: dict[str, Any]) -> list[Check]:
    """No combination of columns twice, of which some may be expressions; `nulls`: one with a null counts, too."""
    with contextlib.suppress(UnreadError):
        return [c.is_unique([named(one) for one in columns], **manner)]
    keys = ", ".join(f"({one})" for one in columns)
    where = together(manner.pop("where", None), *(() if nulls else (f"({one}) IS NOT NULL" for one in columns)))
    rows = f" WHERE {where}" if where else ""
    says = f"no two rows have the same {', '.join(map(str, columns))}"
    statement = f"SELECT count(*) FROM (SELECT 1 FROM batch{rows} GROUP BY {keys} HAVING count(*) > 1)"
    return [c.custom_sql(statement, says=says, at_most=0, **manner)]


def together(*conditions: Any) -> str | None:
    """Conditions of which all must hold; None where there is none."""
    given = [str(one) for one in conditions if one is not None and str(one).replace(" ", "") not in ("", "1=1")]
    return given[0] if len(given) == 1 else " AND ".join(f"({one})" for one in given) or None


def in_range(column: str, low: Any, high: Any, *, strict: bool, manner: dict[str, Any]) -> list[Check]:
    """Values within bounds; a bound that is a text is SQL, which dbt compares with as it is."""
    bounds = [_text(bound) for bound in (low, high)]
    if not any(isinstance(bound, _Sql) for bound in bounds):
        return [c.is_in_range(column, *bounds, strict="both" if strict else "", **manner)]
    signs = (">", "<") if strict else (">=", "<=")
    given = [(sign, bound) for sign, bound in zip(signs, bounds, strict=True) if bound is not None]
    sides = [(sign, str(bound) if isinstance(bound, _Sql) else literal(bound)) for sign, bound in given]
    test = " AND ".join(f"{quoted(column)} {sign} ({bound})" for sign, bound in sides)
    says = f"{column} is {' and '.join(f'{sign} {bound}' for sign, bound in sides)}"
    return [c.satisfies(f"{quoted(column)} IS NULL OR coalesce(({test}), true)", says=says, **manner)]


def recent(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    """The newest date is no older than an interval."""
    field, part, interval = given.pop("field", column), str(given.pop("datepart")), given.pop("interval")
    if part not in _SECONDS:
        raise UnreadError(f"a {part} has no fixed length")
    age = timedelta(seconds=_SECONDS[part] * interval)
    return [c.has(of.freshness(named(field), where=manner.pop("where")), at_most=age, **manner)]


def other_table(reference: Any) -> str:
    """The table that `ref('...')` or `source('...', '...')` names."""
    found = re.search(r"""["']([^"']+)["']\s*\)\s*(?:}})?\s*$""", str(reference))
    if found is None:
        raise UnreadError("the other table is named by ref('...') or source('...', '...')")
    return found[1]


def rows_beside(given: dict[str, Any], manner: dict[str, Any], **bound: float) -> list[Check]:
    """The rows as a multiple of those of another table."""
    if together(manner.pop("where"), given.pop("row_condition", None), given.pop("compare_row_condition", None)) is not None:
        raise UnreadError("all rows of both tables are counted here")
    factor = given.pop("factor", None) or 1
    limits: dict[str, Any] = {name: value * factor for name, value in bound.items()}
    return [c.has_row_count_of(other_table(given.pop("compare_model")), **limits, **manner)]


def as_many(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    """As many rows as another table."""
    return rows_beside(given, manner, exactly=1)


class _Sql(str):
    """A bound that is an expression."""

    __slots__ = ()


def _text(bound: Any) -> Any:
    """A bound as a value, where it is one: a number, or a text in SQL's quotes."""
    if not isinstance(bound, str):
        return bound
    try:
        return float(bound) if "." in bound or "e" in bound.lower() else int(bound)
    except ValueError:
        found = _TEXT.fullmatch(bound.strip())
        return found[1].replace("''", "'") if found is not None else _Sql(bound)
