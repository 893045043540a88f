"""A program as a data contract of the Open Data Contract Standard 3.1 (bitol.io), YAML."""

from __future__ import annotations

import re
from typing import Any

import yaml

from avh_ui.constraints.exporting.clauses import NOTES, Clause, Exported, clauses, decimal, document, sql
from avh_ui.constraints.program import ColumnSchema, Program
from avh_ui.constraints.sql_text import backticked

API = "v3.1.0"
_NOTES = (*NOTES, "Queries are in the SQL of Spark.")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPERATORS = {
    ">=": "mustBeGreaterOrEqualTo", "<=": "mustBeLessOrEqualTo", ">": "mustBeGreaterThan", "<": "mustBeLessThan", "!=": "mustNotBe",
}  # fmt: skip
_WHOLE = frozenset({"tinyint", "smallint", "int", "bigint"})


def export(program: Program) -> Exported:
    """A contract: the schema as properties, every bound as an SQL rule of its property (of the table for the number of rows)."""
    rules, left_out = clauses(program, lambda clause: (clause.column, _rules(clause)))
    by_column: dict[str, list[dict[str, Any]]] = {}
    for column, found in rules:
        by_column.setdefault(column, []).extend(found)
    names = [c.name for c in program.schema.table]
    properties = [_property(c, by_column.get(c.name, [])) for c in program.schema.table]
    properties += [{"name": name, "quality": found} for name, found in by_column.items() if name and name not in names]
    table: dict[str, Any] = {"name": program.pipeline, "logicalType": "object", "physicalType": "table", "properties": properties}
    if "" in by_column:
        table["quality"] = by_column[""]
    contract = {
        "apiVersion": API, "kind": "DataContract", "id": f"avh-{program.pipeline}-{program.sha256[:12] or program.version}",
        "name": program.pipeline, "version": f"{program.version}.0.0", "status": "active", "schema": [table],
    }  # fmt: skip
    body = yaml.safe_dump(contract, sort_keys=False, width=1_000)
    return document(program, body, left_out, _NOTES)


def _rules(clause: Clause) -> list[dict[str, Any]]:
    constraint = clause.constraint
    # A tool that fills in the property's name need not know how Spark quotes it; a result with a name can be read back by any.
    column = "{property}" if _PLAIN.fullmatch(clause.column) else backticked(clause.column)
    rows = "" if clause.where is None else f" WHERE ({clause.where})"
    rule = {
        "name": clause.name,
        "type": "sql",
        "query": f"SELECT {sql(clause, column)} AS observed FROM {{object}}{rows}",
        "dimension": clause.said("odcs") or "conformity",
        "severity": constraint.level,
    }
    return [{**rule, _OPERATORS[sign]: decimal(bound)} for sign, bound in clause.sides]


def _property(column: ColumnSchema, rules: list[dict[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {"name": column.name, "physicalType": column.type}
    if (logical := _logical(column)) is not None:
        made["logicalType"] = logical
    return {**made, "quality": rules} if rules else made


def _logical(column: ColumnSchema) -> str | None:
    if column.kind == "numeric":
        return "integer" if column.type in _WHOLE else "number"
    if column.kind == "temporal":
        return "date" if column.type == "date" else "timestamp" if column.type.startswith("timestamp") else None
    return column.kind if column.kind in ("string", "boolean") else None
