"""Arithmetic as Spark's without ANSI mode: a divisor of 0 gives null. What overflows is Spark's to refuse."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast, zero
from avh_ui.metrics.sql.nodes import Constant, Datum, Node, call, scalar_of

# Of doubles or of whole numbers, of 64 bits or of any size.
Numbers: TypeAlias = Any
# So many digits always fit in a 64-bit integer.
_LONG_DIGITS = 18
# Decimals keep at least so many places when they are divided.
_PLACES = 6
# Doubles below it fit in a 64-bit integer.
_LIMIT = 2.0**63


def add(one: Node, other: Node) -> Node:
    """`one + other`."""
    return _sum(one, other, pc.add_checked, pc.add)


def subtract(one: Node, other: Node) -> Node:
    """`one - other`."""
    return _sum(one, other, pc.subtract_checked, pc.subtract)


def multiply(one: Node, other: Node) -> Node:
    """`one * other`."""
    one, other = _operands(one, other)
    if t.is_decimal(one.type):
        kind = t.decimal(one.type.precision + other.type.precision + 1, one.type.scale + other.type.scale)
        return call(kind, partial(_checked, run=pc.multiply_checked), one, other, options=(kind,))
    return call(one.type, partial(_checked, run=_of(one.type, pc.multiply_checked, pc.multiply)), one, other, options=(one.type,))


def divide(one: Node, other: Node) -> Node:
    """`one / other`: of decimals a decimal, of all else a double."""
    one, other = _texts_as_doubles(one), _texts_as_doubles(other)
    if _decimals(one, other):
        one, other = _as_decimals(one, other)
        (p1, s1), (p2, s2) = (one.type.precision, one.type.scale), (other.type.precision, other.type.scale)
        scale = max(_PLACES, s1 + p2 + 1)
        return call(t.decimal(p1 - s1 + s2 + scale, scale), _quotient, one, other, options=(t.decimal(p1 - s1 + s2 + scale, scale),))
    one, other = cast(_number(one), t.DOUBLE), cast(_number(other), t.DOUBLE)
    return call(t.DOUBLE, _divided, one, other)


def remainder(one: Node, other: Node) -> Node:
    """`one % other`, with the sign of `one`."""
    one, other = _operands(one, other)
    if t.is_decimal(one.type):
        scale = max(one.type.scale, other.type.scale)
        kind = t.decimal(min(one.type.precision - one.type.scale, other.type.precision - other.type.scale) + scale, scale)
        return call(kind, _remainder_of_decimals, one, other, options=(kind,))
    return call(one.type, _remainder, one, other)


def whole_quotient(one: Node, other: Node) -> Node:
    """`one DIV other`, cut towards zero."""
    if not all(node.type in t.INTEGRAL for node in (one, other)):
        raise DeclinedError("DIV of other than whole numbers")
    return call(t.BIGINT, _whole_quotient, cast(one, t.BIGINT), cast(other, t.BIGINT))


def negate(one: Node) -> Node:
    """`-one`."""
    one = _number(_texts_as_doubles(one))
    value = scalar_of(one)
    # Spark reads the sign with the number: the least of a type is one of it.
    for kind in (t.INT, t.BIGINT):
        if value == 2 ** (kind.bit_width - 1) and _written(one):
            return Constant(kind, pa.array([-int(value)], kind), written=True)
    found = call(one.type, partial(_checked, run=_of(one.type, pc.negate_checked, pc.negate)), one, options=(one.type,))
    return Constant(found.type, found.values, written=True) if isinstance(found, Constant) and _written(one) else found


def absolute(one: Node) -> Node:
    """`abs(one)`."""
    one = _number(_texts_as_doubles(one))
    return call(one.type, partial(_checked, run=_of(one.type, pc.abs_checked, pc.abs)), one, options=(one.type,))


def rounded(one: Node, run: Callable[..., Datum]) -> Node:
    """The whole number below or above."""
    one = _number(_texts_as_doubles(one))
    if t.is_decimal(one.type):
        kind = t.decimal(one.type.precision - one.type.scale + 1, 0) if one.type.scale else one.type
        return call(kind, _of_decimals, one, options=(run, kind))
    if one.type in t.INTEGRAL:
        return cast(one, t.BIGINT)
    return call(t.BIGINT, partial(_saturated, run=run), cast(one, t.DOUBLE))


def _of(kind: pa.DataType, checked: Callable[..., Datum], plain: Callable[..., Datum]) -> Callable[..., Datum]:
    return plain if kind in t.FRACTIONAL else checked


def _checked(*values: Datum, run: Callable[..., Datum]) -> Datum:
    *operands, kind = values
    try:
        return pc.cast(run(*operands), kind)
    except pa.ArrowInvalid as error:
        raise DeclinedError("a number overflows") from error


def _sum(one: Node, other: Node, checked: Callable[..., Datum], plain: Callable[..., Datum]) -> Node:
    one, other = _operands(one, other)
    kind = one.type
    if t.is_decimal(kind):
        scale = max(one.type.scale, other.type.scale)
        digits = max(one.type.precision - one.type.scale, other.type.precision - other.type.scale) + scale + 1
        kind = t.decimal(digits, scale)
    return call(kind, partial(_checked, run=_of(kind, checked, plain)), one, other, options=(kind,))


def _operands(one: Node, other: Node) -> tuple[Node, Node]:
    """Both as they are computed with: of one type, or as decimals."""
    one, other = _texts_as_doubles(one), _texts_as_doubles(other)
    if _decimals(one, other):
        return _as_decimals(one, other)
    kind = t.compared(_number(one).type, _number(other).type)
    # NULL alone is a whole number here; whatever is done with it is null.
    kind = t.INT if kind == t.NULL else kind
    return cast(one, kind), cast(other, kind)


def _decimals(one: Node, other: Node) -> bool:
    kinds = (one.type, other.type)
    return any(map(t.is_decimal, kinds)) and all(t.is_decimal(k) or k in t.INTEGRAL for k in kinds)


def _as_decimals(one: Node, other: Node) -> tuple[Node, Node]:
    return _as_decimal(one), _as_decimal(other)


def _written(node: Node) -> bool:
    return isinstance(node, Constant) and node.written


def _as_decimal(node: Node) -> Node:
    if t.is_decimal(node.type):
        return node
    if _written(node) and node.type != t.TINYINT:
        # A whole number that is written has the digits that it has, and no more; Spark forgets this of `5Y`.
        return cast(node, pa.decimal128(len(str(abs(scalar_of(node)))), 0))
    return cast(node, t.as_decimal(node.type))


def _texts_as_doubles(node: Node) -> Node:
    return cast(node, t.DOUBLE) if node.type == t.STRING else node


def _number(node: Node) -> Node:
    if node.type != t.NULL and not t.is_number(node.type):
        raise DeclinedError(f"it computes with {t.name_of(node.type)}")
    return node


def _nonzero(divisor: Datum) -> Datum:
    return pc.if_else(pc.equal(divisor, zero(divisor.type)), pa.scalar(None, divisor.type), divisor)


def _saturated(values: Datum, run: Callable[..., Datum]) -> Datum:
    """As Java makes long numbers of doubles: 0 of NaN, and the nearest of what is too large."""
    found = run(values)
    inside = pc.and_(pc.greater_equal(found, -_LIMIT), pc.less(found, _LIMIT))
    beyond = pc.if_else(pc.is_nan(found), 0, pc.if_else(pc.greater(found, 0.0), 2**63 - 1, -(2**63)))
    return pc.if_else(inside, pc.cast(pc.if_else(inside, found, 0.0), t.BIGINT, safe=False), beyond)


def _divided(one: Datum, other: Datum) -> Datum:
    return pc.divide(one, _nonzero(other))


def _by_numpy(run: Callable[..., Numbers], one: Datum, other: Datum, kind: pa.DataType) -> Datum:
    """Of two numbers that are there; NumPy sees ones where null is."""
    arrays = [v if isinstance(v, pa.Array) else pa.array([v.as_py()], v.type) for v in (one, other)]
    missing = [a.is_null().to_numpy(zero_copy_only=False) for a in arrays]
    numbers = [a.fill_null(1).to_numpy(zero_copy_only=False) for a in arrays]
    return pa.array(run(*numbers), kind, mask=np.logical_or(*missing))


def _remainder(one: Datum, other: Datum) -> Datum:
    with np.errstate(invalid="ignore"):
        return _by_numpy(np.fmod, one, _nonzero(other), one.type)


def _whole_quotient(one: Datum, other: Datum) -> Datum:
    def run(a: Numbers, b: Numbers) -> Numbers:
        if ((a == np.iinfo(np.int64).min) & (b == -1)).any():
            raise DeclinedError("a number overflows")
        # NumPy rounds down.
        return (a - np.fmod(a, b)) // b

    return _by_numpy(run, one, _nonzero(other), t.BIGINT)


def _of_decimals(values: Datum, run: Callable[..., Datum], kind: pa.DataType) -> Datum:
    # Rounded up a decimal may have one digit more.
    return pc.cast(run(pc.cast(values, pa.decimal256(76, values.type.scale))), kind)


def _quotient(one: Datum, other: Datum, kind: pa.DataType) -> Datum:
    """Of decimals, rounded half up."""
    shift = kind.scale - one.type.scale + other.type.scale

    def run(a: Numbers, b: Numbers) -> Numbers:
        # Twice the numerator and once the divisor, halved: half up for what is positive.
        magnitude = (2 * np.abs(a) * 10**shift + np.abs(b)) // (2 * np.abs(b))
        return np.where((a < 0) != (b < 0), -magnitude, magnitude)

    return _of_digits(run, one, _nonzero(other), kind, max(one.type.precision + shift, other.type.precision) + 1)


def _remainder_of_decimals(one: Datum, other: Datum, kind: pa.DataType) -> Datum:
    up, over = kind.scale - one.type.scale, kind.scale - other.type.scale

    def run(a: Numbers, b: Numbers) -> Numbers:
        rest = np.abs(a * 10**up) % np.abs(b * 10**over)
        return np.where(a < 0, -rest, rest)

    return _of_digits(run, one, _nonzero(other), kind, max(one.type.precision + up, other.type.precision + over))


def _of_digits(run: Callable[..., Numbers], one: Datum, other: Datum, kind: pa.DataType, most: int) -> Datum:
    """Of two decimals' digits as whole numbers, of at most so many digits on the way: 64-bit ones where that is enough."""
    arrays = [v if isinstance(v, pa.Array) else pa.array([v.as_py()], v.type) for v in (one, other)]
    missing = np.logical_or(*(a.is_null().to_numpy(zero_copy_only=False) for a in arrays))
    found = run(*(_unscaled(values, most <= _LONG_DIGITS) for values in arrays))
    missing = np.broadcast_to(missing, found.shape)
    if most > _LONG_DIGITS or kind.precision > _LONG_DIGITS:
        with localcontext(prec=t.MOST_DIGITS):
            told = [None if null else Decimal(int(value)).scaleb(-kind.scale) for value, null in zip(found, missing, strict=True)]
        return pa.array(told, kind)
    # A decimal is its digits in 16 bytes, the low ones first.
    words = np.stack([found, found >> 63], axis=1)
    valid = pa.array(~missing).buffers()[1] if missing.any() else None
    return pa.Array.from_buffers(kind, len(found), [valid, pa.py_buffer(np.ascontiguousarray(words, dtype=np.int64))])


def _unscaled(values: pa.Array, short: bool) -> Numbers:
    """The digits as whole numbers; 1 where null is."""
    filled = values.fill_null(Decimal(1).scaleb(-values.type.scale))
    if short:
        return np.frombuffer(filled.buffers()[1], dtype=np.int64)[::2][filled.offset : filled.offset + len(filled)]
    with localcontext(prec=t.MOST_DIGITS):
        return np.array([int(value.scaleb(values.type.scale)) for value in filled.to_pylist()], dtype=object)
