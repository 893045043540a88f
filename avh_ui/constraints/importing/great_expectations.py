"""Suites of Great Expectations as checks: the JSON of 0.x (`expectation_type`) and 1.x (`type`) (docs.greatexpectations.io).

What a `mostly` counts are the values that are there, so that a rule with one is of the rows with a value; without one null passes anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import great_expectations_rows as rows
from avh_ui.constraints.importing.great_expectations_rows import Expectation
from avh_ui.constraints.importing.imported import FoundRules, Imported, UnreadError, from_json, limits, object_of
from avh_ui.constraints.importing.own_sql import repeated
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.errors import ConstraintError, nearest
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.type_names import type_named

TOOL = "Great Expectations"
# Types by the names of Spark's classes, of pandas and of SQL that Spark has other names for.
_TYPES = {
    "bytetype": "tinyint", "shorttype": "smallint", "integertype": "int", "longtype": "bigint", "floattype": "float",
    "doubletype": "double",
    "stringtype": "string", "booleantype": "boolean", "datetype": "date", "timestamptype": "timestamp", "binarytype": "binary",
    "timestampntztype": "timestamp_ntz", "int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint", "float32": "float",
    "float64": "double", "datetime64[ns]": "timestamp_ntz", "datetime64": "timestamp_ntz", "text": "string", "double_precision": "double",
}  # fmt: skip
# Settings that change how a result is shown, not whether it holds.
_SHOWING = frozenset(
    {"result_format", "catch_exceptions", "include_config", "batch_id", "meta", "auto", "profiler_config", "condition_parser", "severity",
     "description", "notes", "id", "rendered_content", "allow_relative_error"}
)  # fmt: skip
# Numbers of a column that are bounded by min_value and max_value.
_NUMBERS: dict[str, Callable[..., Measure]] = {
    "expect_column_min_to_be_between": of.minimum, "expect_column_max_to_be_between": of.maximum,
    "expect_column_mean_to_be_between": of.mean, "expect_column_sum_to_be_between": of.sum_,
    "expect_column_stdev_to_be_between": of.standard_deviation, "expect_column_unique_value_count_to_be_between": of.count_distinct,
    "expect_column_proportion_of_unique_values_to_be_between": of.distinctness,
    "expect_column_proportion_of_non_null_values_to_be_between": of.completeness,
    "expect_column_median_to_be_between": lambda column, where=None: of.exact_quantile(column, 0.5, where=where),
}  # fmt: skip
# Names of releases before 0.13.
_FORMERLY = {
    "expect_column_pair_values_A_to_be_greater_than_B": "expect_column_pair_values_a_to_be_greater_than_b",
    "expect_multicolumn_values_to_be_unique": "expect_select_column_values_to_be_unique_within_record",
}
_OF_SUITE = "it compares with a distribution of the suite; here with the batch before (js_div)"
_CANNOT = {
    "expect_column_values_to_be_increasing": "rows have no order here",
    "expect_column_values_to_be_decreasing": "rows have no order here",
    "expect_column_values_to_be_json_parseable": "no check reads JSON",
    "expect_column_values_to_match_json_schema": "no check reads JSON",
    "expect_column_values_to_be_dateutil_parseable": "what dateutil understands is no expression: state a pattern (has_pattern)",
    "expect_column_kl_divergence_to_be_less_than": _OF_SUITE,
    "expect_column_chisquare_test_p_value_to_be_greater_than": _OF_SUITE,
    "expect_column_bootstrapped_ks_test_p_value_to_be_greater_than": _OF_SUITE,
    "expect_column_parameterized_distribution_ks_test_p_value_to_be_greater_than": _OF_SUITE,
    "expect_column_pair_cramers_phi_value_to_be_less_than": "no measure is Cramer's phi: mutual_information comes nearest",
    "expect_query_results_to_match_comparison": "it compares the results of two queries: state one query of one number (custom_sql)",
}


def read(text: str) -> Imported:
    """The rules of a suite; `ConstraintError` where it is none."""
    suite = object_of(from_json(text, TOOL), "The document")
    if not isinstance(suite.get("expectations"), list):
        raise ConstraintError("The document has no list `expectations`.", hint="Give the JSON of a suite.")
    found = FoundRules()
    for entry in suite["expectations"]:
        name = entry.get("type") or entry.get("expectation_type") if isinstance(entry, Mapping) else None
        if not isinstance(name, str):
            found.leave(str(entry), "it names no expectation")
            continue
        kwargs = entry.get("kwargs") or {}
        columns = [str(kwargs[key]) for key in ("column", "column_A", "column_B", "column_list", "column_set") if key in kwargs]
        found.add(f"{name} {', '.join(columns)}".strip(), partial(checks_of, name, entry, found))
    return found.imported(TOOL)


def unknown(name: str, more: Iterable[str] = ()) -> str:
    """What is said of an expectation that nobody knows; `more` are known beside those here."""
    return f"no such expectation is known. {nearest(name, (*EXPECTATIONS, *more))}".strip().rstrip(".")


def checks_of(name: str, entry: Mapping[str, Any], found: FoundRules) -> list[Check]:
    """The checks of one expectation; `UnreadError` where it cannot be said."""
    # 1.x writes the classes' names in some places.
    name = _FORMERLY.get(name, name if name.startswith(("expect_", "unexpected_")) else _snake(name))
    if name in _CANNOT:
        raise UnreadError(_CANNOT[name])
    if name not in _READERS and name not in _NUMBERS:
        raise UnreadError(unknown(name))
    expectation = Expectation.of(name, entry, found)
    made = _number(expectation, found) if name in _NUMBERS else _READERS[name](expectation)
    if strange := sorted(expectation.kwargs.keys() - expectation.asked - _SHOWING):
        raise UnreadError(f"its setting {strange[0]!r} is not understood")
    return made


def _number(e: Expectation, found: FoundRules) -> list[Check]:
    if e.name == "expect_column_stdev_to_be_between":
        found.note("A standard deviation of Great Expectations is that of a sample, which is a query here.")
        statement = f"SELECT stddev_samp({quoted(e.column)}) FROM batch{f' WHERE ({e.where})' if e.where else ''}"
        return [c.custom_sql(statement, says=f"sample standard deviation of {e.column}", **_limits(e), **e.manner)]
    return [c.has(_NUMBERS[e.name](e.column, where=e.where), **_limits(e), **e.manner)]


def _limits(e: Expectation) -> dict[str, Any]:
    low, high = (_moment(e.take(name)) for name in ("min_value", "max_value"))
    return limits(low, high, strict_lower=bool(e.take("strict_min")), strict_upper=bool(e.take("strict_max")))


def _moment(value: Any) -> Any:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _row_count(e: Expectation) -> list[Check]:
    given = {"exactly": e.take("value")} if "value" in e.kwargs else _limits(e)
    return [c.has(of.size(where=e.where), **given, **e.manner)]


def _column_count(e: Expectation) -> list[Check]:
    return [c.has_column_count(**({"exactly": e.take("value")} if "value" in e.kwargs else _limits(e)), **e.manner)]


def _columns(e: Expectation) -> list[Check]:
    names = e.take("column_set") or e.take("column_list")
    exact = e.take("exact_match") is not False
    places = range(1, len(names) + 1) if e.name.endswith("ordered_list") else [None] * len(names)
    there = [c.has_column(name, place=place, **e.manner) for name, place in zip(names, places, strict=True)]
    return [*there, *([c.has_column_count(exactly=len(names), **e.manner)] if exact else [])]


def _exists(e: Expectation) -> list[Check]:
    index = e.take("column_index")
    return [c.has_column(e.column, place=None if index is None else int(index) + 1, **e.manner)]


def _of_type(e: Expectation) -> list[Check]:
    wanted = e.take("type_list") or [e.take("type_")]
    types = {str(name): type_named(_TYPES.get(str(name).lower().removesuffix("()"), str(name))) for name in wanted}
    # A list names the types of several backends: those that Spark does not have are never found there.
    if not any(types.values()):
        raise UnreadError(f"{next(iter(types))!r} is no type that Spark has: say which is meant (has_column_type)")
    return [c.has_column_type(e.column, list(dict.fromkeys(known for known in types.values() if known)), **e.manner)]


def _as_many(e: Expectation) -> list[Check]:
    return [c.has_row_count_of(str(e.take("other_table_name")), exactly=1, **e.manner)]


def _complete(e: Expectation) -> list[Check]:
    return [c.is_complete(e.column, where=e.where, **e.least, **e.manner)]


def _null(e: Expectation) -> list[Check]:
    return [c.satisfies(f"{quoted(e.column)} IS NULL", says=f"{e.column} is null", where=e.where, **e.least, **e.manner)]


def _unique(e: Expectation) -> list[Check]:
    columns, where = e.take("column_list") or [e.column], e.where
    ignored = e.take("ignore_row_if") if len(columns) > 1 else None
    if ignored == "any_value_is_missing":
        there = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in columns)
        where = there if where is None else f"{there} AND ({where})"
    elif ignored == "never" and e.take("mostly") in (None, 1):
        says = f"no two rows have the same {', '.join(columns)}, null among them"
        return [c.custom_sql(repeated(columns, where, nulls=True), says=says, at_most=0, **e.manner)]
    elif ignored not in (None, "all_values_are_missing"):
        raise UnreadError(f"ignore_row_if {ignored!r} is not understood: rows where all columns are null are left out here")
    return [c.is_unique(columns, where=where, **e.least, **e.manner)]


def _in_set(e: Expectation) -> list[Check]:
    where = e.of_values if e.least else e.where
    return [c.is_contained_in(e.column, e.there, where=where, **e.least, **e.manner)]


def _has_values(e: Expectation) -> list[Check]:
    values = e.values
    name = quoted(e.column)
    tests = [f"{name} <=> {literal(value)}" if e.where is None else f"{name} <=> {literal(value)} AND ({e.where})" for value in values]
    there = [c.has(of.size(where=test), at_least=1, **e.manner) for test in tests]
    return there if e.name.endswith("contain_set") else [c.is_contained_in(e.column, values, where=e.where, **e.manner), *there]


def _between(e: Expectation) -> list[Check]:
    low, high = e.take("min_value"), e.take("max_value")
    strict: Any = {(True, True): "both", (True, False): "lower", (False, True): "upper"}.get(
        (bool(e.take("strict_min")), bool(e.take("strict_max"))), ""
    )
    where = e.of_values if e.least else e.where
    return [c.is_in_range(e.column, low, high, strict=strict, where=where, **e.least, **e.manner)]


def _z_scores(e: Expectation) -> list[Check]:
    """The share of the values that are less than so many sample standard deviations from the mean, on both sides unless said."""
    name, far = quoted(e.column), float(e.take("threshold"))
    score = "abs((v - m) / s)" if e.take("double_sided") is not False else "(v - m) / s"
    of_rows = f"WHERE {name} IS NOT NULL" + (f" AND ({e.where})" if e.where else "")
    scored = f"SELECT {name} AS v, avg({name}) OVER () AS m, stddev_samp({name}) OVER () AS s FROM batch {of_rows}"
    query = f"SELECT avg(CASE WHEN {score} < {literal(far)} THEN 1D ELSE 0D END) FROM ({scored})"
    says = f"share of {e.column} less than {far:g} standard deviations from the mean"
    return [c.custom_sql(query, says=says, at_least=e.least.get("at_least", 1), **e.manner)]


def _most_common(e: Expectation) -> list[Check]:
    """One most common value, which is one of some; with `ties_okay` one of several that are as common."""
    name, ties, some = quoted(e.column), bool(e.take("ties_okay")), f" AND ({e.where})" if e.where else ""
    listed = ", ".join(map(literal, e.values))
    counted = f"SELECT {name} AS v, count(*) AS n FROM batch WHERE {name} IS NOT NULL{some} GROUP BY {name}"
    most = f"SELECT v FROM ({counted}) WHERE n = (SELECT max(n) FROM ({counted}))"
    right = f"count(CASE WHEN v IN ({listed}) THEN 1 END)"
    value = f"{right} > 0" if ties else f"count(*) = 1 AND {right} = 1"
    says = f"whether the most common {e.column} is one of {', '.join(map(str, e.values))}"
    return [c.custom_sql(f"SELECT CASE WHEN {value} THEN 1 ELSE 0 END FROM ({most})", says=says, exactly=1, **e.manner)]


def _quantiles(e: Expectation) -> list[Check]:
    ranges = e.take("quantile_ranges")
    pairs = zip(ranges["quantiles"], ranges["value_ranges"], strict=True)
    return [c.has(of.approx_quantile(e.column, q, where=e.where), **limits(low, high), **e.manner) for q, (low, high) in pairs]


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


_READERS: dict[str, Callable[[Expectation], list[Check]]] = {
    "expect_table_row_count_to_be_between": _row_count, "expect_table_row_count_to_equal": _row_count,
    "expect_table_column_count_to_be_between": _column_count, "expect_table_column_count_to_equal": _column_count,
    "expect_table_columns_to_match_set": _columns, "expect_table_columns_to_match_ordered_list": _columns,
    "expect_column_values_to_be_of_type": _of_type, "expect_column_values_to_be_in_type_list": _of_type,
    "expect_table_row_count_to_equal_other_table": _as_many,
    "expect_column_to_exist": _exists, "expect_column_values_to_not_be_null": _complete, "expect_column_values_to_be_null": _null,
    "expect_column_values_to_be_unique": _unique, "expect_compound_columns_to_be_unique": _unique,
    "expect_column_values_to_be_in_set": _in_set, "expect_column_distinct_values_to_be_in_set": _in_set,
    "expect_column_distinct_values_to_contain_set": _has_values, "expect_column_distinct_values_to_equal_set": _has_values,
    "expect_column_values_to_be_between": _between, "expect_column_quantile_values_to_be_between": _quantiles,
    "expect_column_value_z_scores_to_be_less_than": _z_scores, "expect_column_most_common_value_to_be_in_set": _most_common,
    **rows.READERS,
}  # fmt: skip
EXPECTATIONS = (*_READERS, *_NUMBERS, *_CANNOT)
