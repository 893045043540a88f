"""Values as the texts that Spark's cast gives, as bytes: the keys of groups and the labels of histograms, alike on every engine."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Java writes doubles of this size without an exponent.
_PLAIN_FROM, _PLAIN_TO = 1e-3, 1e7


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
    if types.is_floating(kind):
        texts = [None if v is None else _double_text(v) for v in _floats(array)]
        return pa.array(texts, pa.large_string()).cast(pa.large_binary())
    if types.is_timestamp(kind):
        texts = array.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.timestamp("us")).cast(pa.string())
        array = pc.replace_substring_regex(pc.replace_substring_regex(texts, r"\.0+$", ""), r"(\.[0-9]*[1-9])0+$", r"\1")
    elif types.is_nested(kind):
        raise TypeError(f"values of type {kind} have no key")
    return array.cast(pa.large_string()).cast(pa.large_binary())


def _floats(array: pa.Array) -> list[np.floating | None]:
    values = array.to_numpy(zero_copy_only=False) + array.type.to_pandas_dtype()(0)  # -0.0 and 0.0 are the same value
    return [value if there else None for value, there in zip(values, array.is_valid().to_pylist(), strict=True)]


def _double_text(value: np.floating) -> str:
    """As Java's `Double.toString` writes it."""
    if not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_TO:
        return np.format_float_positional(value, trim="0")
    return np.format_float_scientific(value, trim="0", exp_digits=1).replace("e+", "E").replace("e", "E")
