"""64-bit hashes of the keys of rows: equal keys have equal hashes whatever type, engine and order they come in.

What is hashed of a value is its canonical key (`metrics.keys`): the integer 1, the double 1.0 and, of a source without types, the text
`1.0` are one key. Two of a million keys share a hash with probability about 3e-8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import decoded
from avh_ui.metrics.distinct import text_keys
from avh_ui.metrics.keys import key_bytes
from avh_ui.metrics.numerals import numerals, text_numbers
from avh_ui.metrics.written_numbers import FEW, which_are_numbers

Hashes = NDArray[np.uint64]
# Whole numbers of so many digits, and how they are written.
_WHOLE, _DIGITS = 10**15, r"^(0|-?[1-9][0-9]{0,14})$"
_ONE_WHOLE = re.compile(rb"(?:0|-?[1-9][0-9]{0,14})\Z")
# Odd numbers without structure (splitmix64).
_STEP, _FIRST, _SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def key_hashes(columns: Sequence[pa.Array | pa.ChunkedArray], untyped: Sequence[bool]) -> tuple[Hashes, NDArray[np.bool_]]:
    """The hash of each row's key, and whether it has one: a null in one of the key's columns is none. Both of shape (rows,).

    A column that is `untyped` has texts that may be numbers. `TypeError` for values that have no key (nested ones).
    """
    rows = len(columns[0])
    hashes, there = np.zeros(rows, dtype=np.uint64), np.ones(rows, dtype=bool)
    for column, texts in zip(columns, untyped, strict=True):
        own, valid = _value_hashes(_combined(column), untyped=texts)
        there &= valid
        with np.errstate(over="ignore"):
            hashes = mixed(hashes * _STEP + own)
    return hashes, there


def mixed(words: Hashes) -> Hashes:
    """Words that look random, one for each word (the finalizer of splitmix64)."""
    with np.errstate(over="ignore"):
        words = words + _STEP
        words = (words ^ (words >> np.uint64(30))) * _FIRST
        words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def _value_hashes(values: pa.Array, *, untyped: bool) -> tuple[Hashes, NDArray[np.bool_]]:
    """Of each value a hash, and where there is one."""
    if pa.types.is_integer(values.type):
        valid = _valid(values)
        filled = values.fill_null(0) if values.null_count else values
        whole = np.asarray(filled.to_numpy(zero_copy_only=False))
        if not len(whole) or (int(whole.max()) < _WHOLE and int(whole.min()) > -_WHOLE):
            return mixed(whole.astype(np.int64).view(np.uint64)), valid
    if not pa.types.is_dictionary(values.type):
        values = decoded(values)
        if pa.types.is_null(values.type):
            return np.zeros(len(values), np.uint64), np.zeros(len(values), bool)
        values = values.dictionary_encode()
    distinct, valid = decoded(values.dictionary), _valid(values)
    codes = np.asarray((values.indices.fill_null(0) if values.indices.null_count else values.indices).to_numpy(zero_copy_only=False))
    # A dictionary may hold null.
    own = np.zeros(max(len(distinct), 1), dtype=np.uint64)
    named = _valid(distinct)
    some = distinct.drop_null()
    if len(some):
        own[: len(distinct)][named] = _distinct_hashes(some, untyped=untyped)
        valid = valid & named[codes]
    return own[codes], valid


def _distinct_hashes(values: pa.Array, *, untyped: bool) -> Hashes:
    """Of values without nulls: whole numbers of few digits by their number, whatever type writes them, others by their key."""
    if (numbers := _whole_numbers(values)) is not None:
        return mixed(numbers.view(np.uint64))
    if untyped and pa.types.is_string(values.type):
        values = _written(values)
    keys = key_bytes(values)
    whole = _are_whole(keys)
    hashes = np.empty(len(keys), dtype=np.uint64)
    if whole.any():
        numbers = keys.filter(pa.array(whole)).cast(pa.large_string()).cast(pa.int64())
        hashes[whole] = mixed(np.asarray(numbers.to_numpy(zero_copy_only=False)).view(np.uint64))
    if not whole.all():
        hashes[~whole] = text_keys(keys.filter(pa.array(~whole))).view(np.uint64)
    return hashes


def _whole_numbers(texts: pa.Array) -> NDArray[np.int64] | None:
    """Texts that are all whole numbers of few digits, written as Arrow writes them; None for others. A third of the time of the regexes."""
    if not pa.types.is_string(texts.type):
        return None
    try:
        numbers = texts.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    found = np.asarray(numbers.to_numpy(zero_copy_only=False))
    few = int(found.max()) < _WHOLE and int(found.min()) > -_WHOLE
    return found if few and numbers.cast(pa.string()).equals(texts) else None


def _are_whole(keys: pa.Array) -> NDArray[np.bool_]:
    if len(keys) <= FEW:
        return np.array([_ONE_WHOLE.match(key) is not None for key in keys.to_pylist()], dtype=bool)
    return np.asarray(pc.match_substring_regex(keys, _DIGITS).to_numpy(zero_copy_only=False))


def _written(texts: pa.Array) -> pa.Array:
    """Texts of which some may be numbers: those that are one have its numeral."""
    odd = pc.match_substring_regex(texts, r"[.+eE]|^-0")
    places = np.flatnonzero(np.asarray(odd.to_numpy(zero_copy_only=False)))
    some = texts.take(pa.array(places))
    numbers = which_are_numbers(some)
    if not numbers.any():
        return texts
    keys = numerals(pa.array(text_numbers(some.filter(pa.array(numbers)))[0])).cast(texts.type)
    mask = np.zeros(len(texts), dtype=bool)
    mask[places[numbers]] = True
    return pc.replace_with_mask(texts, pa.array(mask), keys)


def _combined(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _valid(values: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(values.is_valid().to_numpy(zero_copy_only=False))
