"""Metrics of Soda with their thresholds, as checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.content_checks import EMAIL
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.importing.own_sql import check_of_measure, measure_of
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.text import STR_LEN

_NUMBERS: dict[str, Callable[..., Measure]] = {
    "min": of.minimum, "max": of.maximum, "avg": of.mean, "sum": of.sum_, "stddev_pop": of.standard_deviation,
    "var_pop": of.variance, "min_length": of.min_length,
    "max_length": of.max_length, "distinct_count": of.count_distinct,
    "avg_length": lambda column, where=None: Measure.of(STR_LEN.name, column, where),
}  # fmt: skip
# Settings that say nothing of what must hold.
SHOWING = frozenset({"name", "attributes", "samples limit", "identity", "title", "sample columns"})
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_INVERSE = {"=": "!=", "!=": "=", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}
# Ranges by the ends that belong to them: those in square brackets do, and both where there is none.
_RANGES = {
    "between": ("at_least", "at_most"), "between()": ("above", "below"), "between(]": ("above", "at_most"),
    "between[)": ("at_least", "below"),
}  # fmt: skip
_LIMITS = {"=": "exactly", "!=": "other_than", ">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}


def inverted(threshold: tuple[str, list[str]]) -> tuple[str, list[str]]:
    """What must hold where `when` says what must not."""
    operator, operands = threshold
    if operator in _RANGES:
        return f"not {operator}", operands
    return _INVERSE.get(operator) or operator.removeprefix("not "), operands


def limits(operator: str, numbers: list[float]) -> dict[str, Any]:
    """As `has` takes them."""
    if operator == "between" and numbers[0] == numbers[1]:
        return {"exactly": numbers[0]}
    if operator in _RANGES:
        return dict(zip(_RANGES[operator], numbers, strict=True))
    if operator not in _LIMITS:
        raise UnreadError(f"`{operator}` gives no bounds of a number")
    return {_LIMITS[operator]: numbers[0]}


@dataclass
class Line:
    """A metric of columns with its threshold; `given` are its settings, of which each is taken out once it is understood; `name` is what
    people call it ('' for nothing).
    """

    metric: str
    columns: list[str]
    operator: str
    operands: list[str]
    given: dict[str, Any]
    where: str | None
    manner: dict[str, Any]
    name: str = ""

    @classmethod
    def of(cls, metric: str, columns: list[str], threshold: tuple[str, list[str]], settings: Mapping[str, Any], level: str) -> Line:
        """With the settings that say nothing of what must hold left out."""
        given = {key: value for key, value in settings.items() if key not in SHOWING}
        manner, name = {"level": level} if level != "error" else {}, str(settings.get("name") or "")
        return cls(metric, columns, *threshold, given, given.pop("filter", None), manner, name)

    @property
    def column(self) -> str:
        """Its one column."""
        if len(self.columns) != 1:
            raise UnreadError(f"it is of one column, not of {len(self.columns)}")
        return self.columns[0]

    @property
    def numbers(self) -> list[float]:
        """What it is compared with."""
        return [_number(operand) for operand in self.operands]

    @property
    def limits(self) -> dict[str, Any]:
        """The same as `has` takes it."""
        return limits(self.operator, self.numbers)

    @property
    def none(self) -> bool:
        """Whether it allows for none."""
        return (self.operator, self.operands) in (("=", ["0"]), ("<=", ["0"])) or (self.operator, self.numbers) == ("=", [0])


def checks(line: Line) -> list[Check]:
    """Of a metric with its threshold; `UnreadError` for a setting that is not understood."""
    expression = line.given.pop(f"{line.metric} expression", None)
    query = line.given.pop(f"{line.metric} query", None)
    table = str(line.given.pop("table", ""))
    if query is not None and line.where is not None:
        raise UnreadError("it is a query of its own beside a filter: put the condition into the query")
    if query is not None:
        made = [c.custom_sql(of_table(str(query), table), says=line.name, **line.limits, **line.manner)]
    elif line.metric == "freshness":
        made = _freshness(line)
    elif expression is not None:
        made = [_share(str(expression), line)]
    else:
        made = _invalid(line) if line.metric.startswith("invalid_") else _counted(line)
    if line.given:
        raise UnreadError(f"its setting {min(line.given)!r} is not understood")
    return made


def failed_rows(settings: Any, table: str = "", threshold: dict[str, Any] | None = None, **manner: Any) -> list[Check]:
    """Rows that must not be there (with a `threshold`, so many of them may): by a condition, where null is right, or by a query, which
    `table` is named in.
    """
    given = {key: value for key, value in settings.items() if key not in SHOWING} if isinstance(settings, Mapping) else {}
    query, condition = given.pop("fail query", None) or given.pop("query", None), given.pop("fail condition", None)
    where = given.pop("filter", None)
    if strange := [key for key, value in given.items() if value is not None]:
        raise UnreadError(f"its setting {strange[0]!r} is not understood")
    if query:
        if where is not None:
            raise UnreadError("it is a query of its own beside a filter: put the condition into the query")
        says = str(settings.get("name") or "")
        return [c.custom_sql(f"SELECT count(*) FROM ({of_table(str(query), table)})", says=says, **(threshold or {"at_most": 0}), **manner)]
    if not condition:
        raise UnreadError("it says neither which rows fail nor how they are found")
    if threshold is not None:
        return [c.has(of.size(where=f"({condition})" if where is None else f"({where}) AND ({condition})"), **threshold, **manner)]
    return [c.satisfies(f"NOT coalesce(({condition}), false)", says=f"never {condition}", where=where, **manner)]


def of_table(query: str, table: str) -> str:
    """A query of a table as one of the batch; `UnreadError` where it does not name the table."""
    name = re.split(r"[./]", table)[-1]
    found, times = re.subn(rf"(?<![\w.])(?:\w+\.)*{re.escape(name)}(?![\w.])", "batch", query.strip().rstrip(";")) if name else ("", 0)
    if not times:
        raise UnreadError(f"its query does not name the table {name or 'that it is of'}")
    return found


def _counted(line: Line) -> list[Check]:
    if line.metric == "row_count":
        return [c.has(of.size(where=line.where), **line.limits, **line.manner)]
    if line.metric.startswith("duplicate_"):
        if not line.none:
            raise UnreadError("it allows for some duplicates, counted by values; here a share of rows may repeat (is_unique, at_least)")
        return [c.is_unique(line.columns, where=line.where, **line.manner)]
    if line.metric.startswith("missing_"):
        return _missing(line)
    if line.metric == "percentile" and len(line.columns) == 2:
        return [c.has(of.exact_quantile(line.columns[0], _number(line.columns[1]), where=line.where), **line.limits, **line.manner)]
    if line.metric in ("stddev", "variance", "stddev_samp", "var_samp"):
        raise UnreadError("it is that of a sample in Soda, and of the population here (of.standard_deviation, of.variance)")
    if line.metric not in _NUMBERS:
        raise UnreadError(f"there is no metric {line.metric}")
    return [c.has(_NUMBERS[line.metric](line.column, where=line.where), **line.limits, **line.manner)]


def _missing(line: Line) -> list[Check]:
    name = quoted(line.column)
    tests = [f"{name} IS NULL"]
    if values := line.given.pop("missing values", None):
        tests.append(f"{name} IN ({', '.join(map(literal, values))})")
    if regex := line.given.pop("missing regex", None) or _regex_of(line.given.pop("missing format", None)):
        tests.append(f"{name} RLIKE {literal(regex)}")
    test = " OR ".join(tests)
    if len(tests) == 1 and line.none:
        return [c.is_complete(line.column, where=line.where, **line.manner)]
    if line.metric == "missing_count":
        return [_count(test, line)]
    plain = of.completeness(line.column, where=line.where)
    measure = plain if len(tests) == 1 else of.compliance(f"NOT coalesce(({test}), false)", where=line.where)
    return [c.has(measure, **_rest(line.limits), **line.manner)]


def _invalid(line: Line) -> list[Check]:
    if other := line.given.pop("valid reference data", None):
        return _referring(line, other)
    name = quoted(line.column)
    tests, said = [], []
    for key in [key for key in line.given if key.startswith(("valid ", "invalid "))]:
        value = line.given.pop(key)
        shown = value.get("name", value) if isinstance(value, Mapping) else value
        said.append(f"{key} {', '.join(map(str, shown)) if isinstance(shown, list) else shown}")
        if (key, value) == ("valid format", "email"):
            tests.append(f"{name} RLIKE {literal(f'^(?:{EMAIL})$')}")
            continue
        if key in ("valid format", "invalid format"):
            key, value = key.replace("format", "regex"), _regex_of(value)  # noqa: PLW2901 (the same setting in another form)
        if key not in _VALID:
            raise UnreadError(f"its setting {key!r} is not understood")
        tests.append(_VALID[key](name, value))
    if not tests:
        raise UnreadError("it does not say what is valid")
    valid = " AND ".join(tests)
    if line.none:
        says = f"{line.column} is valid ({'; '.join(said)})"
        return [c.satisfies(f"{name} IS NULL OR ({valid})", says=says, where=line.where, **line.manner)]
    if line.metric == "invalid_count":
        return [_count(f"{name} IS NOT NULL AND NOT ({valid})", line)]
    return [c.has(of.compliance(f"{name} IS NULL OR ({valid})", where=line.where), **_rest(line.limits), **line.manner)]


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
        return [c.refers_to(*arguments, nulls=True, where=line.where, **line.manner)]
    if line.metric == "invalid_count":
        raise UnreadError("it counts rows that refer to nothing: here their share is bounded (refers_to, at_least)")
    return [c.has(of.refers_to(*arguments, nulls=True, where=line.where), **_rest(line.limits), **line.manner)]


def _regex_of(given: Any) -> str | None:
    """The expression of a format that is one of the contract's own, `{regex: ..., name: ...}`."""
    if given is None:
        return None
    if not isinstance(given, Mapping) or "regex" not in given:
        raise UnreadError(f"the format {given!r} is Soda's own: state its regular expression")
    return str(given["regex"])


_VALID: dict[str, Callable[[str, Any], str]] = {
    "valid values": lambda name, values: f"{name} IN ({', '.join(map(literal, values))})",
    "invalid values": lambda name, values: f"{name} NOT IN ({', '.join(map(literal, values))})",
    "valid regex": lambda name, regex: f"{name} RLIKE {literal(regex)}",
    "invalid regex": lambda name, regex: f"NOT ({name} RLIKE {literal(regex)})",
    "valid min": lambda name, bound: f"{name} >= {literal(bound)}",
    "valid max": lambda name, bound: f"{name} <= {literal(bound)}",
    "valid length": lambda name, length: f"length({name}) = {int(length)}",
    "valid min length": lambda name, length: f"length({name}) >= {int(length)}",
    "valid max length": lambda name, length: f"length({name}) <= {int(length)}",
}


def _share(expression: str, line: Line) -> Check:
    measure = measure_of(expression, line.where)
    if measure is None:
        rows = "" if line.where is None else f" WHERE ({line.where})"
        return c.custom_sql(f"SELECT {expression} FROM batch{rows}", says=line.name, **line.limits, **line.manner)
    return check_of_measure(measure, line.limits, **line.manner)


def _freshness(line: Line) -> list[Check]:
    spans = []
    for operand in line.operands:
        parts = re.findall(r"(\d+(?:\.\d+)?)([dhms])", operand)
        if not parts or "".join(a + b for a, b in parts) != operand:
            raise UnreadError(f"{operand!r} is no length of time")
        spans.append(sum(float(amount) * _UNITS[unit] for amount, unit in parts))
    ages: dict[str, Any] = {name: timedelta(seconds=seconds) for name, seconds in limits(line.operator, spans).items()}
    return [c.has(of.freshness(line.column, where=line.where), **ages, **line.manner)]


def _count(test: str, line: Line) -> Check:
    where = test if line.where is None else f"({test}) AND ({line.where})"
    return c.has(of.size(where=where), **line.limits, **line.manner)


def _rest(share: dict[str, Any]) -> dict[str, Any]:
    """Bounds of the share that is right, from those of the per cent that is wrong."""
    turned = {"at_least": "at_most", "at_most": "at_least", "above": "below", "below": "above"}
    return {turned.get(name, name): round((100 - bound) / 100, 12) for name, bound in share.items()}


def _number(text: str) -> float:
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        raise UnreadError(f"{text!r} is no number") from None
    return int(value) if value == int(value) else value
