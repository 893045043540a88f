"""From the columns of sampled rows to their values: typed once for all texts of a batch together, since small batches pay by the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import decoded, kind_of
from avh_ui.metrics.numerals import doubles
from avh_ui.metrics.sampled_values import LONGEST, NUMBER, TIME, SampledValues, hashed_value
from avh_ui.metrics.written_numbers import which_are_numbers

Columns: TypeAlias = Mapping[str, pa.Array]
Places: TypeAlias = NDArray[np.int64]
# What is kept of a longer text beside its hash.
_BEGINNING = 24
# Columns of texts together have at most so many bytes, of the 2 GB that one array holds, where a sample has 80 columns.
_LARGE_BYTES = 16 * 1024**2
# Of so many times as many rows as are taken all are looked at.
_NEARLY_ALL = 1.5
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def values_of(columns: Mapping[str, pa.Array], untyped: Set[str] = frozenset()) -> dict[str, SampledValues]:
    """The values of each column, by name; texts of the columns `untyped` may be numbers. Nested values are nulls."""
    return values_of_tables([(columns, None)], untyped)[0]


def values_of_tables(tables: Sequence[tuple[Columns, Places | None]], untyped: Set[str] = frozenset()) -> list[dict[str, SampledValues]]:
    """The same of the columns of several tables, each at these places of its rows (None: at all)."""
    found: list[dict[str, SampledValues]] = [{} for _ in tables]
    texts: dict[tuple[bool, int, str], dict[int, dict[str, pa.Array]]] = {}
    here: list[Places | None] = []
    for at, (columns, places) in enumerate(tables):
        # Where most rows are taken, to look at all of them takes one call less of each column.
        some = None if places is None or _nearly_all(columns, places) else pa.array(places)
        here.append(None if some is not None else places)
        for name, column in columns.items():
            array = decoded(column if some is None else column.take(some))
            kind = kind_of(array.type)
            if kind in ("string", "boolean", "binary") and not pa.types.is_null(array.type):
                array = array.cast(pa.string()) if kind == "boolean" else array
                written = name in untyped and (pa.types.is_string(array.type) or pa.types.is_large_string(array.type))
                # Large texts stand alone: all columns of them together may be more than one array holds.
                group = (written, at, name) if array.nbytes > _LARGE_BYTES else (written, -1, "")
                texts.setdefault(group, {}).setdefault(at, {})[name] = array
            else:
                values = _of_numbers(array) if kind in ("numeric", "temporal") else SampledValues.nothing(len(array))
                found[at][name] = values if (own := here[at]) is None else values.take(own)
    for (written, _, _), arrays in texts.items():
        of_texts = _of_texts([(list(own.values()), here[at]) for at, own in arrays.items()], untyped=written)
        for (at, named), columns_of in zip(arrays.items(), of_texts, strict=True):
            found[at] |= zip(named, columns_of, strict=True)
    return [{name: known[name] for name in columns} for known, (columns, _) in zip(found, tables, strict=True)]


def _nearly_all(columns: Columns, places: Places) -> bool:
    return len(next(iter(columns.values()), ())) <= _NEARLY_ALL * len(places)


def _of_texts(tables: Sequence[tuple[Sequence[pa.Array], Places | None]], *, untyped: bool) -> list[list[SampledValues]]:
    """Of arrays of one length in each table. Each distinct text is looked at once, in whatever column and table it is."""
    plain = pa.string() if untyped else pa.binary()
    every = [array if array.type == plain else array.cast(plain) for arrays, _ in tables for array in arrays]
    encoded = pa.concat_arrays(every).dictionary_encode()
    distinct, indices = encoded.dictionary, encoded.indices
    codes = np.asarray((indices.fill_null(len(distinct)) if indices.null_count else indices).to_numpy(zero_copy_only=False))
    numbers, texts = np.full(len(distinct) + 1, np.nan), np.arange(len(distinct) + 1)
    texts[-1] = -1
    if untyped:
        which = which_are_numbers(distinct)
        numbers[:-1][which] = doubles(distinct.filter(pa.array(which))) + 0.0
        # Names of texts alone, which others look through.
        texts[:-1] = np.where(which, -1, np.cumsum(~which) - 1)
        distinct = distinct.filter(pa.array(~which))
    names, form = _shortened(distinct.cast(pa.binary())), NUMBER if untyped else ""
    found, start = [], 0
    for arrays, places in tables:
        end = start + len(arrays) * len(arrays[0])
        own = codes[start:end].reshape(len(arrays), -1)
        own, start = (own if places is None else own[:, places]), end
        found.append(SampledValues.of_table(numbers[own], texts[own], names, form))
    return found


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
