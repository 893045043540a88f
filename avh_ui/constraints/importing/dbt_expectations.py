"""The tests of dbt_expectations as checks. Most are expectations of Great Expectations and read as these are; the others are dbt's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import dbt_tables, great_expectations
from avh_ui.constraints.importing.dbt_arguments import as_many, in_range, named, recent, together
from avh_ui.constraints.importing.imported import FoundRules, UnreadError
from avh_ui.constraints.sql_text import quoted
from avh_ui.metrics import analyzers as of

_BOTH = "it compares a number of both tables: state one query of them (custom_sql)"
_SPREAD = "it compares each value with the mean of all"
_SERIES = "it asks for rows of every day (or hour) between two: state a query (custom_sql)"
CANNOT = {
    "expect_table_column_count_to_equal_other_table": "it counts those of two tables: say how many (has_column_count)",
    "expect_table_columns_to_match_other_table": "say how much of the schema is the same (has_schema_of)",
    "equal_expression": _BOTH,
    "expect_column_values_to_be_within_n_stdevs": _SPREAD,
    "expect_column_values_to_be_within_n_moving_stdevs": _SPREAD,
    "expect_row_values_to_have_data_for_every_n_datepart": _SERIES,
    "expect_grouped_row_values_to_have_recent_data": "its newest rows are those of each group: state a query (custom_sql)",
}
_COLUMN = re.compile(r"column(_[AB])?|column_name")


def checks_of(name: str, column: str | None, arguments: Mapping[str, Any], manner: dict[str, Any], found: FoundRules) -> list[Check]:
    """The checks of a test, whose `manner` has its level and `where`; `UnreadError` where it cannot be said."""
    if name in CANNOT:
        raise UnreadError(CANNOT[name])
    given = dict(arguments)
    column = column or given.pop("column_name", None)
    for key in ("quote_values", "quote_columns", "is_raw", "display_inconsistent_columns"):
        given.pop(key, None)
    if name in _READERS:
        made = _READERS[name](column or "", given, manner)
        if given:
            raise UnreadError(f"its setting {min(given)!r} is not understood")
        return made
    if name not in great_expectations.EXPECTATIONS and _as_there(name) not in great_expectations.EXPECTATIONS:
        raise UnreadError(great_expectations.unknown(name, (*_READERS, *CANNOT)))
    return _expectation(name, column, given, manner, found)


def _expectation(name: str, column: str | None, given: dict[str, Any], manner: dict[str, Any], found: FoundRules) -> list[Check]:
    """As Great Expectations has it."""
    given = _as_said_there(name, given)
    where = together(given.pop("row_condition", None), manner.get("where"))
    kwargs = {**({"column": column} if column else {}), **given}
    if where is not None:
        kwargs |= {"row_condition": where, "condition_parser": "spark"}
    return great_expectations.checks_of(_as_there(name), {"kwargs": kwargs, "severity": manner.get("level", "critical")}, found)


def _as_said_there(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """A test's settings by the names that Great Expectations has for them."""
    if flags := str(given.pop("flags", None) or ""):
        if set(flags) - set("ims") or not isinstance(given.get("regex"), str):
            raise UnreadError("flags of a pattern are written in the pattern here, such as (?i)")
        given["regex"] = f"(?{flags}){given['regex']}"
    found: dict[str, Any] = {key: named(value) if _COLUMN.fullmatch(key) else value for key, value in given.items()}
    if "column_list" in found:
        found["column_list"] = [named(one) for one in found["column_list"]]
    if found.pop("strictly", False):
        found |= {"strict_min": True, "strict_max": True}
    if name.startswith("expect_table_columns") or name == "expect_column_to_exist":
        found.pop("transform", None)  # Names are compared in any case.
    if "column_index" in found:
        found["column_index"] -= 1  # counted from 1 by dbt_expectations, from 0 by Great Expectations
    if "quantile" in found and "quantile_ranges" not in found:
        ends = [found.pop("min_value", None), found.pop("max_value", None)]
        found["quantile_ranges"] = {"quantiles": [found.pop("quantile")], "value_ranges": [ends]}
    if "unique_value_count" in _as_there(name) and "value" in found:
        found |= dict.fromkeys(("min_value", "max_value"), found.pop("value"))
    return {{"column_type_list": "type_list", "column_type": "type_"}.get(key, key): value for key, value in found.items()}


def _as_there(name: str) -> str:
    return name.lower().replace("distinct_count_to_equal", "unique_value_count_to_be_between")


def _between(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    manner["where"] = together(given.pop("row_condition", None), manner.get("where"))
    return in_range(
        column, given.pop("min_value", None), given.pop("max_value", None), strict=bool(given.pop("strictly", False)), manner=manner
    )


def _recent(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    manner["where"] = together(given.pop("row_condition", None), manner.get("where"))
    return recent(column, given, manner)


def _not_there(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    manner.pop("where")
    given.pop("transform", None)
    return [c.has(of.column_exists(name), exactly=0, **manner) for name in given.pop("column_list")]


def _contains(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    manner.pop("where")
    given.pop("transform", None)
    return [c.has_column(name, **manner) for name in given.pop("column_list")]


def _distinct(bound: str) -> Callable[[str, dict[str, Any], dict[str, Any]], list[Check]]:
    def read(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
        where = together(given.pop("row_condition", None), manner.pop("where"))
        limit: dict[str, Any] = {bound: given.pop("value")}
        return [c.has(of.count_distinct(column, where=where), **limit, **manner)]

    return read


def _casing(column: str, _: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    some = f" WHERE {where}" if (where := manner.pop("where")) is not None else ""
    name = quoted(column)
    return [c.custom_sql(f"SELECT count(DISTINCT {name}) - count(DISTINCT lower({name})) FROM batch{some}", exactly=0, **manner)]


def _sum_of_columns(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    """The sums of the columns over all rows, together; Great Expectations sums up each row."""
    where = together(given.pop("row_condition", None), manner.pop("where"))
    sums = " + ".join(f"sum({quoted(named(one))})" for one in given.pop("column_list"))
    return [c.custom_sql(f"SELECT {sums} FROM batch{f' WHERE {where}' if where else ''}", exactly=given.pop("sum_total"), **manner)]


_READERS: dict[str, Callable[[str, dict[str, Any], dict[str, Any]], list[Check]]] = {
    "expect_column_values_to_be_between": _between, "expect_row_values_to_have_recent_data": _recent,
    "expect_table_columns_to_not_contain_set": _not_there, "expect_table_columns_to_contain_set": _contains,
    "expect_table_row_count_to_equal_other_table": as_many, "expect_table_row_count_to_equal_other_table_times_factor": as_many,
    "expect_column_distinct_count_to_be_greater_than": _distinct("above"),
    "expect_column_distinct_count_to_be_less_than": _distinct("below"), "expect_column_values_to_have_consistent_casing": _casing,
    "expect_multicolumn_sum_to_equal": _sum_of_columns, "expect_column_values_to_be_increasing": dbt_tables.rising(">"),
    "expect_column_values_to_be_decreasing": dbt_tables.rising("<"),
    "expect_column_distinct_count_to_equal_other_table": dbt_tables.same_number(dbt_tables.distinct),
    "expect_table_aggregation_to_equal_other_table": dbt_tables.same_number(dbt_tables.expression),
}  # fmt: skip
