"""Counting distinct values beyond what a table can hold: HyperLogLog (lgK = 12, about 1.6 % relative error), made from arrays.

A sketch keeps, of each of its 4,096 registers, only the longest run of zeros in the hashes that hit it. Those are found with NumPy and
written as the sketch's bytes: the same registers as by feeding every value, at half of the cost or less.
"""

from __future__ import annotations

import struct

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
_FEW = 1_000
# A sketch holds up to 384 values as a list; where at least so many registers are hit it has become one of registers.
_LISTED = 512
# Of a sketch's bytes before its registers (HLL_8, not compact): sizes and kinds in bytes, the estimator's sums, counters.
_PREAMBLE = struct.Struct("<8B3d2I")
_KINDS = (10, 1, 7, HLL_LG_K, HLL_LG_K, 0, 0, 10)


def sketch_of(keys: Keys) -> bytes:
    """The sketch of 64-bit keys that stand for values; repeats count once."""
    if len(keys) > _FEW:
        registers = _registers(keys)
        if np.count_nonzero(registers) >= _LISTED:
            return _finish([_of_registers(registers)])
        keys = np.unique(keys)
    sketch = ds.hll_sketch(HLL_LG_K, ds.HLL_4)
    for key in keys.tolist():
        sketch.update(key)
    return _finish([sketch])


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


def _registers(keys: Keys) -> NDArray[np.uint8]:
    """Of each register the most leading zeros of the keys that hit it and one more, 0 where none does; shape (4096,)."""
    low, high = murmur3(keys)
    register = (low & np.uint64((1 << HLL_LG_K) - 1)).astype(np.int64)
    # The exponent of the upper 53 bits, which a double holds exactly.
    runs = 54 - np.frexp((high >> np.uint64(11)).astype(np.float64))[1]
    found = np.zeros(1 << HLL_LG_K, dtype=np.uint8)
    np.maximum.at(found, register, runs.astype(np.uint8))
    return found


def _of_registers(registers: NDArray[np.uint8]) -> ds.hll_sketch:
    shares = np.ldexp(1.0, -registers.astype(np.int32))
    short = registers < 32
    sums = (0.0, float(shares[short].sum()), float(shares[~short].sum()))
    preamble = _PREAMBLE.pack(*_KINDS, *sums, int(np.count_nonzero(registers == 0)), 0)
    return ds.hll_sketch.deserialize(preamble + registers.tobytes())


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
