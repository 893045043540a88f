"""Spark's types in Arrow's words, and which type two operands take (Spark's rules without ANSI mode)."""

from __future__ import annotations

import re

import pyarrow as pa

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.type_names import arrow_tree

NULL, BOOLEAN, STRING, DATE = pa.null(), pa.bool_(), pa.string(), pa.date32()
TINYINT, SMALLINT, INT, BIGINT = pa.int8(), pa.int16(), pa.int32(), pa.int64()
FLOAT, DOUBLE = pa.float32(), pa.float64()
TIMESTAMP, TIMESTAMP_NTZ = pa.timestamp("us", "UTC"), pa.timestamp("us")
TIMES = (TIMESTAMP, TIMESTAMP_NTZ)
# From the narrowest to the widest: two numbers take the wider type, a float beside a bigint too.
_NUMBERS = (TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE)
INTEGRAL, FRACTIONAL = _NUMBERS[:4], _NUMBERS[4:]
# The digits of each whole number as a decimal.
_DIGITS = {TINYINT: 3, SMALLINT: 5, INT: 10, BIGINT: 20}
MOST_DIGITS = 38
BY_NAME: dict[str, pa.DataType] = {
    "tinyint": TINYINT, "smallint": SMALLINT, "int": INT, "bigint": BIGINT, "float": FLOAT, "double": DOUBLE, "boolean": BOOLEAN,
    "string": STRING, "date": DATE, "timestamp": TIMESTAMP, "timestamp_ntz": TIMESTAMP_NTZ, "null": NULL,
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


def spark_type(arrow_type: pa.DataType) -> pa.DataType:
    """The type that values of an Arrow type have in Spark; Arrow's own where conditions look only at whether a value is there."""
    found = named(arrow_tree(arrow_type).name)
    return arrow_type if found is None else found


def named(name: str) -> pa.DataType | None:
    """The type of Spark's of a name; None for one that conditions only look at for null."""
    if found := _DECIMAL.fullmatch(name):
        return pa.decimal128(int(found[1]), int(found[2])) if int(found[1]) <= MOST_DIGITS else None
    return BY_NAME.get(name)


def name_of(kind: pa.DataType) -> str:
    """What Spark calls a type."""
    return arrow_tree(kind).name


def single(kind: pa.DataType) -> bool:
    """Whether values of the type can be compared and computed with here."""
    return kind in BY_NAME.values() or pa.types.is_decimal128(kind)


def is_decimal(kind: pa.DataType) -> bool:
    """Whether it is a decimal."""
    return bool(pa.types.is_decimal128(kind))


def is_number(kind: pa.DataType) -> bool:
    """Whether it is a number of any type."""
    return kind in _NUMBERS or is_decimal(kind)


def decimal(precision: int, scale: int) -> pa.DataType:
    """A decimal; `DeclinedError` for one of more digits than there are: Spark then gives up some of its scale."""
    if precision > MOST_DIGITS:
        raise DeclinedError(f"it computes with decimals of more than {MOST_DIGITS} digits")
    return pa.decimal128(precision, scale)


def as_decimal(kind: pa.DataType) -> pa.DataType:
    """The decimal that holds all values of a whole number's type."""
    return kind if is_decimal(kind) else pa.decimal128(_DIGITS[kind], 0)


def wider_decimal(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The decimal that holds the values of both."""
    scale = max(one.scale, other.scale)
    return decimal(max(one.precision - one.scale, other.precision - other.scale) + scale, scale)


def _tightest(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """What both become without losing anything but the last digits of a whole number (`TypeCoercion.findTightestCommonType`)."""
    if other in (one, NULL):
        return one
    if one == NULL:
        return other
    if one in _NUMBERS and other in _NUMBERS:
        return _NUMBERS[max(_NUMBERS.index(one), _NUMBERS.index(other))]
    if {one, other} <= {DATE, *TIMES}:
        return TIMESTAMP if TIMESTAMP in (one, other) else TIMESTAMP_NTZ
    if is_number(one) and is_number(other):
        return DOUBLE if one in FRACTIONAL or other in FRACTIONAL else wider_decimal(as_decimal(one), as_decimal(other))
    return None


def common(*kinds: pa.DataType) -> pa.DataType:
    """What the branches of CASE, the arguments of coalesce and the members of IN become: beside a text all are texts.

    Texts are looked at first (`TypeCoercion.findWiderCommonType`).
    """
    found = NULL
    for kind in sorted(kinds, key=lambda k: k != STRING):
        wider = _tightest(found, kind)
        if wider is None and STRING in (found, kind) and BOOLEAN not in (found, kind):
            wider = STRING if single(found) and single(kind) else None
        if wider is None:
            raise _unlike(found, kind)
        found = wider
    return found


def compared(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """What two values become to be compared: a text becomes what it is compared with (`findCommonTypeForBinaryComparison`)."""
    wider = _tightest(one, other)
    if wider is None and STRING in (one, other):
        beside = other if one == STRING else one
        wider = DOUBLE if is_decimal(beside) else beside if single(beside) else None
    if wider is None:
        raise _unlike(one, other)
    return wider


def _unlike(one: pa.DataType, other: pa.DataType) -> DeclinedError:
    return DeclinedError(f"it brings together {name_of(one)} and {name_of(other)}")
