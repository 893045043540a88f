"""What Spark makes of texts that are cast. Arrow casts those that are as most are; the others are read one by one, equal ones once."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.nodes import Datum

# Java's white space and control characters below 128, which stand around a value without meaning.
_BLANK = "".join(map(chr, [*range(0x21), 0x7F]))
_TRUE, _FALSE = frozenset({"t", "true", "y", "yes", "1"}), frozenset({"f", "false", "n", "no", "0"})
_WHOLE = re.compile(r"[+-]?[0-9]*(?:\.[0-9]*)?")
_STRICTLY_WHOLE = re.compile(r"[+-]?[0-9]+")
# Java's numbers: a suffix for the type, digits on one side of the point; and those that are written by their names.
_DOUBLE = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[dDfF]?")
_HEXADECIMAL = re.compile(r"[+-]?0[xX]")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:([eE])([+-]?[0-9]+))?")
# So many digits are enough to round exactly what no decimal of Spark's may hold.
_DIGITS = 100
_NAMED = {"inf": "inf", "+inf": "inf", "infinity": "inf", "+infinity": "inf", "-inf": "-inf", "-infinity": "-inf", "nan": "nan"}
_DATE = re.compile(r"([+-]?)([0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?", re.DOTALL)
_TIME = re.compile(
    r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T]([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]{1,9}))?)?"
    r" ?(Z|UTC|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)
# What may be a time in some of Spark's other forms: a year of other length, a time of day alone, a zone by its name.
_MAY_BE_TIME = re.compile(r"[+-]?[0-9]{4,}(?:-[0-9]{1,2}(?:-[0-9]{1,2}(?:[ T].*)?)?)?|T?[0-9]{1,2}:.*", re.DOTALL)
# Texts that Arrow reads as Spark does, and that no day or hour can make impossible.
_PLAIN_WHOLE, _PLAIN_DOUBLE = r"^[+-]?[0-9]{1,9}$", r"^[+-]?[0-9]+(\.[0-9]+)?$"
_PLAIN_DAY = r"[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])"
_PLAIN_DATE, _PLAIN_TIME = rf"^{_PLAIN_DAY}$", rf"^{_PLAIN_DAY}[ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{{1,6}})?$"


def _whole(text: str, kind: pa.DataType, *, strictly: bool) -> int | None:
    found = text.strip(_BLANK)
    if not found or found in "+-" or not (_STRICTLY_WHOLE if strictly else _WHOLE).fullmatch(found):
        return None
    digits = found.split(".", 1)[0]
    value = int(digits) if digits.strip("+-") else 0
    limit = 2 ** (kind.bit_width - 1)
    return value if -limit <= value < limit else None


def _double(text: str) -> float | None:
    found = text.strip(_BLANK)
    if named := _NAMED.get(found.lower()):
        return float(named)
    if match := _DOUBLE.fullmatch(found):
        return float(match[1])
    if _HEXADECIMAL.match(found):
        raise DeclinedError("a text may be a number to the base of 16")
    return None


def _decimal(text: str, kind: pa.DataType) -> Decimal | None:
    found = _DECIMAL.fullmatch(text.strip(_BLANK))
    if found is None:
        return None
    if len(found[2] or "") > 4:
        raise DeclinedError("a text may be a decimal with a large exponent")
    with localcontext(prec=_DIGITS):
        try:
            told = Decimal(found[0]).quantize(Decimal(1).scaleb(-kind.scale), ROUND_HALF_UP)
        except InvalidOperation:
            return None
        return told if abs(told) < Decimal(10) ** (kind.precision - kind.scale) else None


def _boolean(text: str) -> bool | None:
    found = text.strip(_BLANK).lower()
    return True if found in _TRUE else False if found in _FALSE else None


def _date(text: str) -> date | None:
    found = _DATE.fullmatch(text.strip(_BLANK))
    if found is None:
        return None
    year = int(found[1] + found[2])
    if not 1 <= year <= 9999:
        raise DeclinedError("a year has not four digits")
    try:
        return date(year, int(found[3] or 1), int(found[4] or 1))
    except ValueError:
        return None


def _time(text: str, *, zoned: bool) -> datetime | None:
    found = text.strip(_BLANK)
    match = _TIME.fullmatch(found)
    if match is None:
        if _MAY_BE_TIME.fullmatch(found):
            raise DeclinedError("a text may be a time in a form of Spark's own")
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    if (zone and not zoned) or year == "0000":
        raise DeclinedError("a text may be a time in a form of Spark's own")
    try:
        micros = int((fraction or "0")[:6].ljust(6, "0"))
        told = datetime(int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0), micros, _zone(zone))
        return told.astimezone(UTC) if zoned else told.replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


def _zone(name: str | None) -> timezone:
    if name is None or name in ("Z", "UTC"):
        return UTC
    hours, minutes = int(name[1:3]), int(name[4:6])
    if hours > 18 or minutes > 59 or (hours == 18 and minutes):
        raise ValueError(name)
    return timezone((1 if name[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))


def _cast(values: Datum, kind: pa.DataType, plain: str, read: Callable[[str], Any]) -> Datum:
    """Those that are `plain` by Arrow, the others by `read`."""
    if isinstance(values, pa.Scalar):
        return _cast(pa.array([values.as_py()], t.STRING), kind, plain, read)[0]
    odd = pc.invert(pc.match_substring_regex(values, plain)) if plain else pc.is_valid(values)
    some = values.filter(odd)
    # Arrow takes no sign before what is positive.
    regular = (
        pc.replace_substring_regex(pc.if_else(odd, pa.scalar(None, t.STRING), values), r"^\+", "")
        if plain in (_PLAIN_WHOLE, _PLAIN_DOUBLE)
        else values
    )
    if not len(some):
        return _regular(regular, kind)
    distinct = some.dictionary_encode()
    told = pa.array([read(text) for text in distinct.dictionary.to_pylist()], kind)
    regular = pc.if_else(odd, pa.scalar(None, t.STRING), regular) if plain else pa.nulls(len(values), t.STRING)
    return pc.replace_with_mask(_regular(regular, kind), pc.fill_null(odd, False), told.take(distinct.indices))


def _regular(values: pa.Array, kind: pa.DataType) -> pa.Array:
    # Of a time with a zone Arrow would have the text name it.
    return values.cast(t.TIMESTAMP_NTZ).cast(kind) if kind == t.TIMESTAMP else values.cast(kind)


def decimals(values: Datum, kind: pa.DataType) -> Datum:
    """Texts as decimals, rounded half up to the places of the type; null for what is none, or too large."""
    return _cast(values, kind, "", partial(_decimal, kind=kind))


# By type, and by (type, True) where TRY_CAST reads texts otherwise: as ANSI mode does, to which 1.5 is no whole number.
CASTS_OF_TEXTS: dict[Any, Callable[[Datum], Datum]] = {
    t.DOUBLE: partial(_cast, kind=t.DOUBLE, plain=_PLAIN_DOUBLE, read=_double),
    t.BOOLEAN: partial(_cast, kind=t.BOOLEAN, plain="", read=_boolean),
    t.DATE: partial(_cast, kind=t.DATE, plain=_PLAIN_DATE, read=_date),
    t.TIMESTAMP: partial(_cast, kind=t.TIMESTAMP, plain=_PLAIN_TIME, read=partial(_time, zoned=True)),
    t.TIMESTAMP_NTZ: partial(_cast, kind=t.TIMESTAMP_NTZ, plain=_PLAIN_TIME, read=partial(_time, zoned=False)),
}
for _kind, _plain in ((t.TINYINT, ""), (t.SMALLINT, ""), (t.INT, _PLAIN_WHOLE), (t.BIGINT, _PLAIN_WHOLE)):
    CASTS_OF_TEXTS[_kind] = partial(_cast, kind=_kind, plain=_plain, read=partial(_whole, kind=_kind, strictly=False))
    CASTS_OF_TEXTS[_kind, True] = partial(_cast, kind=_kind, plain=_plain, read=partial(_whole, kind=_kind, strictly=True))
