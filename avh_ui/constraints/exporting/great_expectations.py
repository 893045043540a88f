"""A program as an expectation suite of Great Expectations 1.x (docs.greatexpectations.io), JSON."""

from __future__ import annotations

import json
from typing import Any

from avh_ui.constraints.exporting.clauses import (
    PATTERNS,
    UNDEFINED,
    Clause,
    Exported,
    InexpressibleError,
    LeftOut,
    clauses,
    decimal,
    nameable,
)
from avh_ui.constraints.program import ColumnSchema, Program

_NOTES = (
    UNDEFINED,
    PATTERNS,
    "Severities are in the meta data alone.",
    "Empty texts are none of a pattern's business in avh; here they conform to it.",
)
# It quotes a name with a dot in some expectations and not in others, and no backtick in a name.
_UNNAMED = "it cannot quote the column's name on Spark"
_BETWEEN = {
    "row_count": "expect_table_row_count_to_be_between",
    "complete_ratio": "expect_column_proportion_of_non_null_values_to_be_between",
    "min": "expect_column_min_to_be_between",
    "max": "expect_column_max_to_be_between",
    "mean": "expect_column_mean_to_be_between",
    "median": "expect_column_median_to_be_between",
    "sum": "expect_column_sum_to_be_between",
    "unique_ratio": "expect_column_proportion_of_unique_values_to_be_between",
    "dist_val_count": "expect_column_unique_value_count_to_be_between",
}
_TYPES = {
    "tinyint": "ByteType", "smallint": "ShortType", "int": "IntegerType", "bigint": "LongType", "float": "FloatType",
    "double": "DoubleType", "string": "StringType", "boolean": "BooleanType", "date": "DateType", "timestamp": "TimestampType",
    "binary": "BinaryType",
}  # fmt: skip


def export(program: Program) -> Exported:
    """A suite whose `meta` says where it is from and what it leaves out. Types are those of Spark."""
    small = {c.name for c in program.schema.table if c.type in ("tinyint", "smallint")}
    expectations, left_out = clauses(program, lambda clause: _expectation(clause, clause.constraint.column in small))
    if program.schema.level != "off":
        found, without = _schema(program)
        expectations += found
        left_out += without
    meta = {
        "pipeline": program.pipeline, "version": program.version, "sha256": program.sha256, "published": program.created_at,
        "author": program.author, "notes": list(_NOTES), "left_out": [str(one) for one in left_out],
    }  # fmt: skip
    suite = {"name": f"{program.pipeline}_version_{program.version}", "expectations": expectations, "meta": {"avh": meta}}
    return Exported(json.dumps(suite, indent=2, ensure_ascii=True) + "\n", tuple(left_out), _NOTES)


def _expectation(clause: Clause, small: bool) -> dict[str, Any]:
    constraint = clause.constraint
    if constraint.metric != "row_count" and not nameable(constraint.column):
        raise InexpressibleError(_UNNAMED)
    if constraint.metric == "mean" and small:
        raise InexpressibleError("it takes no mean of a column of small integers on Spark")
    meta = {"avh": {"id": constraint.key, "metric": constraint.metric, "severity": constraint.level}}
    column = {} if constraint.metric == "row_count" else {"column": constraint.column}
    if constraint.metric in _BETWEEN:
        bounds = {name: decimal(bound) for name, bound in (("min_value", clause.lower), ("max_value", clause.upper)) if bound is not None}
        return {"type": _BETWEEN[constraint.metric], "kwargs": {**column, **bounds}, "meta": meta}
    if constraint.metric in ("min_length", "max_length"):
        return {"type": "expect_column_value_lengths_to_be_between", "kwargs": {**column, **_lengths(clause)}, "meta": meta}
    if constraint.metric == "standard_deviation":
        raise InexpressibleError("its deviation is that of a sample, avh's that of all values")
    regex = clause.pattern
    if clause.upper is None:
        raise InexpressibleError("its pattern has no bound")
    body = regex.removeprefix("^(?:").removesuffix(r")(?![\s\S])")
    kwargs = {**column, "regex": rf"^(?:|{body})(?![\s\S])", "mostly": decimal(1 - clause.upper)}
    return {"type": "expect_column_values_to_match_regex", "kwargs": kwargs, "meta": meta}


def _lengths(clause: Clause) -> dict[str, Any]:
    """What every length must be: the shortest no shorter, or the longest no longer; no more can be said of them."""
    if clause.constraint.metric == "min_length" and clause.lower is not None and clause.upper is None:
        return {"min_value": decimal(clause.lower)}
    if clause.constraint.metric == "max_length" and clause.upper is not None and clause.lower is None:
        return {"max_value": decimal(clause.upper)}
    raise InexpressibleError("it bounds an extreme length from within")


def _schema(program: Program) -> tuple[list[dict[str, Any]], list[LeftOut]]:
    names = [c.name for c in program.schema.table]
    meta = {"avh": {"severity": program.schema.level}}
    found: list[dict[str, Any]] = []
    left_out = []
    if all(map(nameable, names)):
        found.append({"type": "expect_table_columns_to_match_set", "kwargs": {"column_set": names, "exact_match": True}, "meta": meta})
    else:
        left_out.append(LeftOut("the set of the columns", f"{_UNNAMED}, of {next(name for name in names if not nameable(name))}"))
    for column in program.schema.table:
        if not nameable(column.name):
            left_out.append(LeftOut(f"the type of {column.name}", _UNNAMED))
        elif column.type in _TYPES:
            found.append(_type(column, meta))
        else:
            left_out.append(LeftOut(f"the type of {column.name}", f"{column.type} has no single name there"))
    return found, left_out


def _type(column: ColumnSchema, meta: dict[str, Any]) -> dict[str, Any]:
    kwargs = {"column": column.name, "type_": _TYPES[column.type]}
    return {"type": "expect_column_values_to_be_of_type", "kwargs": kwargs, "meta": meta}
