"""Data contracts of Soda as checks: of version 3 (`type: missing_count`) and of version 4 (`missing:`), by docs.soda.io.

A contract of version 3 looks at its columns whether it says so or not, and counts repeated values. One of version 4 looks at them where it
has a `schema` check, and counts by how many rows there are more than values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import soda_metrics as metrics
from avh_ui.constraints.importing import soda_tables as tables
from avh_ui.constraints.importing.declared_columns import declared
from avh_ui.constraints.importing.imported import FoundRules, UnreadError, object_of
from avh_ui.constraints.importing.soda_line import Line, limits, manner_of

# The ends of a range by their names, in square brackets those that belong to it, and how a threshold is said.
_LOWER = {"greater_than_or_equal": "[", "greater_than": "("}
_UPPER = {"less_than_or_equal": "]", "less_than": ")"}
_MUST = {
    "must_be": "=", "must_not_be": "!=", "must_be_greater_than": ">", "must_be_greater_than_or_equal_to": ">=",
    "must_be_greater_than_or_equal": ">=", "must_be_less_than": "<", "must_be_less_than_or_equal_to": "<=",
    "must_be_less_than_or_equal": "<=", "must_be_between": "between", "must_be_not_between": "not between",
}  # fmt: skip
_ABOUT = frozenset({"name", "title", "identity", "attributes", "qualifier", "type", "filter", "filter_sql", "samples limit", "threshold"})
_NO = {
    "rows_exist": "row_count", "no_missing_values": "missing_count", "no_duplicate_values": "duplicate_count",
    "no_invalid_values": "invalid_count", "missing": "missing_count", "invalid": "invalid_count", "duplicate": "surplus_count",
    "multiple_column_duplicate": "surplus_count", "failed_rows_query": "failed_rows", "failed_rows_sql_query": "failed_rows",
}  # fmt: skip
# What the first contracts said of a column itself, as the checks that it stands for.
_OF_COLUMN = {"not_null": "no_missing_values", "unique": "no_duplicate_values"}
# Checks that what is said of a column's values is for.
_OF_VALUES = frozenset({
    "missing", "invalid", "duplicate", "aggregate", "no_missing_values", "no_invalid_values", "missing_count", "missing_percent",
    "invalid_count", "invalid_percent", "valid_count", "valid_percent",
})  # fmt: skip
_UNIT = {"minute": "m", "hour": "h", "day": "d"}
_ABOUT_VALUES = re.compile(r"(missing|valid|invalid)_")


def read(document: Mapping[str, Any], found: FoundRules) -> None:
    """Finds the checks of a contract."""
    if document.get("filter") or document.get("filter_sql"):
        found.note("The filter of the contract chooses the rows of a scan; here all rows of a batch are looked at.")
    entries = list(_entries(document, found))
    kinds = [_kind(entry)[0] for _, entry, _ in entries]
    columns = document.get("columns") or []
    if "schema" not in kinds and columns:
        if _is_third(document, [entry for _, entry, _ in entries]):
            found.add("the columns of the contract", partial(declared, columns, found))
        else:
            found.note("The contract has no `schema` check: that its columns are there is not asked for.")
    for column, entry, of_column in entries:
        found.add(_named(entry, column), partial(_checks, column, entry, of_column, document))


def _is_third(document: Mapping[str, Any], entries: list[Any]) -> bool:
    """Whether a contract is of version 3: its checks have a `type`, or it has none and its dataset is no path."""
    if not entries:
        return "/" not in str(document.get("dataset", ""))
    return any(isinstance(entry, Mapping) and "type" in entry for entry in entries)


def _entries(document: Mapping[str, Any], found: FoundRules) -> Iterator[tuple[str | None, Any, dict[str, Any]]]:
    """Each check with its column, and what is said of missing and valid values of that column for all its checks."""
    for entry in document.get("checks") or ():
        yield None, entry, {}
    for column in document.get("columns") or ():
        name = str(object_of(column, "A column").get("name"))
        said = {str(key): value for key, value in column.items() if _ABOUT_VALUES.match(str(key))}
        checks = [*(column.get("checks") or ()), *({"type": kind} for key, kind in _OF_COLUMN.items() if column.get(key) is True)]
        if isinstance(other := column.get("reference"), Mapping):
            reference = {"dataset": other.get("dataset"), "column": other.get("column")}
            checks.append({"type": "invalid_count", "valid_reference_data": reference})
        if said and not checks:
            found.leave(f"{', '.join(said)} of {name}", "it says what is valid, and no check of the column asks for it")
        yield from ((name, entry, said) for entry in checks)


def _kind(entry: Any) -> tuple[str, dict[str, Any]]:
    """The name and the settings of a check, in either form: `type: x`, or `x:` with its settings."""
    if isinstance(entry, str):
        return entry, {}
    entry = object_of(entry, "A check")
    if "type" in entry:
        return str(entry["type"]), dict(entry)
    kind, settings = next(iter(entry.items()))
    return str(kind), {**{key: value for key, value in entry.items() if key != kind}, **(settings or {})}


def _named(entry: Any, column: str | None) -> str:
    kind, _ = _kind(entry)
    return f"{kind}{f' of {column}' if column else ''}"


def _checks(column: str | None, entry: Any, of_column: Mapping[str, Any], document: Mapping[str, Any]) -> list[Check]:
    kind, given = _kind(entry)
    if "${" in str(given):
        raise UnreadError("it holds a variable, which Soda fills in when it runs")
    if kind == "schema":
        return tables.contract_schema(given, document.get("columns") or [])
    threshold = {**given, **(given.get("threshold") or {})}
    percent = threshold.pop("metric", "") == "percent"
    musts = [_must(sign, threshold[key]) for key, sign in _MUST.items() if key in threshold]
    if len(musts) > 1:
        raise UnreadError("it has several thresholds")
    level = "warning" if str(threshold.get("level")) in ("warn", "warning") else "error"
    settings = _settings(kind, {**(of_column if kind in _OF_VALUES else {}), **given})
    table = str(document.get("dataset", ""))
    kind = _NO.get(kind, kind)
    if kind in ("failed_rows", "failed rows"):
        return _failed_rows(given, settings, table, musts, percent=percent, level=level)
    if kind.startswith("metric"):
        settings = _metric(kind, given, settings, table)
    if kind.startswith("freshness_in_"):
        kind, threshold = "freshness", {**threshold, "unit": kind.removeprefix("freshness_in_").removesuffix("s")}
    kind = str(given.get("function")) if kind == "aggregate" else kind
    kind = kind.replace("_count", "_percent") if percent else kind
    columns = [str(name) for name in given.get("columns") or [given.get("column") or column] if name]
    operator, operands = musts[0] if musts else _without_threshold(kind)
    if kind == "freshness":
        operands = [f"{operand}{_UNIT.get(str(threshold.get('unit', 'hour')), '?')}" for operand in operands]
    return metrics.checks(Line.of(kind, columns, (operator, operands), settings, level))


def _without_threshold(kind: str) -> tuple[str, list[str]]:
    """What must hold where nothing is said: there are rows, and nothing is wrong with any."""
    if kind == "row_count":
        return ">", ["0"]
    if kind.partition("_")[0] not in ("missing", "invalid", "duplicate", "surplus"):
        raise UnreadError("it has no threshold")
    return "=", ["0"]


def _failed_rows(
    given: Mapping[str, Any], settings: dict[str, Any], table: str, musts: list[tuple[str, list[str]]], *, percent: bool, level: str
) -> list[Check]:
    sql = {"fail condition": given.get("expression"), "query": given.get("query") or given.get("query_sql")}
    rest = {name: value for name, value in settings.items() if name not in ("expression sql", "query sql")}
    bounds = None
    if percent:
        if not given.get("expression"):
            raise UnreadError("it allows for a share of the rows of a query: state the condition on a row (satisfies, at_least)")
        line = Line.of("", [], musts[0] if musts else ("=", ["0"]), rest, level)
        return metrics.share_of_failed(str(given["expression"]), line)
    if musts:
        bounds = limits(musts[0][0], [float(one) for one in musts[0][1]])
    return metrics.failed_rows({**sql, **rest}, table, bounds, **manner_of(level))


def _metric(kind: str, given: Mapping[str, Any], settings: Mapping[str, Any], table: str) -> dict[str, Any]:
    """The settings of a metric of its own: an expression over the rows, or a query of the table."""
    rest = {name: value for name, value in settings.items() if name not in ("expression sql", "query sql")}
    for what in ("expression", "query"):
        if sql := given.get(what) or given.get(f"{what}_sql"):
            return {**rest, f"{kind} {what}": sql, "table": table}
    raise UnreadError("it says neither its expression nor its query")


def _must(sign: str, value: Any) -> tuple[str, list[str]]:
    """A threshold with its numbers. Of two numbers the ends are allowed, also where it must not lie between them."""
    if not isinstance(value, Mapping):
        ends = "()" if sign == "not between" else ""
        return f"{sign}{ends}", [str(one) for one in value] if isinstance(value, list) else [str(value)]
    lower, upper = (next((end for end in value if end in ends), "") for ends in (_LOWER, _UPPER))
    if set(value) != {lower, upper}:
        raise UnreadError("a range has two ends, `greater_than` or `greater_than_or_equal` and `less_than` or `less_than_or_equal`")
    ends = _LOWER[lower] + _UPPER[upper]
    if sign == "between":
        return f"{sign}{ends.replace('[]', '')}", [str(value[lower]), str(value[upper])]
    # What it must be greater than lies above what it must be less than.
    if not value[lower] > value[upper]:
        raise UnreadError("of what must not be between, `greater_than` is the upper end, and no less than the other")
    ends = {"()": "", "[]": "()"}.get(ends, ends)
    return f"{sign}{ends}", [str(value[upper]), str(value[lower])]


def _settings(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a check says beside its threshold and its columns, by SodaCL's names; a missing value is told by what is said of these alone."""
    own = ("metric", "unit", "function", "column", "columns", "expression", "query", "level")
    settings = {str(key).replace("_", " "): value for key, value in given.items() if key not in (*_ABOUT, *_MUST, *own)}
    if name := given.get("name"):
        settings["name"] = name
    if sql := given.get("filter") or given.get("filter_sql"):
        settings["filter"] = sql
    if kind.startswith(("missing", "no_missing")):
        return {key: value for key, value in settings.items() if not key.startswith(("valid ", "invalid "))}
    return settings
