"""Checks of Soda about the columns of a table, and about a table beside another, or beside itself in the scans before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Level
from avh_ui.constraints.importing.declared_columns import spark_type, typed
from avh_ui.constraints.importing.imported import FoundRules, UnreadError
from avh_ui.constraints.importing.soda_line import SHOWING, Line
from avh_ui.constraints.importing.soda_metrics import checks
from avh_ui.history.recent import FIRST, Recent
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.catalogue import named

_LEVELS: tuple[tuple[str, Level], ...] = (("fail", "error"), ("warn", "warning"))
_REFERENCE = re.compile(r"values in \(?([\w, ]+?)\)? must (not )?exist in (\w[\w.]*) \(?([\w, ]+?)\)?")
_SAME = re.compile(r"row_count same as (\w[\w.]*)(?: in (\w+))?")
CHANGE = re.compile(
    r"change(?: (?P<of>avg|min|max|sum) last (?P<last>\d+)| same day last (?P<day>week|month))?(?P<percent> percent)? for (?P<rest>.+)"
)
_OF = {"avg": "mean"}


def schema(settings: Any, found: FoundRules) -> list[Check]:
    """What is wrong with the columns, level by level; one part that cannot be said is left out alone."""
    made: list[Check] = []
    for level, name in _LEVELS:
        rule = (settings or {}).get(level)
        if not isinstance(rule, Mapping):
            rule = {} if rule is None else {str(rule[0] if isinstance(rule, list) else rule): None}
        parts = [(key, one) for key, given in rule.items() for one in _parts(given)]
        for key, given in parts:
            found.add(f"schema: {key}", lambda key=key, given=given, name=name: _schema(str(key), given, name))  # type: ignore[misc]
    return made


def _parts(given: Any) -> list[Any]:
    """What is said of each column apart, so that one that cannot be said takes no other with it."""
    if isinstance(given, Mapping):
        return [{column: wanted} for column, wanted in given.items()]
    return [[column] for column in given] if isinstance(given, list) else [given]


def _schema(key: str, given: Any, level: Level) -> list[Check]:
    match key:
        case "when required column missing":
            return [c.has_column(str(column), level=level) for column in given]
        case "when forbidden column present":
            return [_forbidden(str(column), level) for column in given]
        case "when wrong column type":
            return [c.has_column_type(str(column), spark_type(str(wanted)), level=level) for column, wanted in given.items()]
        case "when wrong column index":
            return [c.has_column(str(column), place=int(index) + 1, level=level) for column, index in given.items()]
    if key.startswith("when schema changes"):
        raise UnreadError("that it changes is a program's own rule for the schema")
    raise UnreadError("a schema is not asked for that")


def _forbidden(name: str, level: Level) -> Check:
    if "*" in name or "%" in name:
        pattern = "".join(".*" if char in "*%" else re.escape(char) for char in name)
        return c.has(of.column_names(f"^{pattern}$"), exactly=0, level=level)
    return c.has(of.column_exists(name), exactly=0, level=level)


def contract_schema(settings: Mapping[str, Any], columns: list[Mapping[str, Any]]) -> list[Check]:
    """The columns of a contract as they are declared, with their types, in their order, and no others."""
    if any(column.get("optional") for column in columns):
        raise UnreadError("some columns may be there or not: name those that must be there (has_column)")
    ordered = not settings.get("allow_other_column_order")
    names = [str(column["name"]) for column in columns]
    made = [c.has_column(name, place=k if ordered else None) for k, name in enumerate(names, 1)]
    made += [typed(one) for one in columns if one.get("data_type")]
    return made if settings.get("allow_extra_columns") else [*made, c.has_column_count(exactly=len(names))]


def beside(line: str, settings: Any = None) -> list[Check] | None:
    """A line about another table; None where it is of this one alone. Null refers to nothing, and is right."""
    same, reference = _SAME.fullmatch(line), _REFERENCE.fullmatch(line)
    if same is None and reference is None:
        return None
    given = {key: value for key, value in settings.items() if key not in SHOWING} if isinstance(settings, Mapping) else {}
    where = None if reference is None else given.pop("filter", None)
    if given:
        raise UnreadError(f"its setting {min(given)!r} is not understood")
    if reference is None:
        assert same is not None
        return [c.has_row_count_of(same[1], exactly=1)]
    mine, no, other, theirs = reference.groups()
    columns, there = ([column.strip() for column in some.split(",")] for some in (mine, theirs))
    if no:
        return [c.has(of.refers_to(columns, other, there, where=where), exactly=0)]
    return [c.refers_to(columns, other, there, nulls=True, where=where)]


def change(parsed: re.Match[str], line: Line, found: FoundRules) -> list[Check]:
    """A metric beside its values in the scans before: by how much, or by how many per cent it may differ."""
    if parsed["day"] == "month":
        raise UnreadError("months are 28 to 31 days long, and a strategy counts batches: compare with the same weekday (recent, of first)")
    if parsed["day"]:
        found.note("`same day last week` is 7 batches before, as in a table that comes every day.")
    metric, sign, operands = line.metric, line.operator, line.operands
    if metric.endswith("_percent"):
        raise UnreadError("a share that is wrong has no history here: compare the number of rows")
    (one, *others) = checks(replace(line, operator=">=", operands=["1"]))
    if others or one.bounds.lower != 1:
        raise UnreadError(f"no history is kept of {metric}")
    if parsed["percent"] and any(declared.lowest < 0 for declared in named(one.measure.name)):
        raise UnreadError("a change by per cent has no direction where the number may be negative")
    number, batches = _OF.get(parsed["of"] or "avg", parsed["of"]), int(parsed["last"] or 1)
    number, batches = (FIRST, 7) if parsed["day"] else (number, batches)
    made = []
    for side, strict, operand in _sides(sign, [float(text.rstrip("%")) for text in operands]):
        factor, plus = (1 + operand / 100, 0.0) if parsed["percent"] else (1.0, operand)
        low, high = (factor if end in side else None for end in ("lower", "upper"))
        made.append(c.has_no_anomalies(one.measure, Recent(low, high, number, batches, plus, strict), level=one.level))
    return made


def _sides(sign: str, bounds: list[float]) -> list[tuple[tuple[str, ...], str, float]]:
    """The sides that a threshold bounds, with whether the bound belongs to it."""
    match sign:
        case "between":
            return [(("lower",), "", bounds[0]), (("upper",), "", bounds[1])]
        case "=":
            return [(("lower", "upper"), "", bounds[0])]
        case ">" | ">=":
            return [(("lower",), "lower" if sign == ">" else "", bounds[0])]
        case "<" | "<=":
            return [(("upper",), "upper" if sign == "<" else "", bounds[0])]
    raise UnreadError(f"`{sign}` bounds no side of a change")
