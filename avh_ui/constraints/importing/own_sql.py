"""Queries of one number that other tools run, as checks: a share of rows, as our exporters write it, rows that a query keeps, and what is
there more than once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.sql_text import quoted
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.catalogue import BESIDE, CATALOGUE, EVERY
from avh_ui.metrics.measure import Measure

# What the exporters make of a measure, and of which rows.
_QUERY = re.compile(r"SELECT (.*?)(?: AS observed)? FROM (?:primary|\{object\})(?: WHERE \((.*)\))?", re.DOTALL)
_SHARE = re.compile(r"AVG\(CASE WHEN \((.*)\) THEN 1E0 ELSE 0E0 END\)", re.DOTALL)
_ROWS = re.compile(r"\s*select\s+(?:\*|[\w\s,.`]+?)\s+from\s+primary\s+where\s+(.*?)\s*;?\s*", re.DOTALL | re.IGNORECASE)
# What a condition on single rows does not hold.
_NOT_OF_ROWS = re.compile(r"\b(group\s+by|having|order\s+by|limit|join|union|select|over\s*\()", re.IGNORECASE)
_REASON = "it gives rows by a query of its own, whose meaning is not read: state the condition on a row (satisfies), or count (custom_sql)"


def measure_of(expression: str, where: str | None) -> Measure | None:
    """The measure that exporters write as this aggregate of SQL; None where it is none of theirs."""
    if (share := _SHARE.fullmatch(expression)) is not None:
        return of.compliance(share.group(1), where=where)
    for metric in (*CATALOGUE, *BESIDE):
        if metric.sql and "{column}" in metric.sql:
            before, *parts = (re.escape(part) for part in metric.sql.split("{column}"))
            again = "".join(f"(?P=column){part}" for part in parts[1:])
            if (found := re.fullmatch(f"{before}(?P<column>`(?:[^`]|``)+`|[A-Za-z_]\\w*){parts[0]}{again}", expression)) is not None:
                column = found["column"]
                return Measure.of(metric.name, column[1:-1].replace("``", "`") if column[0] == "`" else column, where)
        elif metric.sql and metric.sql == expression:
            return Measure(metric.name, (), where)
    return None


def aggregate_of(measure: Measure) -> str | None:
    """What exporters write as this aggregate of SQL, of all rows; None where they write none."""
    declared = next((metric for metric in EVERY if metric.name == measure.name and metric.sql), None)
    if declared is None or measure.parameters or len(measure.columns) > 1:
        return None
    return declared.sql.format(column=quoted(measure.columns[0]) if measure.columns else "")


def check_of_query(query: str, bounds: dict[str, Any], threshold: dict[str, Any]) -> list[Check]:
    """Of a query that gives one number (with bounds) or the rows that are right (with a threshold on their share, all unless said)."""
    if bounds:
        measure = measure_of_query(query)
        return [c.custom_sql(of_batch(query), **bounds) if measure.parameter("statement") else check_of_measure(measure, bounds)]
    rows = _ROWS.fullmatch(query)
    if rows is None or _NOT_OF_ROWS.search(rows.group(1)):
        raise UnreadError(_REASON)
    if not threshold or set(threshold) == {"at_least"}:
        return [c.satisfies(rows.group(1), **threshold)]
    return [c.has(of.compliance(rows.group(1)), **threshold)]


def measure_of_query(query: str) -> Measure:
    """The measure that our exporters write as this query; of another the query itself."""
    found = _QUERY.fullmatch(query)
    return (measure_of(*found.groups()) if found is not None else None) or of.custom_sql(of_batch(query))


def repeated(columns: Sequence[str], where: str | None, *, nulls: bool = False) -> str:
    """A query of how many combinations of the columns come more than once; with `nulls` those with a null, too."""
    asked = [f"({where})"] if where else []
    asked += [] if nulls else [f"{quoted(column)} IS NOT NULL" for column in columns]
    some = f" WHERE {' AND '.join(asked)}" if asked else ""
    return f"SELECT count(*) FROM (SELECT 1 FROM batch{some} GROUP BY {', '.join(map(quoted, columns))} HAVING count(*) > 1)"


def of_batch(query: str) -> str:
    """A query of Glue's or Deequ's `primary` as one of the batch."""
    return re.sub(r"\bprimary\b", "batch", query)


def check_of_measure(measure: Measure, bounds: dict[str, Any], **manner: Any) -> Check:
    """A bounded measure; of a condition on rows that condition, where its share is bounded from below alone."""
    condition = measure.parameter("predicate")
    if condition is not None and set(bounds) == {"at_least"}:
        return c.satisfies(condition, where=measure.where, at_least=float(bounds["at_least"]), **manner)
    return c.has(measure, **bounds, **manner)
