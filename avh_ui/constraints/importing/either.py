"""Rules of which one must hold (DQDL's `or`), as a query of one number: 1 where one does, else 0.

A run needs all of its rules, and a rule is bounds of a number. So the number is whether one of them holds, by Spark's own aggregates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.importing.own_sql import aggregate_of
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure

_COUNTED = "SELECT count(*) AS n FROM batch{where} GROUP BY {columns}"
# Metrics of groups, of `n` rows each.
_OF_GROUPS: dict[str, str] = {
    of.uniqueness("x").name: "count(CASE WHEN n = 1 THEN 1 END) / sum(n)",
    of.unique_value_ratio("x").name: "count(CASE WHEN n = 1 THEN 1 END) / count(*)",
    of.distinctness("x").name: "count(*) / sum(n)",
    of.count_distinct("x").name: "count(*)",
    of.entropy("x").name: "log(sum(n)) - sum(n * log(n)) / sum(n)",
    of.duplicate_row_count("x").name: "coalesce(sum(CASE WHEN n > 1 THEN n END), 0)",
}
_OF_COLUMNS: dict[str, Callable[[Measure], str]] = {
    of.compliance("x").name: lambda m: f"avg(CASE WHEN ({m.parameter('predicate')}) THEN 1D ELSE 0D END)",
    of.pattern_match("x", "x").name: lambda m: (
        f"avg(CASE WHEN {quoted(m.columns[0])} RLIKE {literal(m.parameter('pattern'))} THEN 1D ELSE 0D END)"
    ),
    of.distinct_with_null("x").name: lambda m: (
        f"count(DISTINCT {quoted(m.columns[0])}) + coalesce(max(CASE WHEN {quoted(m.columns[0])} IS NULL THEN 1 ELSE 0 END), 0)"
    ),
    of.zeros_count("x").name: lambda m: f"count(CASE WHEN {quoted(m.columns[0])} = 0 THEN 1 END)",
    of.correlation("x", "y").name: lambda m: f"corr({', '.join(map(quoted, m.columns))})",
    of.interquartile_range("x").name: lambda m: "percentile({0}, 0.75) - percentile({0}, 0.25)".format(quoted(m.columns[0])),
    of.min_length("x").name: lambda m: f"min(length({_text(m)}))",
    of.max_length("x").name: lambda m: f"max(length({_text(m)}))",
}


def one_of(alternatives: Sequence[Sequence[Check]], says: str) -> Check:
    """That all rules of one of the alternatives hold; `UnreadError` where one of them is none of the rows' numbers."""
    said = [" AND ".join(map(holds, checks)) for checks in alternatives]
    return c.custom_sql(f"SELECT CASE WHEN {' OR '.join(f'({one})' for one in said)} THEN 1 ELSE 0 END", says=says, exactly=1)


def holds(check: Check) -> str:
    """A rule as a condition over whole tables. Nothing to be measured breaks it, but where its `where` leaves no row."""
    if check.bounds.strategy is not None:
        raise UnreadError("one of its rules takes the last runs, and no query knows them: leave it out, or state it alone")
    value, bounds = f"({_number(check.measure)})", check.bounds
    strict = (bounds.strict in ("lower", "both"), bounds.strict in ("upper", "both"))
    low = "" if bounds.lower is None else f"{value} {'>' if strict[0] else '>='} {_bound(bounds.lower)}"
    high = "" if bounds.upper is None else f"{value} {'<' if strict[1] else '<='} {_bound(bounds.upper)}"
    within = " AND ".join(filter(None, (low, high)))
    return f"coalesce({f'NOT ({within})' if bounds.outside else within}, {'false' if check.measure.where is None else 'true'})"


def _bound(number: float) -> str:
    return literal(float(number))


def _number(measure: Measure) -> str:
    if statement := measure.parameter("statement"):
        return str(statement)
    where = "" if measure.where is None else f" WHERE ({measure.where})"
    if measure.name in _OF_GROUPS and measure.columns:
        names = list(map(quoted, measure.columns))
        there = " OR ".join(f"{name} IS NOT NULL" for name in names)
        rows = f" WHERE ({there})" if measure.where is None else f" WHERE ({there}) AND ({measure.where})"
        return f"SELECT {_OF_GROUPS[measure.name]} FROM ({_COUNTED.format(where=rows, columns=', '.join(names))})"
    aggregate = _OF_COLUMNS[measure.name](measure) if measure.name in _OF_COLUMNS else aggregate_of(measure)
    if aggregate is None:
        raise UnreadError(f"one of its rules is of {measure.name}, for which there is no query of one number: state it alone")
    return f"SELECT {aggregate} FROM batch{where}"


def _text(measure: Measure) -> str:
    column = quoted(measure.columns[0])
    return f"coalesce({column}, '')" if measure.parameter("nulls") == "empty_string" else column
