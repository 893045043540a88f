"""Which numbers are one value, whatever type holds them: 1, 1.0 and 1.50 - 0.50 are, as an integer, a double and a decimal.

A number's numeral is its digits, without exponent or trailing zeros. That of a fraction held by a double is the shortest one that reads
back as it, as people write it: the double 0.1 is the decimal 0.1, not one of 55 digits. Whole doubles have all their digits. A float is
the double of its value, as in Spark's comparisons. Two numbers are one value if they have one numeral.
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.characters import starts_of
from avh_ui.metrics.distinct import Keys, number_keys, text_keys

Floats = NDArray[np.float64]
# Whole numbers up to this are doubles, and a number of so many digits is told apart from others of so many by its double.
WHOLE, DIGITS = 2**53, 15
# The bounds of 64-bit integers, signed and not: doubles below them can be cast.
_SIGNED, _UNSIGNED = 2.0**63, 2.0**64
# So many digits always fit in a 64-bit integer.
_LONG = r"^-?[0-9]{1,18}$"
# Whole numbers of 64 bits have at most so many.
_WORD = r"^-?[0-9]{1,20}$"


def numerals(array: pa.Array) -> pa.Array:
    """The numeral of each number of an Arrow array of integers, floats or decimals, null for null; NaN and Infinity as Java has them."""
    types, kind = pa.types, array.type
    if types.is_floating(kind):
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        texts = _of_doubles(doubles(array.fill_null(0)))
        return texts if valid.all() else pc.if_else(pa.array(valid), texts, pa.scalar(None, pa.large_string()))
    texts = array.cast(pa.large_string())
    if not types.is_decimal(kind):
        return texts
    odd = pc.fill_null(pc.match_substring(texts, "E"), False)
    texts = pc.replace_with_mask(texts, odd, pa.array([format(Decimal(t), "f") for t in texts.filter(odd).to_pylist()], pa.large_string()))
    return pc.utf8_rtrim(pc.utf8_rtrim(texts, "0"), ".") if kind.scale > 0 else texts


def doubles(values: pa.Array) -> Floats:
    """The nearest double of each number of an Arrow array without nulls; -0.0 is 0.0."""
    if pa.types.is_decimal(values.type):
        if (short := _short(values)) is not None:
            return short
        values = values.cast(pa.large_string())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64) + 0.0


def exact_keys(values: pa.Array, numbers: Floats | None = None) -> Keys | None:
    """64-bit keys (n,) of numbers, without nulls, of which several may be the same double; None where none are. `numbers` are the `doubles`
    of `values`.

    A number that is its double has the key of that double, as in columns without keys; another has one of its own.
    """
    types, kind = pa.types, values.type
    if types.is_int64(kind) or types.is_uint64(kind):
        whole = np.asarray(values.to_numpy(zero_copy_only=False))
        if not len(whole) or max(abs(int(whole.min())), abs(int(whole.max()))) <= WHOLE:
            return None
        numbers = doubles(values) if numbers is None else numbers
        # What rounds up to a power of two that the type does not hold cannot be cast back.
        limit = _SIGNED if types.is_int64(kind) else _UNSIGNED
        same = np.where(numbers < limit, numbers, 0).astype(whole.dtype) == whole
        return None if same.all() else np.where(same, number_keys(numbers), whole.view(np.int64))
    if not types.is_decimal(kind) or kind.precision <= DIGITS or _short(values) is not None:
        return None
    return _keys(numerals(values), doubles(values) if numbers is None else numbers)


def text_numbers(texts: pa.Array) -> tuple[Floats, Keys | None]:
    """Numbers written as texts, an Arrow array without nulls: their doubles, and their `exact_keys`."""
    numbers = doubles(texts)
    large = texts if pa.types.is_large_string(texts.type) else texts.cast(pa.large_string())
    if not len(texts) or np.diff(starts_of(large)).max() <= DIGITS:
        return numbers, None
    if pc.all(pc.match_substring_regex(texts, _LONG), min_count=0).as_py():
        return numbers, exact_keys(texts.cast(pa.int64()), numbers)
    return numbers, _keys(_of_texts(texts, numbers), numbers)


def distinct_values(values: pa.Array, *, written: bool) -> int:
    """How many values of an Arrow array are distinct, exactly; null and NaN are none. `written` are numbers as texts, without nulls."""
    values, types = values.drop_null(), pa.types
    if written:
        # Whole numbers need no other text of theirs, and are most of what is written.
        long = pc.all(pc.match_substring_regex(values, _LONG), min_count=0).as_py()
        values = values.cast(pa.int64()) if long else _of_texts(values, doubles(values))
    elif types.is_floating(values.type):
        numbers = doubles(values)
        values = pa.array(numbers[~np.isnan(numbers)])
    return int(pc.count_distinct(values).as_py())


def _of_texts(texts: pa.Array, numbers: Floats) -> pa.Array:
    exact = [_plain(Decimal(text)) if len(text) > DIGITS else None for text in texts.to_pylist()]
    return pc.coalesce(pa.array(exact, pa.large_string()), _of_doubles(numbers))


def _plain(number: Decimal) -> str:
    """Its numeral; of one too long for any table (1e-400 is written in five letters) its shortest form."""
    text = format(number, "f") if abs(number.adjusted()) < 400 else str(number)
    return (text.rstrip("0").rstrip(".") if "." in text and "E" not in text else text).replace("-0", "0", 1 if not number else 0)


def _keys(exact: pa.Array, numbers: Floats) -> Keys | None:
    """Keys by numerals, and the doubles they are nearest to."""
    same = pc.equal(exact, _of_doubles(numbers)).to_numpy(zero_copy_only=False)
    if same.all():
        return None
    keys = number_keys(numbers).copy()
    apart = exact.filter(pa.array(~same))
    own = text_keys(apart)
    # A whole number of 64 bits is its own key, as in a column of integers.
    whole = pc.match_substring_regex(apart, _WORD)
    words = [int(text) for text in apart.filter(whole).to_pylist()]
    bits = [word % 2**64 if -(2**63) <= word < 2**64 else None for word in words]
    found = pa.array(bits, pa.uint64())
    place = whole.to_numpy(zero_copy_only=False)
    own[place] = np.where(found.is_valid(), found.fill_null(0).to_numpy().view(np.int64), own[place])
    keys[~same] = own
    return keys


def _of_doubles(numbers: Floats) -> pa.Array:
    whole = (np.abs(numbers) < _SIGNED) & (np.trunc(numbers) == numbers)
    integers = pa.array(np.where(whole, numbers, 0.0).astype(np.int64)).cast(pa.large_string())
    texts = pc.if_else(pa.array(whole), integers, pa.array(numbers).cast(pa.large_string()))
    # Arrow writes the others that are very large or small with an exponent.
    odd = pc.match_substring_regex(texts, "[en]")
    written = map(_of_double, numbers[odd.to_numpy(zero_copy_only=False)].tolist())
    return pc.replace_with_mask(texts, odd, pa.array(written, pa.large_string()))


def _of_double(number: float) -> str:
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    if abs(number) >= _SIGNED:
        return str(int(number))
    text = repr(number)
    return text if "e" not in text else str(np.format_float_positional(number, trim="-"))


def _short(values: pa.Array) -> Floats | None:
    """The nearest doubles of decimals of at most `DIGITS` digits each, None where some have more.

    Both the digits and the power of ten are doubles then, and their quotient is the nearest; Arrow's own cast multiplies by 0.01 and
    makes 0.57 another double than the text 0.57.
    """
    low, high = (value.as_py() for value in pc.min_max(values).values())
    if low is None:
        return np.zeros(len(values))
    before = max((v.adjusted() + 1 for v in (low, high) if v), default=0)
    scale = min(values.type.scale, DIGITS - max(before, 0))
    if scale < 0:
        return None
    try:
        cut = values.cast(pa.decimal128(38, scale))
    except pa.ArrowInvalid:
        return None
    digits = np.frombuffer(cut.buffers()[1], dtype=np.int64)[::2][cut.offset : cut.offset + len(cut)]
    return digits / np.float64(10.0**scale) + 0.0
