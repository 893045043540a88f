"""Checks of Soda as ours: SodaCL (`checks for TABLE:`) and data contracts (`columns:` with `checks:`) (docs.soda.io).

`missing` are nulls (and what is said to be missing), `invalid` what is there and not valid: null passes. A regular expression is found
anywhere in the text, as Soda has it on Spark and on most databases.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import soda_contract as contract
from avh_ui.constraints.importing import soda_metrics as metrics
from avh_ui.constraints.importing import soda_tables as tables
from avh_ui.constraints.importing.imported import FoundRules, Imported, UnreadError, chosen, from_yaml, object_of
from avh_ui.constraints.importing.soda_line import Line, inverted, limits, manner_of
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


def read(text: str, table: str | None = None) -> Imported:
    """The checks of one table; `ConstraintError` where the document is none of Soda's, or it is unclear whose."""
    document = object_of(from_yaml(text, "Soda"), "The document")
    found = FoundRules()
    if "columns" in document or "dataset" in document:
        contract.read(document, found)
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
    configured = _configured(document, table, found)
    for part, entry in (
        *sections.get(table, ()),
        *((None, entry) for datasets, each in shared if _is_of(table, datasets) for entry in each),
    ):
        name, settings = (
            (entry, {}) if isinstance(entry, str) else next(iter(entry.items())) if isinstance(entry, Mapping) else (str(entry), {})
        )
        rows = None if part is None else parts.get(part.strip(), part.strip())
        found.add(str(name), partial(_of_part, str(name), _with(settings, str(name), configured), rows, found, table))
    return found.imported("Soda")


def _configured(document: Mapping[str, Any], table: str, found: FoundRules) -> dict[str, dict[str, Any]]:
    """What `configurations for` the table say of missing and valid values, by column."""
    configured: dict[str, dict[str, Any]] = {}
    for key, value in (document.get(f"configurations for {table}") or {}).items():
        if (said := re.fullmatch(r"((?:missing|valid|invalid) [\w ]+?) for (\S+)", str(key))) is None:
            found.leave(f"configurations for {table}: {key}", "it says nothing of a column's missing or valid values that is understood")
        else:
            configured.setdefault(said[2], {})[said[1]] = value
    return configured


def _with(settings: Any, line: str, configured: Mapping[str, Mapping[str, Any]]) -> Any:
    """The settings of a line with what is configured for its column; what is missing is told by what is said of missing values alone."""
    named = re.match(r"(?:change.* for )?(missing|invalid|valid)_\w+\(([^)]*)\)", line)
    if named is None or named[2].strip() not in configured:
        return settings
    said = configured[named[2].strip()]
    said = {key: value for key, value in said.items() if named[1] != "missing" or key.startswith("missing ")}
    return {**said, **(settings if isinstance(settings, Mapping) else {})}


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
        made += tables.change(changing, one, found) if changing else metrics.checks(one)
    return made


def _failed_rows(settings: Any, table: str) -> list[Check]:
    given, thresholds = _levels(settings)
    if not thresholds:
        return metrics.failed_rows(given, table)
    bounds = [(limits(sign, [float(one) for one in operands]), level) for (sign, operands), level in thresholds]
    return [check for limits, level in bounds for check in metrics.failed_rows(given, table, limits, **manner_of(level))]


def _levels(settings: Any) -> tuple[dict[str, Any], list[tuple[tuple[str, list[str]], str]]]:
    """The settings without `fail` and `warn`, and what these let hold, with our levels."""
    given = dict(settings) if isinstance(settings, Mapping) else {}
    levels = [(level, given.pop(level)) for level in ("fail", "warn") if level in given]
    return given, [(inverted(_when(str(when))), "error" if level == "fail" else "warning") for level, when in levels]


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
