"""The numbers of a column: every one as a double, and the distinct ones with their counts.

Whole numbers, days and times are counted as the whole numbers that they are held by; only the distinct ones become doubles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# Probe this many values first: a column that is mostly distinct here is not worth counting whole. Four times what a table holds.
_PROBE = 4_000
# Fewer numbers are quicker sorted than hashed: 1,000 whole ones in 12 us.
_FEW = 1_000
# Whole numbers that lie so close are counted by their places: 200,000 within 400,000 in 0.3 ms, a quarter of the time of hashing them.
_CLOSE = 2
# So many at once: what is made of them stays in the processor's cache.
_PIECE = 16_384
# Runs of equal numbers, so long on average, are counted as one each: of sorted rows that is a tenth of the time.
_RUN = 8
# Distinct numbers, as they are held, ascending and without NaN, with their counts.
_Counted = tuple[NDArray[Any], Counts]
_NO_VALUES: Floats = np.empty(0, dtype=np.float64)
_NO_COUNTS: Counts = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Numbers:
    """Non-null numbers: `held`, shape (h,), are doubles (NaN and infinities are values), or whole numbers: `parts` of them make `worth`.

    `times` says how often each of them occurs, shape (h,); None: each once. `keys` tell numbers apart that are equal as doubles, int64 of
    shape (h,); None where none are.
    """

    held: NDArray[Any]
    worth: float = 1.0
    parts: float = 1.0
    times: Counts | None = None
    keys: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.held) if self.times is None else int(self.times.sum())

    @cached_property
    def every(self) -> Floats:
        """All of them in their order, float64 of shape (n,)."""
        numbers = self._doubles(self.held)
        return numbers if self.times is None else np.repeat(numbers, self.times)

    @cached_property
    def counted(self) -> tuple[Floats, Counts] | None:
        """The distinct numbers ascending with their counts, NaN left out; None when so many are distinct that counting does not pay."""
        if not len(self.held):
            return _NO_VALUES, _NO_COUNTS
        if self.times is not None:
            found: _Counted | None = _ascending(self.held, self.times)
        else:
            found = self._by_order() or self._by_runs() or self._by_place() or self._by_hash()
        return found and _one_each(self._doubles(found[0]), found[1])

    def _doubles(self, held: NDArray[Any]) -> Floats:
        numbers: Floats = held.astype(np.float64, copy=False)
        return numbers if self.worth == self.parts else numbers * self.worth / self.parts

    def _by_order(self) -> _Counted | None:
        if len(self.held) > _FEW:
            return None
        ordered = _numbers_alone(np.sort(self.held))
        edges = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])) if len(ordered) else np.zeros(1, np.int64)
        return ordered[edges[:-1]], np.diff(edges)

    def _by_runs(self) -> _Counted | None:
        """Rows that are sorted, or came in lots."""
        other = self.held[1:] != self.held[:-1]
        if np.count_nonzero(other) > len(self.held) // _RUN:
            return None
        first = np.flatnonzero(np.concatenate([[True], other]))
        return _ascending(self.held[first], np.diff(first, append=len(self.held)))

    def _by_place(self) -> _Counted | None:
        """Whole numbers that lie close to each other."""
        held = self.held
        if held.dtype.kind == "f":
            return None
        low, high = held.min(), held.max()
        if int(high) - int(low) > _CLOSE * len(held):
            return None
        # Differences of 64 bits are right even where both numbers wrap around.
        least, size = low.astype(np.int64), max(_PIECE, int(high) - int(low) + 1)
        counts = np.zeros(int(high) - int(low) + 1, dtype=np.int64)
        for start in range(0, len(held), size):
            places = held[start : start + size].astype(np.int64)
            places -= least
            counts += np.bincount(places, minlength=len(counts))
        found = np.flatnonzero(counts)
        wide = np.uint64 if held.dtype == np.uint64 else np.int64
        return found.astype(wide) + wide(low), counts[found]

    def _by_hash(self) -> _Counted | None:
        if len(self.held) > _PROBE:
            probed = np.sort(self.held[:_PROBE])
            if np.count_nonzero(probed[1:] != probed[:-1]) >= _PROBE // 2:
                return None
        counted = pc.value_counts(pa.array(self.held))
        numbers, counts = (counted.field(k).to_numpy(zero_copy_only=False) for k in (0, 1))
        return _ascending(numbers, np.asarray(counts, dtype=np.int64))


def _ascending(numbers: NDArray[Any], counts: Counts) -> _Counted:
    order = np.argsort(numbers)
    ordered = _numbers_alone(numbers[order])
    return ordered, counts[order[: len(ordered)]]


def _numbers_alone(ordered: NDArray[Any]) -> NDArray[Any]:
    """Ascending numbers without NaN, which comes last."""
    if ordered.dtype.kind != "f" or not len(ordered) or not np.isnan(ordered[-1]):
        return ordered
    return ordered[: np.searchsorted(ordered, np.nan)]


def _one_each(numbers: Floats, counts: Counts) -> tuple[Floats, Counts]:
    """Ascending doubles with their counts, of which several may be equal: whole numbers beyond 2**53, numbers written in several ways."""
    again = numbers[1:] == numbers[:-1]
    if not again.any():
        return numbers, counts
    first = np.flatnonzero(np.concatenate([[True], ~again]))
    return numbers[first], np.add.reduceat(counts, first)
