"""Checks of a table beside another, by a query of one number, and of how well a column follows from others.

The other table is a Spark or pandas DataFrame or a pyarrow Table, or the name of one: of `tables=` of `avh.check`, or of `references:` of
the pipeline in avh.yml, which a published program needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.check import Check, stated
from avh_ui.constraints.constraint import Level
from avh_ui.constraints.stating import ConditionManner, Limits, bounded, is_text, names
from avh_ui.errors import UsageError
from avh_ui.metrics import analyzers


@stated
def refers_to(
    columns: str | Sequence[str],
    other: Any,
    to: str | Sequence[str] = (),
    *,
    nulls: bool = False,
    **manner: Unpack[ConditionManner],
) -> Check:
    """The values of each row, in one or several columns, are those of a row of the other table, in its columns `to` (of the same names
    unless given). Rows are counted. A null does not refer, unless `nulls` says that it may be there. One job on Spark, and
    one more to name what is missing.
    """
    mine = names((columns,) if isinstance(columns, str) else tuple(columns), "refers_to")
    theirs = names((to,) if isinstance(to, str) else tuple(to), "refers_to") if to else mine
    if len(mine) != len(theirs):
        raise UsageError(f"{len(mine)} columns cannot refer to {len(theirs)}.", hint="Name one column there for each here.")
    name, tables = _other(other)
    measure = analyzers.refers_to(mine, name, theirs, nulls=nulls, where=manner.get("where"))
    check = bounded(measure, f"{', '.join(mine)} refers to {', '.join(theirs)} of {name}", manner)
    return replace(check, tables=tables)


@stated
def matches(
    other: Any,
    keys: str | Sequence[str] | Mapping[str, str],
    columns: str | Sequence[str] | Mapping[str, str] = (),
    *,
    at_least: float = 1.0,
    level: Level = "error",
    hint: str = "",
) -> Check:
    """Both tables have the same rows: matched by `keys`, their `columns` (all that both have, unless given) hold the same values; null is
    null. Either maps names here to names there where they differ: `{"id": "order_id"}`. The share is of the rows of the longer table; what
    is only here, only there, repeated or different is told apart. One job on Spark.
    """
    by, to = _here_and_there(keys)
    compared, compared_to = _here_and_there(columns) if columns else ((), ())
    name, tables = _other(other)
    renamed = {"to": () if to == by else to, "compared_to": () if compared_to == compared else compared_to}
    measure = analyzers.match_ratio(by, name, compared, **renamed)
    said = ", ".join(mine if mine == theirs else f"{mine} ({theirs} there)" for mine, theirs in zip(by, to, strict=True))
    check = bounded(measure, f"the rows match those of {name} by {said}", {"at_least": at_least, "level": level, "hint": hint})
    return replace(check, tables=tables)


def _here_and_there(columns: str | Sequence[str] | Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of columns in this table and in the other."""
    mine = names((columns,) if isinstance(columns, str) else tuple(columns), "matches")
    return mine, names(tuple(columns.values()), "matches") if isinstance(columns, Mapping) else mine


@stated
def has_row_count_of(other: Any, *, level: Level = "error", hint: str = "", **limits: Unpack[Limits]) -> Check:
    """The rows, as a multiple of those of the other table, are within limits: at least 1 unless said. One job on Spark."""
    name, tables = _other(other)
    bounds = Bounds.of(**limits) if any(limit is not None for limit in limits.values()) else Bounds(lower=1.0)
    return Check(analyzers.row_count_ratio(name), bounds, level, hint, tables=tables)


@stated
def has_schema_of(other: Any, *, at_least: float = 1.0, level: Level = "error", hint: str = "") -> Check:
    """Both tables have the same columns with the same types, in any order: at least that share of the columns of the
    wider one. No row is read.
    """
    name, tables = _other(other)
    return Check(analyzers.schema_match(name), Bounds.of(at_least=at_least), level, hint, tables=tables)


@stated
def custom_sql(statement: str, *, says: str = "", level: Level = "error", hint: str = "", **limits: Unpack[Limits]) -> Check:
    """The one number that a query gives is within limits; `says` is what it counts, in words: `orders without a customer`.

    The table is `batch` there, others have their names of `tables=` or `references:`: `SELECT count(*) FROM batch WHERE a > b`.

    Spark SQL, one SELECT, whose result has one row and one column; nothing else of the session changes. It takes
    Spark, of a table in memory too: one job or more.
    """
    if not is_text(statement):
        raise UsageError(f"{statement!r} is no query.", hint="Write one in Spark SQL, such as `SELECT count(*) FROM batch`.")
    return Check(analyzers.custom_sql(statement, says), Bounds.of(**limits), level, hint)


@stated
def is_determined_by(column: str, by: str | Sequence[str], **manner: Unpack[ConditionManner]) -> Check:
    """Rows that are equal in `by` are equal in the column (a functional dependency): all of them, or at least that share, counting in each
    group the most frequent value as the right one. Rows with a null in one of the columns are left out. One grouping pass.
    """
    given = names((by,) if isinstance(by, str) else tuple(by), "is_determined_by")
    (target,) = names((column,), "is_determined_by")
    if target in given:
        raise UsageError(f"{target!r} determines itself.", hint="Give other columns.")
    # As a relation that was learned says it.
    says = f"{target} is the same wherever {' and '.join(given)} {'is' if len(given) == 1 else 'are'}"
    return bounded(analyzers.determined_ratio(target, given, where=manner.get("where")), says, manner)


@stated
def has_predictability(column: str, given: str | Sequence[str], **manner: Unpack[ConditionManner]) -> Check:
    """The other columns tell this one, in at least that share of rows which a naive Bayes model did not learn from (`metrics.predicting`).

    For columns of categories. One grouping pass on Spark, whose groups come to the driver.
    """
    of = names((given,) if isinstance(given, str) else tuple(given), "has_predictability")
    (target,) = names((column,), "has_predictability")
    if target in of:
        raise UsageError(f"{target!r} tells itself.", hint="Give other columns.")
    measure = analyzers.predictability(target, of, where=manner.get("where"))
    return bounded(measure, f"{target} follows from {', '.join(of)}", manner)


def _other(other: Any) -> tuple[str, Mapping[str, Any]]:
    """The name by which a table is known, and the table where it is none."""
    if isinstance(other, str):
        if not is_text(other):
            raise UsageError("The other table has no name.", hint="Name it, or give the table itself.")
        return other, {}
    # Asked of the type: a DataFrame of Spark Connect takes any name for that of a column.
    known = next((name for name in ("column_names", "columns") if hasattr(type(other), name)), "")
    columns = getattr(other, known) if known else None
    if columns is None:
        raise UsageError(f"{other!r} is no table.", hint="Give a Spark or pandas DataFrame, a pyarrow Table, or the name of one.")
    # A table has no name. In one run its place in memory tells it from others, since the check holds it.
    name = f"the table of {', '.join(map(str, list(columns)[:3]))} ({id(other):x})"
    return name, {name: other}
