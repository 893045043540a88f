"""How numbers that are written as texts are written: with a decimal point or without. `5.0` is the number that `5` is, and to whoever joins
by it, or reads it as a whole number, another text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import Column
from avh_ui.metrics.metric import find
from avh_ui.metrics.state import InFields, State
from avh_ui.metrics.written_numbers import FEW

_POINT = ord(".")
# A number with a point, and a whole one: with zeros alone behind it.
_POINTED, _ZEROS = r"\.", r"\.0*$"


@dataclass(frozen=True)
class PointState(InFields):
    """How many texts are there, how many of them have a decimal point, and how many `zeros` alone behind it."""

    key: ClassVar[str] = "points"
    texts: int = 0
    points: int = 0
    zeros: int = 0

    @classmethod
    def identity(cls) -> PointState:
        """No rows."""
        return cls()

    @classmethod
    def of(cls, column: Column) -> PointState:
        """Of a column's texts, as a source without types has them."""
        values, counts = column.texts.values, column.texts.counts
        total = int(counts.sum())
        if not (column.texts.characters.points == _POINT).any():
            return cls(total)
        few = values.to_pylist() if len(values) <= FEW else None
        pointed = _which(values, _POINTED) if few is None else np.array(["." in text for text in few])
        zeros = _which(values, _ZEROS) if few is None else np.array([text.rstrip("0").endswith(".") for text in few])
        return cls(total, int(counts[pointed].sum()), int(counts[zeros].sum()))

    def merge(self, other: PointState) -> PointState:
        """The sums."""
        return PointState(self.texts + other.texts, self.points + other.points, self.zeros + other.zeros)


def has_pointed(states: Mapping[str, State]) -> bool:
    """Whether some whole numbers of a column with these states are written with a decimal point."""
    found = find(states, PointState)
    return found is not None and found.zeros > 0


def _which(texts: pa.Array, regex: str) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(texts, regex).to_numpy(zero_copy_only=False))
