"""CAST as Spark does it without ANSI mode: what cannot be cast is null, but a number that its type cannot hold is Spark's to refuse."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.numerals import doubles
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.nodes import Datum, Node, call, constant
from avh_ui.metrics.sql.text_casts import CASTS_OF_TEXTS, decimals

# Beyond so many places Spark writes small decimals with an exponent.
_PLACES = 6
_SECOND = 1_000_000
# The days whose year has four digits.
_FIRST, _LAST = -719_162, 2_932_896


def cast(node: Node, kind: pa.DataType, *, trying: bool = False) -> Node:
    """The node's values as another type; with `trying` what its type cannot hold is null. `DeclinedError` for what takes Spark."""
    if node.type == kind:
        return node
    if node.type == t.NULL:
        return constant(kind, None)
    return call(kind, _run_of(node.type, kind, trying), node)


def _run_of(one: pa.DataType, other: pa.DataType, trying: bool) -> Callable[[Datum], Datum]:
    """What casts one type to the other."""
    found = None
    if one == t.STRING:
        found = partial(decimals, kind=other) if t.is_decimal(other) else CASTS_OF_TEXTS.get((other, trying), CASTS_OF_TEXTS.get(other))
    elif other == t.STRING:
        found = _to_text(one)
    elif t.is_number(one) or one == t.BOOLEAN:
        found = _of_number(one, other, trying)
    elif other in t.TIMES and one in (t.DATE, *t.TIMES):
        found = partial(_times, kind=other)
    elif one in t.TIMES:
        found = (
            _days if other == t.DATE else partial(_seconds, kind=other) if other in (t.BIGINT, t.DOUBLE) and one == t.TIMESTAMP else None
        )
    if found is None:
        raise DeclinedError(f"it casts {t.name_of(one)} to {t.name_of(other)}")
    return found


def _to_text(one: pa.DataType) -> Callable[[Datum], Datum] | None:
    if one == t.DATE or one in t.TIMES:
        return _texts_of_days if one == t.DATE else _texts_of_times
    plain = one == t.BOOLEAN or one in t.INTEGRAL or (t.is_decimal(one) and one.scale <= _PLACES)
    return partial(pc.cast, target_type=t.STRING) if plain else None


def _of_number(one: pa.DataType, other: pa.DataType, trying: bool) -> Callable[[Datum], Datum] | None:
    if other == t.BOOLEAN:
        return _truths
    if other in t.FRACTIONAL:
        return partial(_doubles, kind=other) if t.is_decimal(one) else partial(pc.cast, target_type=other, safe=False)
    if other in t.INTEGRAL:
        return partial(_whole, kind=other, trying=trying)
    exact = one in t.INTEGRAL or t.is_decimal(one)
    return partial(_decimals, kind=other, trying=trying) if t.is_decimal(other) and exact else None


def zero(kind: pa.DataType) -> pa.Scalar:
    """0 of a type of numbers."""
    return pa.scalar(Decimal(0) if t.is_decimal(kind) else 0, kind)


def _truths(values: Datum) -> Datum:
    return pc.not_equal(values, zero(values.type))


def _doubles(values: Datum, kind: pa.DataType) -> Datum:
    """Decimals as their nearest doubles."""
    each = values if isinstance(values, pa.Array) else pa.array([values.as_py()], values.type)
    # Zeros stand where null does.
    numbers = doubles(each.fill_null(0))
    found = pa.array(numbers, mask=each.is_null().to_numpy(zero_copy_only=False)).cast(kind, safe=False)
    return found if isinstance(values, pa.Array) else found[0]


def _whole(values: Datum, kind: pa.DataType, trying: bool) -> Datum:
    """Numbers cut towards zero."""
    if values.type == t.BOOLEAN:
        return pc.cast(values, kind)
    whole = values if values.type in t.INTEGRAL else pc.trunc(values)
    limit = 2 ** (kind.bit_width - 1)
    if values.type in t.INTEGRAL and values.type.bit_width <= kind.bit_width:
        return pc.cast(whole, kind)
    if t.is_decimal(values.type):
        inside = _between(pc.cast(whole, pa.decimal256(76, 0)), Decimal(-limit), Decimal(limit), pa.decimal256(76, 0))
    elif values.type in t.FRACTIONAL:
        inside = _between(whole, float(-limit), float(limit), values.type)
    else:
        inside = _between(whole, -limit, limit, values.type)
    if not trying and not pc.all(inside, min_count=0).as_py():
        raise DeclinedError(f"a number is too large for {t.name_of(kind)}")
    return pc.cast(pc.if_else(inside, whole, pa.scalar(None, whole.type)), kind, safe=False)


def _between(values: Datum, low: Any, limit: Any, kind: pa.DataType) -> Datum:
    return pc.and_(pc.greater_equal(values, pa.scalar(low, kind)), pc.less(values, pa.scalar(limit, kind)))


def _decimals(values: Datum, kind: pa.DataType, trying: bool) -> Datum:
    """Rounded half up to the places of the type."""
    exact = pc.cast(values, pa.decimal256(76, values.type.scale if t.is_decimal(values.type) else 0))
    rounded = pc.round(exact, ndigits=kind.scale, round_mode="half_towards_infinity") if exact.type.scale > kind.scale else exact
    limit = Decimal(10) ** (kind.precision - kind.scale)
    inside = pc.and_(pc.less(rounded, pa.scalar(limit)), pc.greater(rounded, pa.scalar(-limit)))
    if not trying and not pc.all(inside, min_count=0).as_py():
        raise DeclinedError(f"a number is too large for {t.name_of(kind)}")
    return pc.cast(pc.if_else(inside, rounded, pa.scalar(None, rounded.type)), kind)


def _texts_of_days(days: Datum) -> Datum:
    _told(pc.cast(days, pa.int32()), _FIRST, _LAST)
    return pc.cast(days, t.STRING)


def _texts_of_times(times: Datum) -> Datum:
    micros = pc.cast(times, pa.int64())
    _told(micros, _FIRST * 86_400 * _SECOND, (_LAST + 1) * 86_400 * _SECOND - 1)
    return pc.replace_substring_regex(pc.cast(pc.cast(times, t.TIMESTAMP_NTZ), t.STRING), r"\.?0+$", "")


def _told(numbers: Datum, first: int, last: int) -> None:
    """Years of four digits alone are written alike."""
    low, high = pc.min_max(numbers).values() if isinstance(numbers, pa.Array) else (numbers, numbers)
    if low.is_valid and (low.as_py() < first or high.as_py() > last):
        raise DeclinedError("a year has not four digits")


def _times(values: Datum, kind: pa.DataType) -> Datum:
    """Days as their midnights, in UTC."""
    return pc.cast(pc.cast(values, t.TIMESTAMP_NTZ), kind)


def _days(times: Datum) -> Datum:
    return pc.cast(pc.floor_temporal(pc.cast(times, t.TIMESTAMP_NTZ), unit="day"), t.DATE)


def _seconds(times: Datum, kind: pa.DataType) -> Datum:
    micros = pc.cast(times, pa.int64())
    if kind == t.DOUBLE:
        return pc.divide(pc.cast(micros, t.DOUBLE, safe=False), float(_SECOND))
    if isinstance(micros, pa.Scalar):
        return pa.scalar(None if micros.as_py() is None else micros.as_py() // _SECOND, t.BIGINT)
    seconds = np.floor_divide(micros.fill_null(0).to_numpy(zero_copy_only=False), _SECOND)
    return pa.array(seconds, mask=micros.is_null().to_numpy(zero_copy_only=False))
