"""How the numbers of a CSV file are written: with a decimal comma, a comma between thousands, a minus behind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from avh_ui.scan.csv_nulls import is_null_word

NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)*|\.\d+)([eE][-+]?\d+)?%?|\d+([.,]\d+)*-")
# SAP writes a minus behind the number.
_SIGNED = r"([-+]?{0}|{0}-)"
# A comma before one or two digits, or after thousands: `1,234` alone may be either.
_DECIMAL_COMMA = re.compile(_SIGNED.format(r"(\d+,\d{1,2}|\d+,\d{4,}|\d{1,3}([.' \u2019\u00a0\u202f]\d{3})+,\d+)"))
# A comma between thousands, and a point before decimals; or a minus behind, which is read where it is named with these.
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?-?|\d+(\.\d+)?-")
_POINT_NUMBER = re.compile(_SIGNED.format(r"(\d+|\d{1,3}(,\d{3})+)(\.\d+)?"))
_COMMA_NUMBER = re.compile(_SIGNED.format(r"(\d+|\d{1,3}([.' \u2019\u00a0\u202f]\d{3})+)(,\d+)?"))


def numbers_of(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The columns of numbers with a decimal comma, those of numbers with one between thousands, and what is said of them."""
    commas = _numbers_in(columns, rows, _DECIMAL_COMMA, _COMMA_NUMBER)
    remarks: tuple[str, ...] = (f"Numbers with a decimal comma: {', '.join(commas)}.",) if commas else ()
    apart = tuple(name for name in _numbers_in(columns, rows, _THOUSANDS, _POINT_NUMBER) if name not in commas)
    if apart:
        remarks += (f"Numbers with a comma between thousands or a minus behind: {', '.join(apart)}.",)
    return commas, apart, remarks


def _numbers_in(columns: Sequence[str], rows: Sequence[Sequence[str]], some: re.Pattern[str], every: re.Pattern[str]) -> tuple[str, ...]:
    """The columns whose texts are all numbers of one way of writing, or say that there is none, which some of them show: a decimal comma
    and no point in its place, say.
    """
    fields = zip(columns, zip(*rows, strict=True), strict=True) if rows else ()
    found = []
    for name, column in fields:
        there = [field.strip() for field in column if field.strip() and not is_null_word(field)]
        if any(map(some.fullmatch, there)) and all(map(every.fullmatch, there)):
            found.append(name)
    return tuple(found)
