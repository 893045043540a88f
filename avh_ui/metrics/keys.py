"""Keys of values: two values are one if their keys are, whatever type and engine they come from; and the labels that are shown of keys.

A number's key is its numeral (`metrics.numerals`), every other value's the text that Spark's cast gives, as bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.numerals import numerals

# Java writes doubles of this size without an exponent.
_PLAIN_FROM, _PLAIN_TO = 1e-3, 1e7
# The form of keys that are shown as they are.
PLAIN = ""


class OldKeysError(ValueError):
    """States cannot be merged because an older release made their keys in another way."""


def key_bytes(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    """One key per value, null for null; two values have the same key only if they are equal. Times are in UTC.

    Numbers, texts, bytes, booleans, dates and times; `TypeError` for other types.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        return key_bytes(array.dictionary_decode())
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return array.cast(pa.large_binary())
    if types.is_floating(kind) or types.is_decimal(kind):
        return numerals(array).cast(pa.large_binary())
    if types.is_timestamp(kind):
        texts = array.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.timestamp("us")).cast(pa.string())
        array = pc.replace_substring_regex(pc.replace_substring_regex(texts, r"\.0+$", ""), r"(\.[0-9]*[1-9])0+$", r"\1")
    elif types.is_nested(kind):
        raise TypeError(f"values of type {kind} have no key")
    return array.cast(pa.large_string()).cast(pa.large_binary())


def form_of(kind: pa.DataType) -> str:
    """How the keys of values of this type are shown: `double`, `float`, `decimal` with its scale, or `PLAIN`."""
    if pa.types.is_decimal(kind):
        return f"decimal {kind.scale}" if kind.scale else PLAIN
    return PLAIN if not pa.types.is_floating(kind) else "double" if pa.types.is_float64(kind) else "float"


def labels(keys: Sequence[str | None], form: str) -> list[str | None]:
    """Keys as Spark's cast writes the values of a form, Deequ's labels of histograms."""
    if form.startswith("decimal"):
        scale = int(form.split()[1])
        numbers = [None if key is None else Decimal(key) for key in keys]
        return list(pa.array(numbers, pa.decimal256(76, scale)).cast(pa.string()).to_pylist())
    if form == PLAIN:
        return list(keys)
    holds = np.float32 if form == "float" else np.float64
    return [None if key is None else _double_text(holds(key)) for key in keys]


def _double_text(value: np.floating) -> str:
    """As Java's `Double.toString` writes it."""
    if not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_TO:
        return np.format_float_positional(value, trim="0")
    return np.format_float_scientific(value, trim="0", exp_digits=1).replace("e+", "E").replace("e", "E")
