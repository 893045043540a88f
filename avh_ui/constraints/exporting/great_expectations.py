"""A program as an expectation suite of Great Expectations 1.x (docs.greatexpectations.io), JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from avh_ui.constraints.exporting.clauses import NOTES, Clause, Exported, InexpressibleError, NotExported, clauses, decimal, nameable
from avh_ui.constraints.program import ColumnSchema, Program
from avh_ui.metrics.moments import MEAN

_NOTES = (
    *NOTES,
    "Severities are in the meta data alone.",
    "Empty texts are none of a pattern's business in avh; here they conform to it.",
)
# It quotes a name with a dot in some expectations and not in others, and no backtick in a name.
_UNNAMED = "it cannot quote the column's name on Spark"
_COMPOUND = "expect_compound_columns_to_be_unique"
# What it has to say of lengths is of every value's.
_LENGTHS = "expect_column_value_lengths_to_be_between"
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
    name = f"{program.pipeline}_version_{program.version}" if program.version else program.pipeline
    suite = {"name": name, "expectations": expectations, "meta": {"avh": meta}}
    return Exported(json.dumps(suite, indent=2, ensure_ascii=True) + "\n", tuple(left_out), _NOTES)


def _expectation(clause: Clause, small: bool) -> dict[str, Any]:
    constraint = clause.constraint
    if not clause.of_table and not all(map(nameable, constraint.measure.columns)):
        raise InexpressibleError(_UNNAMED)
    if constraint.outside:
        raise InexpressibleError("it has no expectation for what a number must not be")
    if constraint.metric == MEAN.name and small:
        raise InexpressibleError("it takes no mean of a column of small integers on Spark")
    meta = {"avh": {"id": constraint.key, "metric": constraint.metric, "severity": constraint.level}}
    rows = {} if clause.where is None else {"row_condition": clause.where, "condition_parser": "spark"}
    if clause.condition is not None:
        return {"type": "unexpected_rows_expectation", "kwargs": {"unexpected_rows_query": _unexpected(clause)}, "meta": meta}
    column = {"column": clause.column, **rows} if clause.column else rows
    if (types := constraint.measure.parameter("types")) is not None:
        return _of_types(clause, types, meta)
    if (form := clause.said("great-expectations")) is not None:
        if "{whole}" in form:
            return _of_all(clause, form, rows, meta)
        clause.filled(form, str)
        strict = {"strict_min": constraint.strict in ("lower", "both"), "strict_max": constraint.strict in ("upper", "both")}
        ends = {name: True for name, is_so in strict.items() if is_so}
        bounds = {name: decimal(bound) for name, bound in (("min_value", clause.lower), ("max_value", clause.upper)) if bound is not None}
        if form == _LENGTHS:
            _check_lengths(clause)
        return {"type": form, "kwargs": {**column, **bounds, **ends}, "meta": meta}
    regex = clause.pattern
    if clause.upper is None:
        raise InexpressibleError("its pattern has no bound")
    body = regex.removeprefix("^(?:").removesuffix(r")(?![\s\S])")
    kwargs = {**column, "regex": rf"^(?:|{body})(?![\s\S])", "mostly": decimal(1 - clause.upper)}
    return {"type": "expect_column_values_to_match_regex", "kwargs": kwargs, "meta": meta}


def _of_all(clause: Clause, form: str, rows: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    """An expectation that says by its name that all keep it, of one column or (unique) of several."""
    if not clause.of_all:
        raise InexpressibleError("it can say that all keep it, and no share")
    columns = [*clause.constraint.measure.columns, *([str(name)] if (name := clause.constraint.measure.parameter("column")) else [])]
    if len(columns) > 1:
        return {"type": _COMPOUND, "kwargs": {"column_list": columns, **rows}, "meta": meta}
    place = clause.constraint.measure.parameter("place")
    index = {} if place is None else {"column_index": place - 1}
    return {"type": form.removesuffix("{whole}"), "kwargs": {"column": columns[0], **index, **rows}, "meta": meta}


def _of_types(clause: Clause, types: Sequence[str], meta: dict[str, Any]) -> dict[str, Any]:
    """That a column has one of some types, where all of them have a single name there."""
    if not clause.of_all:
        raise InexpressibleError("it says that a column has a type, and not that it has none of some")
    if unknown := [name for name in types if name not in _TYPES]:
        raise InexpressibleError(f"{unknown[0]} has no single name there")
    column, named = clause.constraint.measure.parameter("column"), [_TYPES[name] for name in types]
    if not nameable(column):
        raise InexpressibleError(_UNNAMED)
    if len(named) == 1:
        return {"type": "expect_column_values_to_be_of_type", "kwargs": {"column": column, "type_": named[0]}, "meta": meta}
    return {"type": "expect_column_values_to_be_in_type_list", "kwargs": {"column": column, "type_list": named}, "meta": meta}


def _unexpected(clause: Clause) -> str:
    """The rows that do not keep a condition."""
    if not clause.of_all:
        raise InexpressibleError("it counts the rows that do not keep a condition in SQL, and knows no share of them")
    rows = "" if clause.where is None else f"({clause.where}) AND "
    return f"SELECT * FROM {{batch}} WHERE {rows}NOT coalesce(({clause.condition}), false)"


def _check_lengths(clause: Clause) -> None:
    """Of all lengths can be said that the shortest is no shorter, or the longest no longer, and no more."""
    open_side = {"least": clause.upper, "greatest": clause.lower}
    if clause.declared is None or open_side.get(clause.declared.extreme) is not None:
        raise InexpressibleError("it bounds an extreme length from within")


def _schema(program: Program) -> tuple[list[dict[str, Any]], list[NotExported]]:
    names = [c.name for c in program.schema.table]
    meta = {"avh": {"severity": program.schema.level}}
    found: list[dict[str, Any]] = []
    left_out = []
    if all(map(nameable, names)):
        found.append({"type": "expect_table_columns_to_match_set", "kwargs": {"column_set": names, "exact_match": True}, "meta": meta})
    else:
        left_out.append(NotExported("the set of the columns", f"{_UNNAMED}, of {next(name for name in names if not nameable(name))}"))
    for column in program.schema.table:
        if not nameable(column.name):
            left_out.append(NotExported(f"the type of {column.name}", _UNNAMED))
        elif column.type in _TYPES:
            found.append(_type(column, meta))
        else:
            left_out.append(NotExported(f"the type of {column.name}", f"{column.type} has no single name there"))
    return found, left_out


def _type(column: ColumnSchema, meta: dict[str, Any]) -> dict[str, Any]:
    kwargs = {"column": column.name, "type_": _TYPES[column.type]}
    return {"type": "expect_column_values_to_be_of_type", "kwargs": kwargs, "meta": meta}
