"""Whether the first line of a CSV file looks like a header or like data."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_DATE = re.compile(r"\s*\d{4}-\d\d?-\d\d?([T ].*)?\s*")
# Whole numbers up to this name years, days and places in wide tables.
_NAMES_UP_TO = 2_100
# One date may be a value; a row of them names the days of a wide table.
_DATES = 2


def looks_like_header(fields: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first line names the columns of the rows below: all its fields are different words, where a column has numbers alone."""
    if not rows or any(not field.strip() or _value(field) for field in fields) or len(set(fields)) < len(fields):
        return False
    columns = [[row[i] for row in rows if len(row) == len(fields)] for i in range(len(fields))]
    return any(column and all(_value(value) for value in column if value) and any(column) for column in columns)


def looks_like_data(fields: Sequence[str]) -> bool:
    """Whether names of columns are values: a number with decimals or too large for a year, or a date among words."""
    dates = sum(bool(_DATE.fullmatch(field)) for field in fields)
    return 0 < dates <= _DATES or any(_NUMBER.fullmatch(field) and _decimal_or_large(field) for field in fields)


def _value(field: str) -> bool:
    return bool(_NUMBER.fullmatch(field) or _DATE.fullmatch(field))


def _decimal_or_large(field: str) -> bool:
    return "." in field or abs(float(field)) > _NAMES_UP_TO
