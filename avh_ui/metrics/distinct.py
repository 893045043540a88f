"""Counting distinct values beyond what a table can hold: HyperLogLog (lgK = 12, about 1.6 % relative error), fed from arrays.

A sketch keeps, of each of its 4,096 registers, only the value with the longest run of zeros in its hash. Those are found with
NumPy and the sketch is fed them alone: the same registers as by feeding every value, at a third of the cost.
"""

from __future__ import annotations

import datasketches as ds
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

HLL_LG_K = 12
HLL_RELATIVE_ERROR = 0.0163
Keys = NDArray[np.int64]
Words = NDArray[np.uint64]
# The seed that datasketches hashes with, in every language.
_SEED = 9001
# An odd number without structure (2^64 over the golden ratio), and its inverse modulo 2^64.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 2**64)
# Below this many keys feeding all of them is as quick.
_FEW = 8_192


def sketch_of(keys: Keys) -> bytes:
    """The sketch of 64-bit keys that stand for values; repeats count once."""
    sketch = ds.hll_sketch(HLL_LG_K, ds.HLL_4)
    for key in (keys if len(keys) <= _FEW else keys[_telling(keys)]).tolist():
        sketch.update(key)
    return _finish([sketch, sketch])


def merge_sketches(*records: bytes) -> bytes:
    """The sketch of all values of several."""
    return _finish([ds.hll_sketch.deserialize(record) for record in records])


def estimate(record: bytes) -> float:
    """About how many distinct values a sketch has seen, a whole number."""
    return float(round(ds.hll_sketch.deserialize(record).get_estimate()))


def number_keys(values: NDArray[np.float64]) -> Keys:
    """The bits of doubles: equal numbers have equal keys once -0.0 is 0.0."""
    return np.ascontiguousarray(values).view(np.int64)


def text_keys(texts: pa.Array) -> Keys:
    """A 64-bit hash per text of an Arrow string or binary array without nulls: a polynomial in its bytes modulo 2^64.

    Two of a million texts share a key with probability about 3e-8, far below the sketch's error.
    """
    array = texts.cast(pa.large_binary())
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    data = array.buffers()[2]
    first, last = (int(offsets[0]), int(offsets[-1])) if len(offsets) else (0, 0)
    # Bytes count from 1, so that a trailing NUL makes another text.
    places = (
        np.frombuffer(data, dtype=np.uint8)[first:last].astype(np.uint64) + np.uint64(1) if data is not None else np.empty(0, np.uint64)
    )
    with np.errstate(over="ignore"):
        upto = np.concatenate([[np.uint64(0)], np.cumsum(places * _powers(_BASE, len(places)), dtype=np.uint64)])
        starts, ends = offsets[:-1] - first, offsets[1:] - first
        # Each text's sum begins at its place among all texts; dividing by that place's power makes it its own.
        keys: Keys = ((upto[ends] - upto[starts]) * _powers(_INVERSE, len(places) + 1)[starts]).view(np.int64)
    return keys


def _powers(base: int, count: int) -> Words:
    factors = np.full(count, base, dtype=np.uint64)
    if count:
        factors[0] = 1
    with np.errstate(over="ignore"):
        return np.cumprod(factors, dtype=np.uint64)


def _finish(sketches: list[ds.hll_sketch]) -> bytes:
    # A union of two sketches estimates from the registers alone; a lone sketch would estimate from the order it was fed in.
    union = ds.hll_union(HLL_LG_K)
    for sketch in sketches if len(sketches) > 1 else sketches * 2:
        union.update(sketch)
    return bytes(union.get_result(ds.HLL_4).serialize_compact())


def _telling(keys: Keys) -> NDArray[np.intp]:
    """For each register that is hit, the place of a key with the most leading zeros."""
    low, high = murmur3(keys)
    register = (low & np.uint64((1 << HLL_LG_K) - 1)).astype(np.int64)
    # The exponent of the upper 53 bits, which a double holds exactly.
    zeros = 53 - np.frexp((high >> np.uint64(11)).astype(np.float64))[1].astype(np.int64)
    most = np.full(1 << HLL_LG_K, -1, dtype=np.int64)
    np.maximum.at(most, register, zeros)
    top = np.flatnonzero(zeros == most[register])
    # One of equals is enough: repeats of a value tie with themselves.
    chosen = np.full(1 << HLL_LG_K, -1, dtype=np.int64)
    chosen[register[top]] = top
    return chosen[chosen >= 0]


def murmur3(keys: Keys) -> tuple[Words, Words]:
    """MurmurHash3 (x64, 128 bits) of 8-byte integers as datasketches computes it; both halves, shape of `keys`."""
    word = np.uint64
    with np.errstate(over="ignore"):
        k = keys.view(np.uint64) * word(0x87C37B91114253D5)
        k = ((k << word(31)) | (k >> word(33))) * word(0x4CF5AD432745937F)
        low = (k ^ word(_SEED)) ^ word(8)
        high = np.full(len(keys), _SEED ^ 8, dtype=np.uint64)
        low = low + high
        high = high + low
        low, high = _mix(low), _mix(high)
        low = low + high
        return low, high + low


def _mix(k: Words) -> Words:
    word = np.uint64
    k = (k ^ (k >> word(33))) * word(0xFF51AFD7ED558CCD)
    k = (k ^ (k >> word(33))) * word(0xC4CEB9FE1A85EC53)
    return k ^ (k >> word(33))
