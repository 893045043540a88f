"""Checks of Soda as ours: SodaCL (`checks for TABLE:`) and data contracts (`columns:` with `checks:`) (docs.soda.io).

`missing` are nulls (and what is said to be missing), `invalid` what is there and not valid: null passes. A regular expression is found
anywhere in the text, as Soda has it on Spark and on most databases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import soda_metrics as metrics
from avh_ui.constraints.importing import soda_tables as tables
from avh_ui.constraints.importing.imported import FoundRules, Imported, UnreadError, chosen, from_yaml, object_of
from avh_ui.constraints.importing.soda_line import Line, inverted, limits
from avh_ui.errors import ConstraintError

_FOR = re.compile(r"checks for (?P<table>[^\s\[]+)(?P<part>\s*\[.*\])?")
# A bound in square brackets belongs to its range.
_RANGE = r"(?P<open>[\[(]?)\s*(?P<low>[^\s\[(]+)\s+and\s+(?P<high>[^\s\])]+)\s*(?P<close>[\])]?)"
_SIGN = r"(?P<sign>!=|<>|>=|<=|=|>|<)\s*(?P<bound>\S+)|(?P<not>not\s+)?between\s+" + _RANGE
# `missing_percent(a) < 5 %`, `row_count between 10 and 20`.
_LINE = re.compile(rf"(?P<metric>[a-z_]\w*)(?:\((?P<columns>[^)]*)\))?\s*(?:{_SIGN})?\s*%?\s*")
# The rows of a part: `filter TABLE [part]:`; and checks that are of several tables by name, with `%` for any characters.
_FILTER = re.compile(r"filter (?P<table>[^\s\[]+)(?P<part>\s*\[.*\])")
_EACH = re.compile(r"for each (?:dataset|table) \S+")
_OTHER = {
    "anomaly": "its bounds come from a model of Soda's own, which is not published: state a strategy (has_no_anomalies)",
    "distribution_difference": "it compares with a distribution of its own file; here with the batch before (js_div)",
    "distribution": "it compares with a distribution of its own file; here with the batch before (js_div)",
    "reconciliation": "it compares with a table of another source by metrics of both: state each (matches, has_row_count_of, custom_sql)",
    "group": "it is of each group of rows: state the groups' conditions by `where`",
}
# Of a contract: the ends of a range by their names, in square brackets those that belong to it, and how a threshold is said.
_LOWER = {"greater_than_or_equal": "[", "greater_than": "("}
_UPPER = {"less_than_or_equal": "]", "less_than": ")"}
_MUST = {
    "must_be": "=", "must_not_be": "!=", "must_be_greater_than": ">", "must_be_greater_than_or_equal_to": ">=",
    "must_be_greater_than_or_equal": ">=", "must_be_less_than": "<", "must_be_less_than_or_equal_to": "<=",
    "must_be_less_than_or_equal": "<=", "must_be_between": "between", "must_be_not_between": "not between",
}  # fmt: skip
_ABOUT = frozenset({"name", "title", "identity", "attributes", "qualifier", "type", "filter", "filter_sql", "samples limit", "threshold"})
_NO = {
    "rows_exist": "row_count",
    "no_missing_values": "missing_count",
    "no_duplicate_values": "duplicate_count",
    "no_invalid_values": "invalid_count",
}


def read(text: str, table: str | None = None) -> Imported:
    """The checks of one table; `ConstraintError` where the document is none of Soda's, or it is unclear whose."""
    document = object_of(from_yaml(text, "Soda"), "The document")
    found = FoundRules()
    if "columns" in document or "dataset" in document:
        if document.get("filter") or document.get("filter_sql"):
            found.note("The filter of the contract chooses the rows of a scan; here all rows of a batch are looked at.")
        for column, entry, of_column in _contract(document):
            found.add(_named(entry, column), partial(_of_contract, column, entry, of_column, document))
        return found.imported("Soda")
    sections, shared = _sections(document, found)
    if not sections and not shared:
        raise ConstraintError("The document has no `checks for TABLE:`.", hint="Give SodaCL, or a data contract.")
    plain = (name.removeprefix("include ") for datasets, _ in shared for name in datasets if "%" not in name and _is_of(name, datasets))
    names = dict.fromkeys((*sections, *plain))
    table = table if table is not None and any(_is_of(table, datasets) for datasets, _ in shared) else chosen(names, table)
    parts = {
        match["part"].strip(): given
        for key, given in document.items()
        if (match := _FILTER.fullmatch(str(key))) and match["table"] == table
    }
    for part, entry in (
        *sections.get(table, ()),
        *((None, entry) for datasets, each in shared if _is_of(table, datasets) for entry in each),
    ):
        name, settings = (
            (entry, {}) if isinstance(entry, str) else next(iter(entry.items())) if isinstance(entry, Mapping) else (str(entry), {})
        )
        rows = None if part is None else parts.get(part.strip(), part.strip())
        found.add(str(name), partial(_of_part, str(name), settings, rows, found, table))
    return found.imported("Soda")


def _sections(document: Mapping[str, Any], found: FoundRules) -> tuple[dict[str, list[Any]], list[tuple[list[str], list[Any]]]]:
    """The checks of each table, each with its part of it or None; and those of several tables, with the names of these."""
    sections: dict[str, list[Any]] = {}
    shared: list[tuple[list[str], list[Any]]] = []
    for key, entries in document.items():
        if (section := _FOR.fullmatch(str(key))) is not None:
            sections.setdefault(section["table"], []).extend((section["part"], entry) for entry in entries or ())
        elif _EACH.fullmatch(str(key)) and isinstance(entries, Mapping):
            named = [str(name) for name in entries.get("datasets") or entries.get("tables") or ()]
            shared.append((named, list(entries.get("checks") or ())))
        elif not str(key).startswith(("configurations", "variables", "discover", "profile", "sample", "filter ")):
            found.leave(str(key), "it is no `checks for` a table")
    return sections, shared


def _is_of(table: str, datasets: list[str]) -> bool:
    """Whether checks of these tables, some of them excluded, are of the table too."""

    def named(pattern: str) -> bool:
        return re.fullmatch(".*".join(map(re.escape, pattern.split("%"))), table) is not None

    out = [name.removeprefix("exclude ") for name in datasets if name.startswith("exclude ")]
    return any(map(named, (name.removeprefix("include ") for name in datasets if not name.startswith("exclude ")))) and not any(
        map(named, out)
    )


def _of_part(line: str, settings: Any, rows: Any, found: FoundRules, table: str) -> list[Check]:
    """A line of a table, or of a part of it: `rows` is then what its filter says, or its name where nothing says it."""
    if rows is None:
        return _of_line(line, settings, found, table)
    if not isinstance(rows, Mapping):
        raise UnreadError(f"it is of the part {rows} of the table, and no `filter {table} {rows}` of the document says its rows")
    given, where = dict(settings) if isinstance(settings, Mapping) else {}, str(rows["where"])
    if line.startswith("schema") or (settings and not given):
        return _of_line(line, settings, found, table)
    own = given.get("filter")
    return _of_line(line, {**given, "filter": where if own is None else f"({where}) AND ({own})"}, found, table)


def _of_line(line: str, settings: Any, found: FoundRules, table: str) -> list[Check]:
    if (word := re.split(r"[\s_]", line)[0]) in _OTHER and not line.startswith("values_"):
        raise UnreadError(_OTHER[word])
    if "${" in f"{line} {settings}":
        raise UnreadError("it holds a variable, which Soda fills in when it runs")
    if line.startswith("schema"):
        return tables.schema(settings, found)
    if line.startswith("failed rows"):
        return _failed_rows(settings, table)
    if (made_of := tables.beside(line.strip(), settings)) is not None:
        return made_of
    if line.startswith("change same"):
        raise UnreadError("how many batches ago that was depends on the table's cadence: state the order (relative_rate_of_change)")
    changing = tables.CHANGE.fullmatch(line.strip())
    parsed = _LINE.fullmatch(changing["rest"] if changing else line.strip())
    if parsed is None:
        raise UnreadError("it is no check that is understood")
    given, thresholds = _levels(settings)
    if thresholds and (parsed["sign"] or parsed["low"]):
        raise UnreadError("it has a threshold beside those of `fail` and `warn`")
    if f"{parsed['metric']} query" in given:
        given["table"] = table
    columns = [column.strip().strip('"`') for column in (parsed["columns"] or "").split(",") if column.strip()]
    made = []
    for threshold, level in thresholds or [(_threshold(parsed), "error")]:
        one = Line.of(parsed["metric"], columns, threshold, given, level)
        made += tables.change(changing, one) if changing else metrics.checks(one)
    return made


def _failed_rows(settings: Any, table: str) -> list[Check]:
    given, thresholds = _levels(settings)
    if not thresholds:
        return metrics.failed_rows(given, table)
    bounds = [(limits(sign, [float(one) for one in operands]), level) for (sign, operands), level in thresholds]
    return [check for limits, level in bounds for check in metrics.failed_rows(given, table, limits, **_manner(level))]


def _levels(settings: Any) -> tuple[dict[str, Any], list[tuple[tuple[str, list[str]], str]]]:
    """The settings without `fail` and `warn`, and what these let hold, with our levels."""
    given = dict(settings) if isinstance(settings, Mapping) else {}
    levels = [(level, given.pop(level)) for level in ("fail", "warn") if level in given]
    return given, [(inverted(_when(str(when))), "error" if level == "fail" else "warning") for level, when in levels]


def _manner(level: str) -> dict[str, Any]:
    return {"level": level} if level != "error" else {}


def _when(text: str) -> tuple[str, list[str]]:
    parsed = re.fullmatch(rf"\s*when\s+(?:{_SIGN})\s*%?\s*", text)
    if parsed is None:
        raise UnreadError(f"{text!r} is not understood")
    return _threshold(parsed)


def _threshold(parsed: re.Match[str]) -> tuple[str, list[str]]:
    if parsed["low"]:
        ends = f"{parsed['open'] or '['}{parsed['close'] or ']'}".replace("[]", "")
        return f"{'not ' if parsed['not'] else ''}between{ends}", [parsed["low"], parsed["high"]]
    if parsed["sign"] is None:
        raise UnreadError("it says nothing of its number")
    return parsed["sign"].replace("<>", "!="), [parsed["bound"].rstrip("%")]


def _contract(document: Mapping[str, Any]) -> Iterator[tuple[str | None, Any, dict[str, Any]]]:
    """Each check with its column, and what is said of missing and valid values of that column for all its checks."""
    for entry in document.get("checks") or ():
        yield None, entry, {}
    for column in document.get("columns") or ():
        name = str(object_of(column, "A column").get("name"))
        said = {key: value for key, value in column.items() if re.match(r"(missing|valid|invalid)_", str(key))}
        yield from ((name, entry, said) for entry in column.get("checks") or ())


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


def _of_contract(column: str | None, entry: Any, of_column: Mapping[str, Any], document: Mapping[str, Any]) -> list[Check]:
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
    settings = _settings(kind, {**of_column, **given})
    table = str(document.get("dataset", ""))
    if kind in ("failed_rows", "failed rows"):
        if percent:
            raise UnreadError("it allows for a share of rows: state the condition on a row (satisfies, at_least)")
        bounds = limits(musts[0][0], [float(one) for one in musts[0][1]]) if musts else None
        sql = {"fail condition": given.get("expression"), "query": given.get("query")}
        return metrics.failed_rows({**sql, **settings}, table, bounds, **_manner(level))
    if kind.startswith("metric"):
        settings = _metric(kind, given, settings, table)
    if kind.startswith("freshness_in_"):
        kind, threshold = "freshness", {**threshold, "unit": kind.removeprefix("freshness_in_")}
    kind = _NO.get(kind, {"missing": "missing_count", "invalid": "invalid_count", "duplicate": "duplicate_count"}.get(kind, kind))
    kind = str(given.get("function")) if kind == "aggregate" else kind
    kind = kind.replace("_count", "_percent") if percent else kind
    columns = [str(given.get("column") or column)] if given.get("column") or column else []
    columns = [str(name) for name in given.get("columns") or columns]
    if not musts:
        musts = [(">", ["0"])] if kind == "row_count" else [("=", ["0"])] if kind.partition("_")[2] in ("count", "percent") else []
    if not musts:
        raise UnreadError("it has no threshold")
    operator, operands = musts[0]
    if kind == "freshness":
        operands = [f"{operand}{str(threshold.get('unit', 'hour'))[0]}" for operand in operands]
    return metrics.checks(Line.of(kind, columns, (operator, operands), settings, level))


def _must(sign: str, value: Any) -> tuple[str, list[str]]:
    """A threshold with its numbers."""
    if isinstance(value, Mapping):
        lower, upper = (next((end for end in value if end in ends), "") for ends in (_LOWER, _UPPER))
        if set(value) != {lower, upper}:
            raise UnreadError("a range has two ends, `greater_than` or `greater_than_or_equal` and `less_than` or `less_than_or_equal`")
        ends = _LOWER[lower] + _UPPER[upper]
        if ends != "[]" and sign != "between":
            raise UnreadError("of what must not be between, ends that belong to it are understood: state both bounds apart")
        sign = sign if ends == "[]" else f"{sign}{ends}"
        value = [value[lower], value[upper]]
    return sign, [str(one) for one in value] if isinstance(value, list) else [str(value)]


def _settings(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a check says beside its threshold and its columns, by SodaCL's names; a missing value is told by what is said of these alone."""
    own = ("metric", "unit", "function", "column", "columns", "expression", "query", "level")
    settings = {key.replace("_", " "): value for key, value in given.items() if key not in (*_ABOUT, *_MUST, *own)}
    if sql := given.get("filter") or given.get("filter_sql"):
        settings["filter"] = sql
    if kind.startswith(("missing", "no_missing")):
        return {key: value for key, value in settings.items() if not key.startswith(("valid ", "invalid "))}
    return settings
