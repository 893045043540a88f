"""Numbers by bins between given edges: the state of Deequ's HistogramBinned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.state import pack, unpack


@dataclass(frozen=True)
class BinState:
    """Rows in each bin between ascending `edges`: closed on the left, the last bin on both sides. Nulls apart; others dropped."""

    key: ClassVar[str] = "bins"
    edges: tuple[float, ...] = ()
    frequencies: tuple[int, ...] = ()
    nulls: int = 0

    @classmethod
    def identity(cls) -> BinState:
        """No rows; merges with states of any edges."""
        return cls()

    @classmethod
    def of(cls, values: Floats, nulls: int, edges: tuple[float, ...]) -> BinState:
        """Bins of the non-null values, float64 of shape (n,)."""
        # np.histogram takes no infinite edges; ranks among the sorted values do.
        ordered = np.sort(values[~np.isnan(values)])
        below = np.searchsorted(ordered, edges, side="left")
        below[-1] = np.searchsorted(ordered, edges[-1], side="right")
        return cls(edges, tuple(np.diff(below).tolist()), nulls)

    def merge(self, other: BinState) -> BinState:
        """Element-wise sum; `ValueError` when the edges differ."""
        if not self.edges or not other.edges:
            return self if self.edges else other
        if self.edges != other.edges:
            raise ValueError(f"bins of edges {self.edges} and {other.edges} cannot be added")
        return BinState(
            self.edges, tuple(a + b for a, b in zip(self.frequencies, other.frequencies, strict=True)), self.nulls + other.nulls
        )

    def to_record(self) -> bytes:
        """As bytes."""
        return pack(vars(self))

    @classmethod
    def from_record(cls, record: bytes) -> BinState:
        """From `to_record`."""
        header, _ = unpack(record)
        return cls(tuple(header["edges"]), tuple(header["frequencies"]), header["nulls"])
