"""Data tests of a dbt schema file (`schema.yml`) as checks: dbt's own four, and the common ones of dbt_utils and dbt_expectations.

A test of dbt counts the rows that break it, and a comparison with null breaks nothing: null passes, but for `not_null`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import great_expectations
from avh_ui.constraints.importing.imported import Found, Imported, UnreadError, chosen, from_yaml, limits, object_of
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.errors import ConstraintError, nearest
from avh_ui.metrics import analyzers as of

# Settings of a test that say nothing of what must hold.
_ABOUT = frozenset(
    {"name", "description", "config", "tags", "meta", "severity", "where", "arguments", "store_failures", "limit", "enabled"}
)
_SECTIONS = ("models", "seeds", "snapshots", "sources")
_CANNOT = {
    "dbt_utils.equality": "it compares the distinct rows of two tables: match them by a key (matches)",
    "dbt_utils.cardinality_equality": "it counts the rows of each value in both tables: state one query of both (custom_sql)",
    "dbt_expectations.expect_table_column_count_to_equal_other_table": "it counts those of two tables: say how many (has_column_count)",
    "dbt_expectations.expect_table_columns_to_match_other_table": "say how much of the schema is the same (has_schema_of)",
    "dbt_expectations.expect_table_aggregation_to_equal_other_table": "state one query of both tables (custom_sql)",
    **dict.fromkeys(
        ("dbt_expectations.expect_column_values_to_be_within_n_stdevs",
         "dbt_expectations.expect_column_values_to_be_within_n_moving_stdevs"), "it compares each value with the mean of all",
    ),
    "dbt_utils.sequential_values": "rows have no order here",
    "dbt_utils.mutually_exclusive_ranges": "rows have no order here",
}  # fmt: skip
_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}


def read(text: str, table: str | None = None) -> Imported:
    """The tests of one model, seed, snapshot or source table; `ConstraintError` where the document is no schema file, or of several."""
    schema = object_of(from_yaml(text, "dbt"), "The document")
    if not any(section in schema for section in _SECTIONS):
        raise ConstraintError(f"The document has none of {', '.join(_SECTIONS)}.", hint="Give a schema file of dbt.")
    tables = _tables(schema)
    one = chosen(tables, table)
    found = Found()
    for node in tables[one]:
        for test in _tests(node):
            _add(test, None, found)
        for column in node.get("columns") or ():
            for test in _tests(column):
                _add(test, str(column["name"]), found)
    return found.imported("dbt")


def _tables(schema: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    nodes: list[Any] = [node for section in _SECTIONS[:3] for node in schema.get(section) or ()]
    nodes += [node for source in schema.get("sources") or () for node in object_of(source, "A source").get("tables") or ()]
    tables: dict[str, list[Mapping[str, Any]]] = {}
    for node in nodes:
        name = str(object_of(node, "A model").get("name"))
        tables.setdefault(name, []).append(node)
    return tables


def _tests(node: Mapping[str, Any]) -> list[Any]:
    return [*(node.get("tests") or ()), *(node.get("data_tests") or ())]


def _add(test: Any, column: str | None, found: Found) -> None:
    name, given = (test, {}) if isinstance(test, str) else next(iter(test.items())) if isinstance(test, Mapping) and test else ("", {})
    found.add(f"{name}{f' of {column}' if column else ''}", lambda: _checks(str(name), column, given or {}, found))


def _checks(name: str, column: str | None, given: Mapping[str, Any], found: Found) -> list[Check]:
    settings = {**given, **(given.get("arguments") or {})}
    config = {**{key: settings[key] for key in ("severity", "where", "enabled") if key in settings}, **(settings.get("config") or {})}
    if any("{{" in str(value) for key, value in (*settings.items(), *config.items()) if key not in ("to", "compare_model")):
        raise UnreadError("it holds Jinja, which dbt fills in when it runs")
    if config.get("enabled") is False:
        raise UnreadError("it is not enabled")
    if strange := sorted(config.keys() & {"error_if", "warn_if", "fail_calc"}):
        raise UnreadError(f"its {strange[0]} allows for a number of failing rows; here a share of rows may fail (at_least)")
    manner = {"level": "warning"} if str(config.get("severity", "error")).lower().startswith("warn") else {}
    where = config.get("where")
    name = name.removeprefix("dbt.")
    if name in _CANNOT:
        raise UnreadError(_CANNOT[name])
    arguments = {key: value for key, value in settings.items() if key not in _ABOUT}
    if name.startswith("dbt_expectations.") and name not in _READERS:
        return _expectation(name.partition(".")[2], column, arguments, where, manner, found)
    if name not in _READERS:
        raise UnreadError(f"no such test is known. {nearest(name, (*_READERS, *_CANNOT))}".strip().rstrip("."))
    asked = dict(arguments)
    made = _READERS[name](column or str(asked.pop("column_name", "")), asked, {"where": where, **manner})
    if asked:
        raise UnreadError(f"its setting {min(asked)!r} is not understood")
    return made


def _expectation(
    name: str, column: str | None, arguments: dict[str, Any], where: str | None, manner: dict[str, Any], found: Found
) -> list[Check]:
    given = dict(arguments)
    for key in ("quote_values", "is_raw"):
        given.pop(key, None)
    if given.pop("flags", None):
        raise UnreadError("flags of a pattern are written in the pattern here, such as (?i)")
    if given.pop("strictly", False):
        given |= {"strict_min": True, "strict_max": True}
    conditions = [f"({part})" for part in (given.pop("row_condition", None), where) if part]
    if name.startswith("expect_table_columns") or name == "expect_column_to_exist":
        given.pop("transform", None)  # Names are compared in any case.
    if "quantile" in given and "quantile_ranges" not in given:
        ends = [given.pop("min_value", None), given.pop("max_value", None)]
        given["quantile_ranges"] = {"quantiles": [given.pop("quantile")], "value_ranges": [ends]}
    if name.endswith("in_type_list") and "column_type_list" in given:
        given["type_list"] = given.pop("column_type_list")
    if name.endswith("of_type") and "column_type" in given:
        given["type_"] = given.pop("column_type")
    if name == "expect_row_values_to_have_recent_data":
        return _recent(column or "", given, {"where": " AND ".join(conditions) or None, **manner})
    name = name.lower().replace("distinct_count_to_equal", "unique_value_count_to_be_between")
    if "unique_value_count" in name and "value" in given:
        given |= dict.fromkeys(("min_value", "max_value"), given.pop("value"))
    kwargs = {**({"column": column} if column else {}), **given}
    if conditions:
        kwargs |= {"row_condition": " AND ".join(conditions), "condition_parser": "spark"}
    return great_expectations.checks_of(name, {"kwargs": kwargs, "severity": manner.get("level", "critical")}, found)


def _unique(column: str, _: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return [c.is_unique(column, **manner)]


def _not_null(column: str, _: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return [c.is_complete(column, **manner)]


def _accepted(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    values = given.pop("values")
    given.pop("quote", None)
    return [c.is_contained_in(column, values, **manner)]


def _relationships(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    if str(there := given.pop("to_condition", "1=1")).replace(" ", "") != "1=1":
        raise UnreadError(f"only those rows of the other table count where {there}: name a table of these")
    if (here := given.pop("from_condition", None)) is not None and str(here).replace(" ", "") != "1=1":
        manner["where"] = " AND ".join(f"({part})" for part in (here, manner.get("where")) if part)
    return [c.refers_to(column, _other(given.pop("to")), given.pop("field"), nulls=True, **manner)]


def _as_many(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return _rows(given, manner, exactly=1)


def _fewer(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return _rows(given, manner, below=1)


def _rows(given: dict[str, Any], manner: dict[str, Any], **bound: float) -> list[Check]:
    if manner.pop("where") is not None:
        raise UnreadError("all rows of both tables are counted here")
    limits: dict[str, Any] = bound
    if (factor := given.pop("factor", None)) not in (None, 1):
        limits = {name: value * factor for name, value in bound.items()}
    return [c.has_row_count_of(_other(given.pop("compare_model")), **limits, **manner)]


def _other(reference: Any) -> str:
    """The table that `ref('...')` or `source('...', '...')` names."""
    named = re.search(r"""["']([^"']+)["']\s*\)\s*(?:}})?\s*$""", str(reference))
    if named is None:
        raise UnreadError("the other table is named by ref('...') or source('...', '...')")
    return named[1]


def _not_accepted(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    values = given.pop("values")
    given.pop("quote", None)
    test = f"{quoted(column)} IS NULL OR {quoted(column)} NOT IN ({', '.join(map(literal, values))})"
    return [c.satisfies(test, says=f"{column} is none of {', '.join(map(str, values))}", **manner)]


def _expression(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    expression = f"{quoted(column)} {given.pop('expression')}" if column else str(given.pop("expression"))
    return [c.satisfies(f"coalesce(({expression}), true)", says=expression, **manner)]


def _range(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    inclusive = given.pop("inclusive", True)
    return [c.is_in_range(column, given.pop("min_value", None), given.pop("max_value", None), strict="" if inclusive else "both", **manner)]


def _combination(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    given.pop("quote_columns", None)
    return [c.is_unique(given.pop("combination_of_columns"), **manner)]


def _proportion(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    where = manner.pop("where")
    return [c.has(of.completeness(column, where=where), **limits(given.pop("at_least", None), given.pop("at_most", None)), **manner)]


def _not_constant(column: str, _: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return [c.has(of.count_distinct(column, where=manner.pop("where")), at_least=2, **manner)]


def _at_least_one(column: str, _: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return [c.has(of.completeness(column, where=manner.pop("where")), above=0, **manner)]


def _not_empty(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    value = f"trim({quoted(column)})" if given.pop("trim_whitespace", True) else quoted(column)
    return [c.satisfies(f"{quoted(column)} IS NULL OR {value} <> ''", says=f"{column} is not empty", **manner)]


def _recent(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    field, part, interval = given.pop("field", column), str(given.pop("datepart")), given.pop("interval")
    if part not in _SECONDS:
        raise UnreadError(f"a {part} has no fixed length")
    age = timedelta(seconds=_SECONDS[part] * interval)
    return [c.has(of.freshness(field, where=manner.pop("where")), at_most=age, **manner)]


def _not_there(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    manner.pop("where")
    given.pop("transform", None)
    return [c.has(of.column_exists(name), exactly=0, **manner) for name in given.pop("column_list")]


def _contains(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    manner.pop("where")
    given.pop("transform", None)
    return [c.has_column(name, **manner) for name in given.pop("column_list")]


_READERS: dict[str, Callable[[str, dict[str, Any], dict[str, Any]], list[Check]]] = {
    "unique": _unique, "not_null": _not_null, "accepted_values": _accepted,
    "relationships": _relationships, "dbt_utils.relationships_where": _relationships,
    "dbt_utils.equal_rowcount": _as_many, "dbt_utils.fewer_rows_than": _fewer,
    "dbt_utils.not_accepted_values": _not_accepted,
    "dbt_utils.expression_is_true": _expression, "dbt_utils.accepted_range": _range,
    "dbt_utils.unique_combination_of_columns": _combination, "dbt_utils.not_null_proportion": _proportion,
    "dbt_utils.not_constant": _not_constant, "dbt_utils.at_least_one": _at_least_one, "dbt_utils.not_empty_string": _not_empty,
    "dbt_utils.recency": _recent, "dbt_expectations.expect_table_columns_to_not_contain_set": _not_there,
    "dbt_expectations.expect_table_columns_to_contain_set": _contains,
    "dbt_expectations.expect_table_row_count_to_equal_other_table": _as_many,
}  # fmt: skip
