"""A column of a batch in the form the kernel measures: its numbers, or its distinct texts with their counts.

Spark's workers, the synthetic issues, notebooks and tests all come through `Column.from_arrow`, so every engine gives the
same states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.characters import Characters
from avh_ui.metrics.numbers import Numbers
from avh_ui.metrics.numerals import doubles, exact_keys

# `rows`: of no single column of a table; `skipped`: only nulls are counted.
Kind = Literal["numeric", "temporal", "string", "boolean", "binary", "skipped", "rows"]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# Kinds measured by their numbers, and kinds measured by the frequencies of their texts.
NUMBER_KINDS: frozenset[Kind] = frozenset({"numeric", "temporal"})
TEXT_KINDS: frozenset[Kind] = frozenset({"string", "boolean", "binary"})
SINGLE_KINDS: frozenset[Kind] = NUMBER_KINDS | TEXT_KINDS
NUMERIC: frozenset[Kind] = frozenset({"numeric"})
# Of what is no single column.
OF_ROWS: frozenset[Kind] = frozenset({"rows"})
_SECONDS_PER_DAY = 86_400.0
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


@dataclass(frozen=True)
class Texts:
    """Distinct non-null texts, `values` of length D as an Arrow string array, with their `counts`, int64 of shape (D,)."""

    values: pa.Array
    counts: Counts

    @cached_property
    def total(self) -> int:
        """How many values there are, counted with repetition."""
        return int(self.counts.sum())

    @cached_property
    def characters(self) -> Characters:
        """The characters of the distinct values; computed once for all the states that look at them."""
        return Characters.of(self.values)


# Up to this many distinct values a frequency table is kept whole: 1,000 numbers are 16 KB, about the size of the sketches.
EXACT = 1_000
NO_NUMBERS: Floats = np.empty(0, dtype=np.float64)
# Not `pa.array`: it imports pandas, which takes longer than a view of a year.
NO_TEXTS = Texts(pa.nulls(0, pa.large_string()), np.empty(0, dtype=np.int64))
NONE_HELD = Numbers(NO_NUMBERS)


@dataclass(frozen=True)
class Column:
    """`rows` rows of which `nulls` are null. `held` are the non-null values of a number kind, `texts` those of a text kind, bytes as one
    Latin-1 character each. Temporal values are seconds since 1970-01-01 UTC, times of day seconds since midnight, durations seconds.
    """

    name: str
    kind: Kind
    rows: int
    nulls: int
    held: Numbers
    texts: Texts

    @classmethod
    def from_arrow(cls, name: str, array: pa.Array | pa.ChunkedArray) -> Column:
        """The column of an Arrow array of any type; nested types give kind `skipped`, without values."""
        if pa.types.is_dictionary(array.type) and kind_of(array.type.value_type) == "string":
            return _of_dictionaries(name, array.chunks if isinstance(array, pa.ChunkedArray) else [array])
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
            if isinstance(array, pa.ChunkedArray):
                array = array.chunk(0)
        array = decoded(array)
        kind = kind_of(array.type)
        rows, nulls = len(array), array.null_count
        if kind == "skipped":
            return cls(name, kind, rows, nulls, NONE_HELD, NO_TEXTS)
        values = array.drop_null() if nulls else array
        if kind in NUMBER_KINDS:
            return cls(name, kind, rows, nulls, _numbers(values), NO_TEXTS)
        return cls(name, kind, rows, nulls, NONE_HELD, _texts(values))

    @property
    def numbers(self) -> Floats:
        """The non-null values of a number kind as doubles, shape (rows - nulls,)."""
        return self.held.every


def kind_of(arrow_type: pa.DataType) -> Kind:
    """Which kind a column of this Arrow type is."""
    types = pa.types
    if types.is_boolean(arrow_type):
        return "boolean"
    if types.is_integer(arrow_type) or types.is_floating(arrow_type) or types.is_decimal(arrow_type):
        return "numeric"
    # A time of day is its seconds since midnight: as a point in time it would be one of 1970.
    if types.is_time(arrow_type) or types.is_duration(arrow_type):
        return "numeric"
    if types.is_timestamp(arrow_type) or types.is_date(arrow_type):
        return "temporal"
    if types.is_string(arrow_type) or types.is_large_string(arrow_type) or types.is_string_view(arrow_type) or types.is_null(arrow_type):
        return "string"
    if types.is_binary(arrow_type) or types.is_large_binary(arrow_type) or types.is_fixed_size_binary(arrow_type):
        return "binary"
    return "binary" if types.is_binary_view(arrow_type) else "skipped"


def decoded(array: pa.Array) -> pa.Array:
    """The array's values as they are, nulls too: without dictionary, runs or an extension type around them."""
    if isinstance(array, pa.ExtensionArray):
        return decoded(array.storage)
    if pa.types.is_dictionary(array.type):
        return decoded(array.dictionary_decode())
    return decoded(pc.run_end_decode(array)) if pa.types.is_run_end_encoded(array.type) else array


def _numbers(values: pa.Array) -> Numbers:
    """The numbers of an Arrow array without nulls."""
    types, kind = pa.types, values.type
    if types.is_integer(kind):
        whole = np.asarray(values.to_numpy(zero_copy_only=False))
        return Numbers(whole, keys=exact_keys(values) if kind.bit_width == 64 else None)
    if types.is_timestamp(kind):
        micros = values if kind.unit == "us" else values.cast(pa.timestamp("us", kind.tz), safe=False)
        return Numbers(np.asarray(micros.view(pa.int64()).to_numpy(zero_copy_only=False)), parts=_PER_SECOND["us"])
    if types.is_date(kind):
        days = np.asarray(values.cast(pa.date32()).view(pa.int32()).to_numpy(zero_copy_only=False))
        return Numbers(days, worth=_SECONDS_PER_DAY)
    if types.is_time(kind) or types.is_duration(kind):
        whole = values.view(pa.int32() if kind.bit_width == 32 else pa.int64())
        return Numbers(np.asarray(whole.to_numpy(zero_copy_only=False)), parts=_PER_SECOND[kind.unit])
    numbers = doubles(values)
    return Numbers(numbers, keys=exact_keys(values, numbers))


def latin_1(values: pa.Array) -> pa.Array:
    """Binary values without nulls as texts of one character per byte."""
    return pa.array([v.decode("latin-1") for v in values.cast(pa.large_binary()).to_pylist()], pa.large_string())


def _texts(values: pa.Array) -> Texts:
    if kind_of(values.type) == "binary":
        counted = pc.value_counts(values.cast(pa.large_binary()))
        return Texts(latin_1(counted.field(0)), np.asarray(counted.field(1).to_numpy(zero_copy_only=False), dtype=np.int64))
    if not pa.types.is_string(values.type):
        values = values.cast(pa.large_string())
    counted = pc.value_counts(values)
    return Texts(_large(counted.field(0)), np.asarray(counted.field(1).to_numpy(zero_copy_only=False), dtype=np.int64))


def _large(texts: pa.Array) -> pa.Array:
    """Texts without nulls as large strings. Arrow's own cast takes longer than all else that is done with 100 texts."""
    if not pa.types.is_string(texts.type):
        return texts.cast(pa.large_string())
    _, ends, data = texts.buffers()
    wide = np.frombuffer(ends, dtype=np.int32, count=texts.offset + len(texts) + 1).astype(np.int64)
    return pa.Array.from_buffers(pa.large_string(), len(texts), [None, pa.py_buffer(wide), data], offset=texts.offset)


def _of_dictionaries(name: str, chunks: Sequence[pa.DictionaryArray]) -> Column:
    """The column of texts that are dictionaries, which may differ: counted by their indices, so that no row is decoded.

    A dictionary may have a value twice, values that no row has, and null.
    """
    found, counts = [pa.nulls(0, pa.large_string())], [np.empty(0, dtype=np.int64)]
    for chunk in chunks:
        codes = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
        every = np.bincount(codes, minlength=len(chunk.dictionary))
        there = np.flatnonzero(every)
        values = chunk.dictionary if len(there) == len(every) else chunk.dictionary.take(pa.array(there))
        valid = np.asarray(values.is_valid().to_numpy(zero_copy_only=False))
        found.append(values.drop_null().cast(pa.large_string()))
        counts.append(every[there][valid])
    rows, texts = sum(map(len, chunks)), added(pa.concat_arrays(found), np.concatenate(counts))
    return Column(name, "string", rows, rows - texts.total, NONE_HELD, texts)


def added(values: pa.Array, counts: Counts) -> Texts:
    """Texts of which some may be equal, each once."""
    encoded = values.dictionary_encode()
    if len(encoded.dictionary) == len(values):
        return Texts(values, counts)
    # Doubles hold whole numbers up to 2**53.
    total = np.bincount(encoded.indices.to_numpy(zero_copy_only=False), counts.astype(np.float64))
    return Texts(encoded.dictionary, total.astype(np.int64))
