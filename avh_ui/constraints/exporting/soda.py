"""A program as checks of Soda's SodaCL (docs.soda.io/soda-cl), YAML."""

from __future__ import annotations

import re
from typing import Any

import yaml

from avh_ui.constraints.exporting.clauses import NOTES, Clause, Exported, InexpressibleError, NotExported, clauses, decimal, document, sql
from avh_ui.constraints.program import Program

_NOTES = (*NOTES, "Expressions are in the SQL of Spark.")
_INVERSE = {">=": "<", "<=": ">", ">": "<=", "<": ">=", "!=": "="}
# Others would have to be quoted, and how is the data source's business.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def export(program: Program) -> Exported:
    """`checks for` the pipeline; what SodaCL has no metric for is a user-defined one."""
    checks, left_out = clauses(program, _check)
    if program.schema.level != "off":
        columns = program.schema.table
        rule = {"when required column missing": [c.name for c in columns], "when wrong column type": {c.name: c.type for c in columns}}
        checks.append({"schema": {"fail" if program.schema.level == "error" else "warn": rule}})
        left_out.append(NotExported("columns that are new", "a schema check names what is forbidden, not what is allowed"))
    body = yaml.safe_dump({f"checks for {program.pipeline}": checks}, sort_keys=False, width=1_000)
    return document(program, body, left_out, _NOTES)


def _check(clause: Clause) -> dict[str, Any]:
    constraint = clause.constraint
    if not all(map(_PLAIN.fullmatch, constraint.measure.columns)) and not clause.of_table:
        raise InexpressibleError("how its column's name is quoted depends on the data source")
    if (column := constraint.measure.parameter("column")) is not None:
        return _of_column(clause, column)
    more: dict[str, Any] = {} if clause.where is None else {"filter": clause.where}
    if (form := clause.said("soda")) is not None:
        what = clause.filled(form, str)
        if "{whole}" in form:
            if constraint.level != "error":
                raise InexpressibleError("it fails, and this warns")
            return {what: {"name": clause.name, **more}}
    else:
        what = f"{constraint.metric}_of_{clause.column}" if clause.column else f"{constraint.metric}_{constraint.key}"
        more = {f"{what} expression": sql(clause, clause.column), **more}
    if constraint.level == "error":
        return {f"{what} {_within(clause)}": {"name": clause.name, **more}}
    return {what: {"name": clause.name, **more, "warn": f"when {_outside(clause)}"}}


def _of_column(clause: Clause, column: str) -> dict[str, Any]:
    """A rule about a column of the table itself, as a check of the schema."""
    measure, absent = clause.constraint.measure, clause.lower == clause.upper == 0
    place, types = measure.parameter("place"), measure.parameter("types") or ()
    if not (clause.of_all or (absent and place is None and not types)) or len(types) > 1:
        raise InexpressibleError("a schema check asks for a column, its place or its one type, or that it is not there")
    if types:
        rule: dict[str, Any] = {"when wrong column type": {column: types[0]}}
    elif place is not None:
        rule = {"when wrong column index": {column: place - 1}}
    else:
        rule = {f"when {'forbidden column present' if absent else 'required column missing'}": [column]}
    return {"schema": {"name": clause.name, "fail" if clause.constraint.level == "error" else "warn": rule}}


def _within(clause: Clause) -> str:
    if len(clause.sides) == 2:
        clause.closed()
        (_, low), (_, high) = clause.sides
        return f"between {decimal(low)} and {decimal(high)}"
    ((sign, bound),) = clause.sides
    return f"{sign} {decimal(bound)}"


def _outside(clause: Clause) -> str:
    if len(clause.sides) == 2:
        return f"not {_within(clause)}"
    ((sign, bound),) = clause.sides
    return f"{_INVERSE[sign]} {decimal(bound)}"
