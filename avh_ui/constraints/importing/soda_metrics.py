"""Metrics of Soda with their thresholds, as checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.importing.own_sql import check_of_measure, measure_of, repeated
from avh_ui.constraints.importing.soda_line import SHOWING, Line, limits, number
from avh_ui.constraints.importing.soda_validity import of_validity, there_and_valid
from avh_ui.constraints.sql_text import quoted
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.text import STR_LEN

_NUMBERS: dict[str, Callable[..., Measure]] = {
    "min": of.minimum, "max": of.maximum, "avg": of.mean, "sum": of.sum_, "stddev_pop": of.standard_deviation,
    "var_pop": of.variance, "min_length": of.min_length,
    "max_length": of.max_length, "distinct_count": of.count_distinct,
    "avg_length": lambda column, where=None: Measure.of(STR_LEN.name, column, where),
}  # fmt: skip
# Those of a sample, which no measure here is: Spark's functions.
_OF_A_SAMPLE = {"stddev": "stddev_samp", "stddev_samp": "stddev_samp", "variance": "var_samp", "var_samp": "var_samp"}
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


def checks(line: Line) -> list[Check]:
    """Of a metric with its threshold; `UnreadError` for a setting that is not understood."""
    expression = line.given.pop(f"{line.metric} expression", None)
    query = line.given.pop(f"{line.metric} query", None)
    table = str(line.given.pop("table", ""))
    if query is not None and line.where is not None:
        raise UnreadError("it is a query of its own beside a filter: put the condition into the query")
    if query is not None:
        made = [_asked(of_table(str(query), table), line)]
    elif line.metric == "freshness":
        made = _freshness(line)
    elif expression is not None:
        made = [_share(str(expression), line)]
    else:
        made = of_validity(line) or _counted(line)
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
    if line.metric.partition("_")[0] in ("duplicate", "surplus"):
        return _duplicates(line)
    if line.metric == "percentile" and len(line.columns) == 2:
        return [c.has(of.exact_quantile(line.columns[0], number(line.columns[1]), where=line.where), **line.limits, **line.manner)]
    if line.metric in _OF_A_SAMPLE:
        return [_asked(f"SELECT {_OF_A_SAMPLE[line.metric]}({quoted(line.column)}) FROM batch{_of_rows(line.where)}", line)]
    if line.metric not in _NUMBERS:
        raise UnreadError(f"there is no metric {line.metric}")
    # A number is that of the values which are there and valid.
    there = [valid] if (valid := there_and_valid(line)) else []
    where = " AND ".join(f"({one})" for one in (line.where, *there) if one) if there else line.where
    return [c.has(_NUMBERS[line.metric](line.column, where=where), **line.limits, **line.manner)]


def _duplicates(line: Line) -> list[Check]:
    """Values that come more than once (`duplicate`), or how many rows more there are than values (`surplus`); per cent are of the rows.

    Of a surplus the rows are those whose value is there and valid.
    """
    what, _, unit = line.metric.partition("_")
    valid = there_and_valid(line) if what == "surplus" and len(line.columns) == 1 else ""
    where = " AND ".join(f"({one})" for one in (line.where, valid) if one) if valid else line.where
    if line.none:
        return [c.is_unique(line.columns, where=where, **line.manner)]
    if what == "duplicate":
        counted = repeated(line.columns, line.where)
        share = f"SELECT coalesce(round(100D * ({counted}) / nullif(count(*), 0), 2), 0) FROM batch{_of_rows(line.where)}"
        return [_asked(counted if unit == "count" else share, line)]
    if unit == "percent" and len(line.columns) == 1:
        return [c.has(of.distinctness(line.columns, where=where), **line.rest, **line.manner)]
    names = ", ".join(map(quoted, line.columns))
    rows = f"count({names})" if len(line.columns) == 1 else "count(*)"
    more = f"{rows} - count(DISTINCT {names})"
    more = more if unit == "count" else f"coalesce(100D * ({more}) / nullif({rows}, 0), 0)"
    return [_asked(f"SELECT {more} FROM batch{_of_rows(where)}", line)]


def share_of_failed(condition: str, line: Line) -> list[Check]:
    """Rows that must not be there, of which a share may be: by a condition, where null is right."""
    return [c.has(of.compliance(f"NOT coalesce(({condition}), false)", where=line.where), **line.rest, **line.manner)]


def _share(expression: str, line: Line) -> Check:
    measure = measure_of(expression, line.where)
    if measure is None:
        return _asked(f"SELECT {expression} FROM batch{_of_rows(line.where)}", line)
    return check_of_measure(measure, line.limits, **line.manner)


def _asked(query: str, line: Line) -> Check:
    return c.custom_sql(query, says=line.name, **line.limits, **line.manner)


def _of_rows(where: str | None) -> str:
    return "" if where is None else f" WHERE ({where})"


def _freshness(line: Line) -> list[Check]:
    spans = []
    for operand in line.operands:
        parts = re.findall(r"(\d+(?:\.\d+)?)([dhms])", operand)
        if not parts or "".join(a + b for a, b in parts) != operand:
            raise UnreadError(f"{operand!r} is no length of time")
        spans.append(sum(float(amount) * _UNITS[unit] for amount, unit in parts))
    ages: dict[str, Any] = {name: timedelta(seconds=seconds) for name, seconds in limits(line.operator, spans).items()}
    return [c.has(of.freshness(line.column, where=line.where), **ages, **line.manner)]
