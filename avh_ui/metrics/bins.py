"""Numbers by bins between given edges: the state of Deequ's HistogramBinned."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from avh_ui.metrics.column import NUMERIC, Floats
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.results import BinnedHistogram
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.state import pack, unpack


@dataclass(frozen=True)
class BinState:
    """Rows in each bin between ascending `edges`: closed on the left, the last bin on both sides. Nulls apart; others dropped."""

    key: ClassVar[str] = "bins"
    edges: tuple[float, ...] = ()
    frequencies: tuple[int, ...] = ()
    nulls: int = 0

    @classmethod
    def identity(cls) -> Self:
        """No rows; merges with states of any edges."""
        return cls()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> Self:
        """Of a column's numbers, between the edges that the need's detail says."""
        column = rows.column(need.columns[0])
        return cls.of(column.numbers, column.nulls, need.detail)

    @classmethod
    def of(cls, values: Floats, nulls: int, edges: tuple[float, ...]) -> Self:
        """Bins of the non-null values, float64 of shape (n,)."""
        # np.histogram takes no infinite edges; ranks among the sorted values do.
        ordered = np.sort(values[~np.isnan(values)])
        below = np.searchsorted(ordered, edges, side="left")
        below[-1] = np.searchsorted(ordered, edges[-1], side="right")
        return cls(edges, tuple(np.diff(below).tolist()), nulls)

    def merge(self, other: Self) -> Self:
        """Element-wise sum; `ValueError` when the edges differ."""
        if not self.edges or not other.edges:
            return self if self.edges else other
        if self.edges != other.edges:
            raise ValueError(f"bins of edges {self.edges} and {other.edges} cannot be added")
        return type(self)(
            self.edges, tuple(a + b for a, b in zip(self.frequencies, other.frequencies, strict=True)), self.nulls + other.nulls
        )

    def to_record(self) -> bytes:
        """As bytes."""
        return pack(vars(self))

    @classmethod
    def from_record(cls, record: bytes) -> Self:
        """From `to_record`."""
        header, _ = unpack(record)
        return cls(tuple(header["edges"]), tuple(header["frequencies"]), header["nulls"])


class EqualBins(BinState):
    """Bins of equal width between the extremes of the whole, as many as the need's detail says: those of parts do not give them."""

    key: ClassVar[str] = "equal_bins"
    mergeable: ClassVar[bool] = False

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> Self:
        """Of a column's numbers; nothing without any."""
        column = rows.column(need.columns[0])
        found = column.numbers[~np.isnan(column.numbers)]
        if not len(found):
            return cls()
        return cls.of(column.numbers, column.nulls, equal_edges(float(found.min()), float(found.max()), need.detail))


def equal_edges(low: float, high: float, bins: int) -> tuple[float, ...]:
    """The edges of bins of equal width; one bin when there is no width, or no finite one."""
    if low == high or not np.isfinite(high - low):
        return (low, high)
    return tuple(np.linspace(low, high, bins + 1).tolist())


def _wanted(measure: Measure) -> tuple[Need, ...]:
    bins = measure.parameter("bins")
    return (Need(EqualBins if isinstance(bins, int) else BinState, measure.columns, measure.where, bins),)


def _are_bins(value: Any) -> bool:
    numbers = isinstance(value, tuple) and len(value) > 1 and all(isinstance(v, int | float) and not math.isnan(v) for v in value)
    return value >= 1 if type(value) is int else numbers and list(value) == sorted(set(value))


HISTOGRAM_BINNED = Metric(
    "histogram_binned", NUMERIC, (BinState,), 3, "rows", "rows by bins of numbers", asked=True, number=False, wants=_wanted,
    single=lambda state: BinnedHistogram(state.edges, state.frequencies, state.nulls) if state.edges else None,
    parameters=(Parameter("bins", "1 or more, or ascending edges", _are_bins),),
)  # fmt: skip
