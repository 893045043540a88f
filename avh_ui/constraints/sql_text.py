"""Names and values as Spark SQL writes them: what is quoted is taken as it is, whatever it holds."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np

from avh_ui.errors import UsageError

# All parts in backticks: a name that merely begins with one is none of these.
_QUOTED = re.compile(r"`(?:[^`]|``)+`(?:\.`(?:[^`]|``)+`)*")


def backticked(name: str) -> str:
    """A name as a whole, its dots too, as Spark SQL quotes it."""
    return "`" + name.replace("`", "``") + "`"


def quoted(column: str) -> str:
    """A column's name, or that of a field of a struct (`geo.lat`, of which each part is quoted). One that is quoted is as it is."""
    if _QUOTED.fullmatch(column):
        return column
    parts = column.split(".")
    # No field has an empty name: `.` and `a.` are columns.
    return ".".join(map(backticked, parts if all(parts) else [column]))


def literal(value: Any) -> str:
    """A text, number, truth value, date or time, of NumPy too; `UsageError` for another."""
    value = value.item() if isinstance(value, np.generic) else value
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case int():
            return str(value)
        case float():
            return repr(value) + "D" if math.isfinite(value) else f"double('{value}')"
        case Decimal():
            return f"{value}BD"
        case datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
    raise UsageError(f"{value!r} is no value of a column.", hint="Give a text, number, truth value, date or time.")


def end_of_range(value: Any) -> str:
    """A bound of what lies below or above, as `literal`; whole numbers as decimals, `99.0`.

    Beside a whole number Spark cuts a column of texts to INT: '99.5' is at most 99, what is beyond INT is null. Columns of numbers are
    compared as before, and as fast.
    """
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value}.0"
    return literal(value)


def worded(value: Any) -> str:
    """A value in a sentence: a text of which one would see nothing, or not its ends, in quotes."""
    return repr(value) if isinstance(value, str) and (not value or value != value.strip()) else str(value)
