"""The literals of a condition as constants, and the numbers that types and intervals have."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from sqlglot import exp

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import times
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast
from avh_ui.metrics.sql.errors import ConditionError
from avh_ui.metrics.sql.lexing import SqlLiteral
from avh_ui.metrics.sql.nodes import Constant, Node, constant, scalar_of


def written(literal: SqlLiteral) -> Node:
    """A literal as it stands; `ConditionError` for a day or time that there is none of."""
    kind = t.BY_NAME.get(literal.type)
    if literal.type == "decimal":
        _, digits, exponent = literal.value.as_tuple()  # type: ignore[union-attr]
        scale = max(-int(exponent), 0)
        kind = t.decimal(max(len(digits) + max(int(exponent), 0), scale), scale)
    if literal.type in ("date", "timestamp", "timestamp_ntz"):
        assert kind is not None
        found = cast(constant(t.STRING, literal.value), kind)
        if scalar_of(found) is None:
            raise ConditionError(f"{literal.value!r} is no {literal.type}.", hint="Write it as 2024-12-31, or 2024-12-31 23:59:59.")
        return found
    return Constant(kind, pa.array([literal.value], kind), written=True)


def microseconds(interval: Any) -> int:
    """How long an interval of sqlglot's is."""
    unit = str(interval.unit.this).upper().removesuffix("S") if isinstance(interval.unit, exp.Var) else ""
    count = str(interval.this.this) if isinstance(interval.this, exp.Literal) else ""
    if unit not in times.UNITS or not count.isdigit():
        raise DeclinedError("an interval of other than a whole number of days, hours, minutes or seconds")
    return int(count) * times.UNITS[unit]


def decimal_of(kind: Any, text: str) -> pa.DataType:
    """The decimal that a condition of this text names; `ConditionError` for one that Spark does not have."""
    given = [str(part.this) for part in kind.expressions]
    if len(given) > 2 or not all(map(str.isdecimal, given)):
        raise _no_decimal(text, "it has at most two whole numbers, its precision and its scale")
    precision, scale = map(int, (*given, *("10", "0")[len(given) :]))
    if not 1 <= precision <= t.MOST_DIGITS or scale > precision:
        raise _no_decimal(text, f"its precision is 1 to {t.MOST_DIGITS}, and its scale no more than that")
    return t.decimal(precision, scale)


def _no_decimal(text: str, why: str) -> ConditionError:
    return ConditionError(f"{text!r} casts to a decimal that there is none of: {why}.", hint="Write it as DECIMAL(10, 2).")
