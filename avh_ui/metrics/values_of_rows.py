"""From the columns of sampled rows to their values: typed once for all texts of a batch together, since small batches pay by the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import decoded, kind_of
from avh_ui.metrics.numerals import doubles
from avh_ui.metrics.sampled_values import LONGEST, NUMBER, TIME, SampledValues, hashed_value
from avh_ui.metrics.written_numbers import which_are_numbers

# What is kept of a longer text beside its hash.
_BEGINNING = 24
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def values_of(columns: Mapping[str, pa.Array], untyped: Set[str] = frozenset()) -> dict[str, SampledValues]:
    """The values of each column, by name; texts of the columns `untyped` may be numbers. Nested values are nulls."""
    found: dict[str, SampledValues] = {}
    texts: dict[tuple[bool, str], dict[str, pa.Array]] = {}
    for name, column in columns.items():
        array = decoded(column)
        kind = kind_of(array.type)
        if kind == "skipped" or pa.types.is_null(array.type):
            found[name] = SampledValues.nothing(len(array))
        elif kind in ("numeric", "temporal"):
            found[name] = _of_numbers(array)
        else:
            array = array.cast(pa.string()) if kind == "boolean" else array
            # Long texts stand alone: all columns of them together may be more than one array holds.
            written = name in untyped and (pa.types.is_string(array.type) or pa.types.is_large_string(array.type))
            group = (written, name if _longest(array) > LONGEST else "")
            texts.setdefault(group, {})[name] = array
    for (written, _), arrays in texts.items():
        found |= dict(zip(arrays, _of_texts(list(arrays.values()), untyped=written), strict=True))
    return {name: found[name] for name in columns}


def _of_texts(arrays: Sequence[pa.Array], *, untyped: bool) -> list[SampledValues]:
    """Each distinct text is looked at once, in whatever column it is."""
    plain = pa.string() if untyped else pa.binary()
    encoded = pa.concat_arrays([array.cast(plain) for array in arrays]).dictionary_encode()
    distinct = encoded.dictionary
    numbers, names = np.full(len(distinct) + 1, np.nan), _shortened(distinct.cast(pa.binary()))
    codes = np.asarray(encoded.indices.fill_null(len(distinct)).to_numpy(zero_copy_only=False)).astype(np.int64)
    texts = np.append(np.arange(len(distinct)), -1)
    if untyped:
        which = which_are_numbers(distinct)
        numbers[:-1][which] = doubles(distinct.filter(pa.array(which)))
        texts[:-1][which] = -1
    every, coded = numbers[codes] + 0.0, texts[codes]
    starts = np.cumsum([0, *map(len, arrays)]).tolist()
    form = NUMBER if untyped else ""
    return [SampledValues(every[a:b], coded[a:b], names, form) for a, b in pairwise(starts)]


def _of_numbers(array: pa.Array) -> SampledValues:
    kind, form = array.type, NUMBER
    there = array.drop_null() if array.null_count else array
    if pa.types.is_date(kind):
        found, form = np.asarray(there.cast(pa.date32()).view(pa.int32()).to_numpy(zero_copy_only=False)) * 86_400.0, TIME
    elif pa.types.is_timestamp(kind):
        found, form = np.asarray(there.view(pa.int64()).to_numpy(zero_copy_only=False)) / _PER_SECOND[kind.unit], TIME
    elif pa.types.is_time(kind) or pa.types.is_duration(kind):
        words = there.view(pa.int32() if kind.bit_width == 32 else pa.int64())
        found = np.asarray(words.to_numpy(zero_copy_only=False)) / _PER_SECOND[kind.unit]
    else:
        found = doubles(there)
    values = SampledValues.nothing(len(array), form)
    valid: NDArray[np.bool_] | slice = np.asarray(array.is_valid().to_numpy(zero_copy_only=False)) if array.null_count else slice(None)
    values.numbers[valid] = found + 0.0
    if not pa.types.is_floating(kind) or not np.isnan(found).any():
        return values
    # Not a number is a value, and null is none.
    spoiled = np.zeros(len(array), dtype=bool)
    spoiled[valid] = np.isnan(found)
    return replace(values, codes=np.where(spoiled, 0, -1), names=pa.array([b"NaN"], pa.binary()))


def _longest(texts: pa.Array) -> int:
    """The bytes of the longest text; 0 without any."""
    return pc.max(pc.binary_length(texts)).as_py() or 0


def _shortened(texts: pa.Array) -> pa.Array:
    """Texts of at most `LONGEST` bytes, longer ones as their beginning and a hash."""
    if _longest(texts) <= LONGEST:
        return texts
    long = pc.fill_null(pc.greater(pc.binary_length(texts), LONGEST), False)
    short = [_beginning(value) + hashed_value(value) for value in texts.filter(long).to_pylist()]
    return pc.replace_with_mask(texts, long, pa.array(short, pa.binary()))


def _beginning(value: bytes) -> bytes:
    # Not within a character.
    return value[:_BEGINNING].decode("utf-8", "ignore").encode() + "…".encode()
