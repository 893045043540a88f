"""The literals of a condition as constants."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from sqlglot import exp

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import times
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast
from avh_ui.metrics.sql.errors import ConditionError
from avh_ui.metrics.sql.lexing import Constant as Literal
from avh_ui.metrics.sql.nodes import Constant, Node, constant, scalar_of


def written(literal: Literal) -> Node:
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
