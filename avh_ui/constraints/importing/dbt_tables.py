"""Tests of dbt's packages that look at two tables, or at rows in an order, as queries of how many rows break them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.dbt_arguments import named, other_table, together
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.sql_text import quoted

_Reader = Callable[[str, dict[str, Any], dict[str, Any]], list[Check]]


def _counted(query: str, says: str, manner: dict[str, Any]) -> list[Check]:
    return [c.custom_sql(query, says=says, exactly=0, **manner)]


def _other(given: dict[str, Any], key: str) -> tuple[str, str]:
    """The other table of a test: its name, and as a query has it."""
    name = other_table(given.pop(key))
    return name, quoted(name)


def _some(where: str | None) -> str:
    return f" WHERE ({where})" if where else ""


def _difference(one: str, other: str) -> str:
    return f"SELECT count(*) FROM (({one} EXCEPT {other}) UNION ALL ({other} EXCEPT {one}))"


def _equality(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    """The distinct rows of both tables are the same."""
    name, other = _other(given, "compare_model")
    columns = ", ".join(quoted(named(one)) for one in given.pop("compare_columns", ()) or ()) or "*"
    query = _difference(f"SELECT {columns} FROM batch{_some(manner.pop('where'))}", f"SELECT {columns} FROM {other}")
    return _counted(query, f"rows that only one of the batch and {name} has", manner)


def _cardinality(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    """Each value is in as many rows of both tables."""
    (name, other), field = _other(given, "to"), quoted(named(given.pop("field")))
    mine, some = quoted(column), _some(manner.pop("where"))
    ours = f"SELECT {mine}, count(*) FROM batch{some} GROUP BY {mine}"
    query = _difference(ours, f"SELECT {field}, count(*) FROM {other} GROUP BY {field}")
    return _counted(query, f"values of {column} that are in another number of rows of {name}", manner)


def refers_where(column: str, given: dict[str, Any], where: str | None, there: str, manner: dict[str, Any]) -> list[Check]:
    """Values that are those of some rows of the other table; null refers to nothing, and is right."""
    (name, other), field = _other(given, "to"), quoted(named(given.pop("field")))
    own = f"{quoted(column)} IS NOT NULL" + (f" AND ({where})" if where else "")
    query = f"SELECT count(*) FROM batch WHERE {own} AND {quoted(column)} NOT IN (SELECT {field} FROM {other} WHERE {field} IS NOT NULL"
    return _counted(f"{query} AND ({there}))", f"rows whose {column} is none of {name} where {there}", manner)


def _partition(given: dict[str, Any], *keys: str) -> str:
    found: list[Any] = []
    for key in keys:
        some = given.pop(key, None) or ()
        found += [some] if isinstance(some, str) else list(some)
    return f"PARTITION BY {', '.join(quoted(named(one)) for one in found)} " if found else ""


def _sequential(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    """Each value is that before it and the interval."""
    if given.pop("datepart", None) is not None:
        raise UnreadError("its steps are of dates: state one query of them (custom_sql)")
    name, step = quoted(column), float(given.pop("interval", 1))
    window = f"OVER ({_partition(given, 'group_by_columns')}ORDER BY {name})"
    rows = f"SELECT {name} AS v, lag({name}) {window} AS p FROM batch{_some(manner.pop('where'))}"
    return _counted(
        f"SELECT count(*) FROM ({rows}) WHERE NOT (v = p + {step:g})", f"values of {column} that do not follow one another", manner
    )


def _apart(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    """Ranges that do not overlap: each ends before the next begins, or where it does."""
    low, high = (quoted(named(given.pop(f"{end}_bound_column"))) for end in ("lower", "upper"))
    gaps, zero = given.pop("gaps", "allowed"), bool(given.pop("zero_length_range_allowed", False))
    sign = {"allowed": "<=", "not_allowed": "=", "required": "<"}.get(str(gaps))
    if sign is None:
        raise UnreadError(f"its gaps {gaps!r} are not understood")
    window = f"OVER ({_partition(given, 'partition_by')}ORDER BY {low}, {high})"
    rows = f"SELECT {low} AS a, {high} AS b, lead({low}) {window} AS n FROM batch{_some(manner.pop('where'))}"
    right = f"coalesce(a {'<=' if zero else '<'} b, false) AND coalesce(b {sign} n, n IS NULL)"
    return _counted(f"SELECT count(*) FROM ({rows}) WHERE NOT ({right})", "ranges that overlap, or end before they begin", manner)


def rising(sign: str) -> _Reader:
    """Values that rise (`>`) or fall (`<`) along a column; without `strictly` false some may be the same."""

    def read(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
        name, along = quoted(column), quoted(named(given.pop("sort_column", None) or column))
        strict = given.pop("strictly", True)
        if given.pop("step", None) is not None:
            raise UnreadError("its step is not understood: state one query (custom_sql)")
        where = together(given.pop("row_condition", None), manner.pop("where"))
        window = f"OVER ({_partition(given, 'group_by')}ORDER BY {along})"
        rows = f"SELECT {name} AS v, lag({name}) {window} AS p FROM batch{_some(where)}"
        test = f"v {sign}{'' if strict else '='} p"
        return _counted(
            f"SELECT count(*) FROM ({rows}) WHERE NOT ({test})", f"values of {column} that do not go on as those before", manner
        )

    return read


def same_number(aggregate: Callable[[str, dict[str, Any]], tuple[str, str]]) -> _Reader:
    """A number that is that of another table."""

    def read(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
        name, other = _other(given, "compare_model")
        ours, theirs = aggregate(column, given)
        where = together(given.pop("row_condition", None), manner.pop("where"))
        there = given.pop("compare_row_condition", None)
        query = f"SELECT (SELECT {ours} FROM batch{_some(where)}) - (SELECT {theirs} FROM {other}{_some(there)})"
        return _counted(query, f"{ours} less {theirs} of {name}", manner)

    return read


def distinct(column: str, given: dict[str, Any]) -> tuple[str, str]:
    """How many values there are in both tables."""
    other = named(given.pop("compare_column_name", None) or column)
    return f"count(DISTINCT {quoted(column)})", f"count(DISTINCT {quoted(other)})"


def expression(_: str, given: dict[str, Any]) -> tuple[str, str]:
    """An aggregate of both tables."""
    if given.pop("group_by", None) or given.pop("compare_group_by", None):
        raise UnreadError("it is of each group of rows: state one query (custom_sql)")
    ours = str(given.pop("expression"))
    return ours, str(given.pop("compare_expression", None) or ours)


READERS: dict[str, _Reader] = {
    "dbt_utils.equality": _equality, "dbt_utils.cardinality_equality": _cardinality, "dbt_utils.sequential_values": _sequential,
    "dbt_utils.mutually_exclusive_ranges": _apart,
}  # fmt: skip
