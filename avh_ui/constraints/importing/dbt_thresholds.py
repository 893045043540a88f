"""How many failing rows a dbt test allows (`error_if`, `warn_if`), as rules that count what the test counts.

dbt looks at `error_if` first, unless the severity is `warn`, and then at `warn_if`; both are `!= 0` unless said. `unique` counts the values
that occur more than once and `accepted_values` the values that are none of the list, not their rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.importing.own_sql import repeated
from avh_ui.constraints.row_rules import form_of
from avh_ui.constraints.sql_text import quoted
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.row_forms import Once, Present
from avh_ui.metrics.rows import RowTest

# What must hold of a number where the test fails if the number is so.
_OTHERWISE = {">": "at_most", ">=": "below", "<": "at_least", "<=": "above", "=": "other_than", "==": "other_than"}
_UNEQUAL = ("!=", "<>")
_USUAL = "!= 0"
_CONDITION = re.compile(r"\s*(!=|<>|>=|<=|==|=|>|<)\s*(\d+)\s*")
# These count values, not rows.
_BY_VALUE = ("accepted_values",)
# Of an aggregate a test of dbt gives one row where it is broken.
_NOT_OF_ROWS = "it allows for a number of failing rows, and this test has one result for the whole table"

Make = Callable[[str], list[Check]]


def with_thresholds(name: str, column: str | None, config: Mapping[str, Any], make: Make) -> list[Check]:
    """The rules of a test, of a column where it is of one; `make` gives those of a level that allow for nothing. `UnreadError` for a
    threshold that no rule of ours has.
    """
    if "fail_calc" in config:
        raise UnreadError("its fail_calc is a query of its own over the failing rows: state it as custom_sql")
    warns_alone = str(config.get("severity", "error")).lower().startswith("warn")
    error, warning = (_bound(config.get(key, _USUAL), key) for key in ("error_if", "warn_if"))
    levels = [("warning", warning)] if warns_alone else [("error", error)]
    if not warns_alone and error is not None and warning != error:
        levels.append(("warning", warning))
    return [check for level, bound in levels for check in (make(level) if bound is None else _counted(name, column, make(level), bound))]


def _bound(condition: Any, key: str) -> dict[str, Any] | None:
    """What must hold of the number of failures; None where there must be none."""
    read = _CONDITION.fullmatch(str(condition))
    if read is None:
        raise UnreadError(f"its {key} {condition!r} compares with no plain number")
    sign, number = read[1], int(read[2])
    if sign in _UNEQUAL:
        return None if number == 0 else {"exactly": number}
    return None if (sign, number) in ((">", 0), (">=", 1)) else {_OTHERWISE[sign]: number}


def _counted(name: str, column: str | None, checks: list[Check], bound: Mapping[str, Any]) -> list[Check]:
    if len(checks) != 1 or checks[0].bounds.lower != 1 or checks[0].bounds.upper is not None:
        raise UnreadError(_NOT_OF_ROWS)
    (check,) = checks
    measure, level = check.measure, check.level
    if measure.parameter("other") is not None and measure.parameter("to") is not None:
        return [c.custom_sql(_missing(measure), level=level, **bound)]
    form = form_of(check.constraint())
    match None if form is None else form.question(measure):
        case Present(present):
            failing = f"{quoted(present)} IS NULL"
        case RowTest(condition, None):
            failing = f"NOT coalesce(({condition}), false)"
        case Once():
            return [c.custom_sql(repeated(measure.columns, measure.where, nulls=name != "unique"), level=level, **bound)]
        case _:
            raise UnreadError(_NOT_OF_ROWS)
    rows = failing if measure.where is None else f"({measure.where}) AND {failing}"
    counted = of.count_distinct(column, where=rows) if column and name in _BY_VALUE else of.size(where=rows)
    return [c.has(counted, level=level, **bound)]


def _missing(measure: Measure) -> str:
    here, there = quoted(measure.columns[0]), quoted(measure.parameter("to")[0])
    other = f"`{measure.parameter('other')}`"
    some = f" AND ({measure.where})" if measure.where else ""
    return f"SELECT count(*) FROM batch LEFT ANTI JOIN {other} ON batch.{here} = {other}.{there} WHERE {here} IS NOT NULL{some}"
