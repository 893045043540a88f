"""How numbers that are texts are written: with a decimal point or without, with how many digits after it, with an exponent. `5.0` is the
number that `5` is, and to whoever joins by it, or reads it as a whole number, another text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import Column, Texts
from avh_ui.metrics.metric import find
from avh_ui.metrics.state import Header, InFields, State
from avh_ui.metrics.written_numbers import FEW

_POINT, _PLUS = ord("."), ord("+")
_MARKS = b"+", b"e", b"E"
# A number with a point, and a whole one: with zeros alone behind it.
_POINTED, _ZEROS = r"\.", r"\.0*$"
# So many digits after the point are counted as such, and more as these: no double has more.
_MOST = 17


@dataclass(frozen=True)
class PointState(InFields):
    """How many texts are there, how many of them have a decimal point, and how many `zeros` alone behind it; how many have no digit, one,
    two, ... after the point (`digits`), and how many an exponent or a plus sign (`signs`); None in states of older releases.
    """

    key: ClassVar[str] = "points"
    texts: int = 0
    points: int = 0
    zeros: int = 0
    digits: tuple[int, ...] | None = ()
    signs: int | None = 0

    @classmethod
    def identity(cls) -> PointState:
        """No rows."""
        return cls()

    @classmethod
    def of(cls, column: Column) -> PointState:
        """Of a column's texts, as a source without types has them."""
        values, counts = column.texts.values, column.texts.counts
        total = int(counts.sum())
        signs = int(counts[_signed(column.texts)].sum())
        if not (column.texts.characters.points == _POINT).any():
            return cls(total, digits=(total,) if total else (), signs=signs)
        few = values.to_pylist() if len(values) <= FEW else None
        pointed = _which(values, _POINTED) if few is None else np.array(["." in text for text in few])
        zeros = _which(values, _ZEROS) if few is None else np.array([text.rstrip("0").endswith(".") for text in few])
        return cls(total, int(counts[pointed].sum()), int(counts[zeros].sum()), _digits(column.texts), signs)

    def merge(self, other: PointState) -> PointState:
        """The sums."""
        sums = self.texts + other.texts, self.points + other.points, self.zeros + other.zeros
        if self.digits is None or other.digits is None or self.signs is None or other.signs is None:
            return PointState(*sums, None, None)
        digits = tuple(a + b for a, b in zip_longest(self.digits, other.digits, fillvalue=0))
        return PointState(*sums, digits, self.signs + other.signs)

    @classmethod
    def of_parts(cls, header: Header, buffers: Sequence[bytes]) -> PointState:  # noqa: ARG003 (as every state)
        """From `parts`."""
        known: dict[str, Any] = {"digits": None, "signs": None, **header}
        return cls(**{**known, "digits": None if known["digits"] is None else tuple(known["digits"])})


def has_pointed(states: Mapping[str, State]) -> bool:
    """Whether some whole numbers of a column with these states are written with a decimal point."""
    found = find(states, PointState)
    return found is not None and found.zeros > 0


def _which(texts: pa.Array, regex: str) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(texts, regex).to_numpy(zero_copy_only=False))


def _signed(texts: Texts) -> NDArray[np.bool_]:
    """Which texts have an exponent, or begin with a plus sign."""
    points, starts = texts.characters.points, texts.characters.starts
    found = np.zeros(len(texts.counts), dtype=bool)
    # To look for bytes takes a tenth of looking at each character.
    if not any(mark in points.tobytes() for mark in _MARKS):
        return found
    marks = np.flatnonzero(np.isin(points, list(b"".join(_MARKS))))
    owner = np.searchsorted(starts, marks, side="right") - 1
    # A plus within a number is that of its exponent.
    found[owner[(points[marks] != _PLUS) | (marks == starts[owner])]] = True
    return found


def _digits(texts: Texts) -> tuple[int, ...]:
    """How many of the texts have no character after the point, one, two, ..."""
    points, starts = texts.characters.points, texts.characters.starts
    marks = np.flatnonzero(points == _POINT)
    first, end = starts[:-1], starts[1:]
    each = len(marks) == len(first) and bool(((first <= marks) & (marks < end)).all())
    owner = np.arange(len(first)) if each else np.searchsorted(starts, marks, side="right") - 1
    after = np.zeros(len(first), dtype=np.int64)
    after[owner] = np.minimum(end[owner] - marks - 1, _MOST)
    return tuple(np.bincount(after, texts.counts.astype(np.float64)).astype(np.int64).tolist())
