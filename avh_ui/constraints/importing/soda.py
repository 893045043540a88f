"""Checks of Soda as ours: SodaCL (`checks for TABLE:`) and data contracts (`columns:` with `checks:`) (docs.soda.io).

`missing` are nulls (and what is said to be missing), `invalid` what is there and not valid: null passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import soda_metrics as metrics
from avh_ui.constraints.importing import soda_tables as tables
from avh_ui.constraints.importing.imported import Found, Imported, UnreadError, chosen, from_yaml, object_of
from avh_ui.errors import ConstraintError

_FOR = re.compile(r"checks for (?P<table>[^\s\[]+)(?P<part>\s*\[.*\])?")
_SIGN = r"(?P<sign>!=|<>|>=|<=|=|>|<)\s*(?P<bound>\S+)|(?P<not>not\s+)?between\s+(?P<low>\S+)\s+and\s+(?P<high>\S+)"
# `missing_percent(a) < 5 %`, `row_count between 10 and 20`.
_LINE = re.compile(rf"(?P<metric>[a-z_]\w*)(?:\((?P<columns>[^)]*)\))?\s*(?:{_SIGN})?\s*%?\s*")
_OTHER = {
    "anomaly": "its bounds come from a model of Soda's own, which is not published: state a strategy (has_no_anomalies)",
    "distribution_difference": "it compares with a distribution of its own file; here with the batch before (js_div)",
    "distribution": "it compares with a distribution of its own file; here with the batch before (js_div)",
    "reconciliation": "it compares with a table of another source by metrics of both: state each (matches, has_row_count_of, custom_sql)",
    "group": "it is of each group of rows: state the groups' conditions by `where`",
    "for": "it is of many tables: name one",
}
# Of a contract: how a threshold is said.
_MUST = {
    "must_be": "=", "must_not_be": "!=", "must_be_greater_than": ">", "must_be_greater_than_or_equal_to": ">=",
    "must_be_greater_than_or_equal": ">=", "must_be_less_than": "<", "must_be_less_than_or_equal_to": "<=",
    "must_be_less_than_or_equal": "<=", "must_be_between": "between", "must_be_not_between": "not between",
}  # fmt: skip
_ABOUT = frozenset({"name", "title", "identity", "attributes", "qualifier", "type", "filter", "filter_sql", "samples limit", "threshold"})
_NO = {"no_missing_values": "missing_count", "no_duplicate_values": "duplicate_count", "no_invalid_values": "invalid_count"}


def read(text: str, table: str | None = None) -> Imported:
    """The checks of one table; `ConstraintError` where the document is none of Soda's, or it is unclear whose."""
    document = object_of(from_yaml(text, "Soda"), "The document")
    found = Found()
    if "columns" in document or "dataset" in document:
        for column, entry in _contract(document):
            found.add(_named(entry, column), partial(_of_contract, column, entry, document))
        return found.imported("Soda")
    sections: dict[str, list[Any]] = {}
    for key, entries in document.items():
        if (section := _FOR.fullmatch(str(key))) is not None:
            part = section["part"]
            sections.setdefault(section["table"], []).extend((part, entry) for entry in entries or ())
        elif not str(key).startswith(("configurations", "variables", "discover", "profile", "sample", "filter ")):
            found.leave(str(key), "it is no `checks for` a table")
    if not sections:
        raise ConstraintError("The document has no `checks for TABLE:`.", hint="Give SodaCL, or a data contract.")
    table = chosen(sections, table)
    for part, entry in sections[table]:
        name, settings = (
            (entry, {}) if isinstance(entry, str) else next(iter(entry.items())) if isinstance(entry, Mapping) else (str(entry), {})
        )
        if part:
            found.leave(str(name), f"it is of the part {part.strip()} of the table: state the part's condition by `where`")
            continue
        found.add(str(name), partial(_of_line, str(name), settings, found, table))
    return found.imported("Soda")


def _of_line(line: str, settings: Any, found: Found, table: str) -> list[Check]:
    if (word := re.split(r"[\s_]", line)[0]) in _OTHER and not line.startswith("values_"):
        raise UnreadError(_OTHER[word])
    if line.startswith(("schema", "failed rows")):
        return tables.schema(settings, found) if line.startswith("schema") else metrics.failed_rows(settings, table)
    if (made_of := tables.beside(line.strip())) is not None:
        return made_of
    if line.startswith("change same"):
        raise UnreadError("how many batches ago that was depends on the table's cadence: state the order (relative_rate_of_change)")
    changing = tables.CHANGE.fullmatch(line.strip())
    parsed = _LINE.fullmatch(changing["rest"] if changing else line.strip())
    if parsed is None:
        raise UnreadError("it is no check that is understood")
    given = dict(settings) if isinstance(settings, Mapping) else {}
    if f"{parsed['metric']} query" in given:
        given["table"] = table
    columns = [column.strip().strip('"`') for column in (parsed["columns"] or "").split(",") if column.strip()]
    levels = [(level, given.pop(level)) for level in ("fail", "warn") if level in given]
    thresholds = [(metrics.inverted(_when(str(when))), "error" if level == "fail" else "warning") for level, when in levels]
    made = []
    for threshold, level in thresholds or [(_threshold(parsed), "error")]:
        one = metrics.Line.of(parsed["metric"], columns, threshold, given, level)
        made += tables.change(changing, one) if changing else metrics.checks(one)
    return made


def _when(text: str) -> tuple[str, list[str]]:
    parsed = re.fullmatch(rf"\s*when\s+(?:{_SIGN})\s*%?\s*", text)
    if parsed is None:
        raise UnreadError(f"{text!r} is not understood")
    return _threshold(parsed)


def _threshold(parsed: re.Match[str]) -> tuple[str, list[str]]:
    if parsed["low"]:
        return f"{'not ' if parsed['not'] else ''}between", [parsed["low"], parsed["high"]]
    if parsed["sign"] is None:
        raise UnreadError("it says nothing of its number")
    return parsed["sign"].replace("<>", "!="), [parsed["bound"].rstrip("%")]


def _contract(document: Mapping[str, Any]) -> Iterator[tuple[str | None, Any]]:
    for entry in document.get("checks") or ():
        yield None, entry
    for column in document.get("columns") or ():
        name = str(object_of(column, "A column").get("name"))
        yield from ((name, entry) for entry in column.get("checks") or ())


def _metric(kind: str, given: Mapping[str, Any], settings: Mapping[str, Any], table: str) -> dict[str, Any]:
    """The settings of a metric of its own: an expression over the rows, or a query of the table."""
    rest = {name: value for name, value in settings.items() if name not in ("expression sql", "query sql")}
    for what in ("expression", "query"):
        if sql := given.get(what) or given.get(f"{what}_sql"):
            return {**rest, f"{kind} {what}": sql, "table": table}
    raise UnreadError("it says neither its expression nor its query")


def _named(entry: Any, column: str | None) -> str:
    kind, _ = _kind(entry)
    return f"{kind}{f' of {column}' if column else ''}"


def _kind(entry: Any) -> tuple[str, dict[str, Any]]:
    """The name and the settings of a contract's check, in either form: `type: x`, or `x:` with its settings."""
    if isinstance(entry, str):
        return entry, {}
    entry = object_of(entry, "A check")
    if "type" in entry:
        return str(entry["type"]), dict(entry)
    kind, settings = next(iter(entry.items()))
    return str(kind), {**{key: value for key, value in entry.items() if key != kind}, **(settings or {})}


def _of_contract(column: str | None, entry: Any, document: Mapping[str, Any]) -> list[Check]:
    kind, given = _kind(entry)
    if kind == "schema":
        return tables.contract_schema(given, document.get("columns") or [])
    threshold = {**given, **(given.get("threshold") or {})}
    percent = threshold.pop("metric", "") == "percent"
    musts = [(sign, threshold[key]) for key, sign in _MUST.items() if key in threshold]
    settings = {key.replace("_", " "): value for key, value in given.items() if key not in _ABOUT and key not in _MUST}
    for key in ("metric", "unit", "function", "column", "expression", "query", "level"):
        settings.pop(key, None)
    if sql := given.get("filter") or given.get("filter_sql"):
        settings["filter"] = sql
    table = str(document.get("dataset", ""))
    if kind in ("failed_rows", "failed rows"):
        return metrics.failed_rows({"fail condition": given.get("expression"), "query": given.get("query"), **settings}, table)
    if kind.startswith("metric"):
        settings = _metric(kind, given, settings, table)
    if kind.startswith("freshness_in_"):
        kind, threshold = "freshness", {**threshold, "unit": kind.removeprefix("freshness_in_")}
    kind = _NO.get(kind, {"missing": "missing_count", "invalid": "invalid_count", "duplicate": "duplicate_count"}.get(kind, kind))
    kind = str(given.get("function")) if kind == "aggregate" else kind
    kind = kind.replace("_count", "_percent") if percent else kind
    columns = [str(given.get("column") or column)] if given.get("column") or column else []
    columns = [str(name) for name in given.get("columns") or columns]
    settings.pop("columns", None)
    level = "warning" if str(threshold.get("level")) in ("warn", "warning") else "error"
    if not musts and kind.partition("_")[2] in ("count", "percent") and kind != "row_count":
        musts = [("=", 0)]
    if len(musts) != 1:
        raise UnreadError("it has no threshold" if not musts else "it has several thresholds")
    operator, value = musts[0]
    operands = [str(one) for one in value] if isinstance(value, list) else [str(value)]
    if kind == "freshness":
        operands = [f"{operand}{str(threshold.get('unit', 'hour'))[0]}" for operand in operands]
    return metrics.checks(metrics.Line.of(kind, columns, (operator, operands), settings, level))
