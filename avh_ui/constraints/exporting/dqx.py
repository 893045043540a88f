"""A program as checks of Databricks Labs DQX (databrickslabs.github.io/dqx), YAML: aggregates over the whole batch."""

from __future__ import annotations

from typing import Any

import yaml

from avh_ui.constraints.exporting.clauses import (
    NOTES,
    Clause,
    Exported,
    InexpressibleError,
    NotExported,
    clauses,
    decimal,
    document,
    nameable,
    sql,
)
from avh_ui.constraints.program import Program
from avh_ui.constraints.sql_text import backticked

_NOTES = (*NOTES, "DQX lets types of one family stand for one another (int for double), avh does not.")
_CRITICALITY = {"error": "error", "warning": "warn"}


def export(program: Program) -> Exported:
    """A list of checks, one per bound; metrics that are quotients or differences of two aggregates cannot be said."""
    written, left_out = clauses(program, _checks)
    checks = [check for pair in written for check in pair]
    if program.schema.level != "off":
        columns = ", ".join(f"{backticked(c.name)} {c.type}" for c in program.schema.table)
        arguments: dict[str, Any] = {"expected_schema": columns, "strict": False}
        if not all(nameable(c.name) for c in program.schema.table):  # which DQX would select unquoted
            arguments["columns"] = [backticked(c.name) for c in program.schema.table]
        rule = {"function": "has_valid_schema", "arguments": arguments}
        checks.append({"criticality": _CRITICALITY[program.schema.level], "check": rule})
        left_out.append(NotExported("columns that are new", "a strict schema of DQX would refuse another order, too"))
    body = yaml.safe_dump(checks, sort_keys=False, width=1_000)
    return document(program, body, left_out, _NOTES)


def _checks(clause: Clause) -> list[dict[str, Any]]:
    column, aggregate = aggregate_of(clause)
    clause.closed()
    rows = {} if clause.where is None else {"filter": clause.where}
    made = []
    for function, bound in (("is_aggr_not_less_than", clause.lower), ("is_aggr_not_greater_than", clause.upper)):
        if bound is not None:
            arguments = {"column": column, "aggr_type": aggregate, "limit": decimal(bound)}
            side = "lower" if function.endswith("less_than") else "upper"
            made.append(
                {
                    "criticality": _CRITICALITY[clause.constraint.level],
                    "name": f"avh_{clause.constraint.key}_{side}",
                    "check": {"function": function, "arguments": arguments},
                    **rows,
                    "user_metadata": {"avh": clause.name},
                }
            )
    return made


def aggregate_of(clause: Clause) -> tuple[str, str]:
    """What is aggregated (a column or an expression), and by which of DQX's aggregates."""
    column = backticked(clause.column or clause.constraint.column)
    if (form := clause.said("dqx")) is not None:
        aggregate, _, what = form.partition(" ")
        return what.format(column=column), aggregate
    written = sql(clause, column)
    if clause.declared is not None and clause.condition is None:
        raise InexpressibleError("DQX compares one aggregate of an expression, and this takes two or another")
    return written.removeprefix("AVG(").removesuffix(")"), "avg"
