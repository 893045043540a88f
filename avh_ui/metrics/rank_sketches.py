"""Sketches of ranks (KLL; Karnin, Lang and Liberty 2016): of values as they come, or of distinct values with their counts.

A KLL sketch keeps values at levels: one at level h stands for 2^h values near it. Of a whole frequency table those values can be chosen at
equal distances and written as the sketch's bytes: it is nearer to the true ranks than one that was fed every value, and takes no time for
each row.
"""

from __future__ import annotations

import struct

import datasketches as ds
import numpy as np

from avh_ui.metrics.numbers import Counts, Floats

# About 1.3 % rank error.
KLL_K = 200
KLL_RANK_ERROR = 0.0133
# Fewer values are fed, one by one.
_FEW = 5_000
# The smallest level that a sketch keeps room for.
_M = 8
# The beginning of a sketch's bytes: sizes and kinds, k, m, how many values, the smallest k merged, how many levels.
_PREAMBLE = struct.Struct("<4B H B x Q H B x")
_KINDS = (5, 1, 15, 2)


def empty() -> ds.kll_doubles_sketch:
    """The sketch of no values."""
    return ds.kll_doubles_sketch(KLL_K)


def read(record: bytes) -> ds.kll_doubles_sketch:
    """A sketch from its bytes."""
    return ds.kll_doubles_sketch.deserialize(record)


def of_counted(values: Floats, counts: Counts) -> ds.kll_doubles_sketch:
    """The sketch of ascending values without NaN that occur so often, shape (D,) each."""
    upto = np.cumsum(counts)
    n = int(upto[-1]) if len(upto) else 0
    if n < _FEW:
        sketch = empty()
        sketch.update(np.repeat(values, counts))
        return sketch
    # At most 2k values at the highest level; the rest, fewer than one of these stands for, at one level for each bit of their number.
    top = 0
    while n >> top > 2 * KLL_K:
        top += 1
    levels = [level for level in range(top) if n >> level & 1]
    stands_for = np.array([1 << level for level in levels] + [1 << top] * (n >> top), dtype=np.int64)
    # Each is the value in the middle of those that it stands for.
    ranks = np.cumsum(stands_for) - stands_for + stands_for // 2
    kept = values[np.searchsorted(upto, ranks, side="right")]
    sizes = [int(level in levels) for level in range(top)] + [n >> top]
    starts = _room(top + 1) - len(kept) + np.cumsum([0, *sizes[:-1]])
    preamble = _PREAMBLE.pack(*_KINDS, KLL_K, _M, n, KLL_K, top + 1)
    return read(preamble + starts.astype(np.uint32).tobytes() + np.array([values[0], values[-1]]).tobytes() + kept.tobytes())


def _room(levels: int) -> int:
    """How many values a sketch of so many levels has room for: k at the highest, two thirds of that below, and so on, but at least m."""
    rooms = ((2 * (KLL_K << below) // 3**below + 1) // 2 for below in range(levels))
    return sum(max(_M, room) for room in rooms)
