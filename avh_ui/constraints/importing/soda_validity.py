"""Soda's metrics of what is missing, invalid and valid, as checks.

Missing is null, and what is said to be missing; invalid is what is there and not valid. A share is of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.importing.soda_formats import pattern
from avh_ui.constraints.importing.soda_line import Line
from avh_ui.constraints.sql_text import end_of_range, literal, quoted
from avh_ui.metrics import analyzers as of

_TESTS: dict[str, Callable[[str, Any], str]] = {
    "valid values": lambda name, values: f"{name} IN ({', '.join(map(literal, values))})",
    "invalid values": lambda name, values: f"{name} NOT IN ({', '.join(map(literal, values))})",
    "valid regex": lambda name, regex: f"{name} RLIKE {literal(regex)}",
    "invalid regex": lambda name, regex: f"NOT ({name} RLIKE {literal(regex)})",
    # In contracts, whose expressions are those of the engine.
    "valid regex sql": lambda name, regex: f"{name} RLIKE {literal(regex)}",
    "invalid regex sql": lambda name, regex: f"NOT ({name} RLIKE {literal(regex)})",
    "valid min": lambda name, bound: f"{name} >= {end_of_range(bound)}",
    "valid max": lambda name, bound: f"{name} <= {end_of_range(bound)}",
    "valid length": lambda name, length: f"length({name}) = {int(length)}",
    "valid min length": lambda name, length: f"length({name}) >= {int(length)}",
    "valid max length": lambda name, length: f"length({name}) <= {int(length)}",
}

# Where the valid values are those of a column of another table: as the versions of contracts call it.
_OF_ANOTHER = ("valid reference data", "valid values reference data", "valid values column")


def of_validity(line: Line) -> list[Check]:
    """The checks of `missing_`, `invalid_` and `valid_` metrics, counted or in per cent; none for another metric."""
    what, _, unit = line.metric.partition("_")
    if what not in _OF or unit not in ("count", "percent"):
        return []
    return _OF[what](line)


def _missing(line: Line) -> list[Check]:
    test = _is_missing(line)
    plain = test == f"{quoted(line.column)} IS NULL"
    if plain and line.none:
        return [c.is_complete(line.column, where=line.where, **line.manner)]
    if line.metric == "missing_count":
        return [_count(test, line)]
    measure = of.completeness(line.column, where=line.where) if plain else of.compliance(f"NOT coalesce(({test}), false)", where=line.where)
    return [c.has(measure, **line.rest, **line.manner)]


def _invalid(line: Line) -> list[Check]:
    if other := next((line.given.pop(name) for name in _OF_ANOTHER if name in line.given), None):
        return _referring(line, other)
    missing, (valid, said) = _is_missing(line), _is_valid(line)
    if not valid:
        raise UnreadError("it does not say what is valid")
    passes = f"{missing} OR ({valid})"
    if line.none:
        return [c.satisfies(passes, says=f"{line.column} is valid ({said})", where=line.where, **line.manner)]
    if line.metric == "invalid_count":
        return [_count(f"{_not(missing)} AND NOT ({valid})", line)]
    return [c.has(of.compliance(passes, where=line.where), **line.rest, **line.manner)]


def _valid(line: Line) -> list[Check]:
    passes = there_and_valid(line) or f"{quoted(line.column)} IS NOT NULL"
    if line.metric == "valid_count":
        return [_count(passes, line)]
    return [c.has(of.compliance(passes, where=line.where), **line.share, **line.manner)]


def there_and_valid(line: Line) -> str:
    """The condition of the rows whose value is there and valid, by the settings of the line, which it takes out; '' without settings."""
    missing, (valid, _) = _is_missing(line), _is_valid(line)
    if not valid and missing == f"{quoted(line.column)} IS NULL":
        return ""
    return _not(missing) + (f" AND ({valid})" if valid else "")


def _is_missing(line: Line) -> str:
    """The condition that is true of what is missing."""
    name = quoted(line.column)
    tests = [f"{name} IS NULL"]
    if values := line.given.pop("missing values", None):
        tests.append(f"{name} IN ({', '.join(map(literal, values))})")
    written = (
        line.given.pop("missing regex", None),
        line.given.pop("missing regex sql", None),
        _regex_of(line.given.pop("missing format", None)),
    )
    tests += [f"{name} RLIKE {literal(regex)}" for regex in written if regex]
    return " OR ".join(tests)


def _not(missing: str) -> str:
    # With nothing else that is missing, it ends so.
    return f"{missing.removesuffix(' IS NULL')} IS NOT NULL" if missing.endswith(" IS NULL") else f"NOT ({missing})"


def _is_valid(line: Line) -> tuple[str, str]:
    """The condition that is true of what is valid where it is there, and what it says; '' where nothing is said."""
    name = quoted(line.column)
    tests, said = [], []
    for key in [key for key in line.given if key.startswith(("valid ", "invalid "))]:
        value = line.given.pop(key)
        shown = value.get("name", value) if isinstance(value, Mapping) else value
        said.append(f"{key} {', '.join(map(str, shown)) if isinstance(shown, list) else shown}")
        if key in ("valid format", "invalid format"):
            key, value = key.replace("format", "regex"), _regex_of(value)  # noqa: PLW2901 (the same setting in another form)
        if key not in _TESTS:
            raise UnreadError(f"its setting {key!r} is not understood")
        tests.append(_TESTS[key](name, value))
    return " AND ".join(tests), "; ".join(said)


def _referring(line: Line, other: Any) -> list[Check]:
    """Values that are those of a column of another table, `{dataset: source/schema/table, column: id}`; null is right."""
    if (
        not isinstance(other, Mapping)
        or set(other) != {"dataset", "column"}
        or any(key.startswith(("valid ", "invalid ")) for key in line.given)
    ):
        raise UnreadError("its reference data has a dataset and a column, and stands alone")
    arguments = line.column, str(other["dataset"]).rpartition("/")[2], str(other["column"])
    if line.none:
        missing = _is_missing(line)
        there = [] if missing == f"{quoted(line.column)} IS NULL" else [_not(missing)]
        where = " AND ".join(f"({one})" for one in (line.where, *there) if one) if there else line.where
        return [c.refers_to(*arguments, nulls=True, where=where, **line.manner)]
    if line.metric == "invalid_count":
        raise UnreadError("it counts rows that refer to nothing: here their share is bounded (refers_to, at_least)")
    return [c.has(of.refers_to(*arguments, nulls=True, where=line.where), **line.rest, **line.manner)]


def _regex_of(given: Any) -> str | None:
    """The expression of a format: of one of Soda's by its name, or of the contract's own, `{regex: ..., name: ...}`."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        return pattern(str(given))
    if "regex" not in given:
        raise UnreadError(f"the format {given!r} has no regular expression")
    return str(given["regex"])


def _count(test: str, line: Line) -> Check:
    where = test if line.where is None else f"({test}) AND ({line.where})"
    return c.has(of.size(where=where), **line.limits, **line.manner)


_OF = {"missing": _missing, "invalid": _invalid, "valid": _valid}
