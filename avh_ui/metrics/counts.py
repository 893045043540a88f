"""Rows and nulls: `row_count` and `complete_ratio` (AVH, Tables 3 and 4; Deequ's Size and Completeness)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, cast

from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS, Column
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.state import pack, unpack


@dataclass(frozen=True)
class CountState:
    """How many rows there are and how many are null. NaN is a value, as in Deequ."""

    key: ClassVar[str] = "counts"
    rows: int = 0
    nulls: int = 0

    @classmethod
    def identity(cls) -> CountState:
        """No rows."""
        return cls()

    @classmethod
    def of(cls, column: Column) -> CountState:
        """Counts of a column."""
        return cls(column.rows, column.nulls)

    def merge(self, other: CountState) -> CountState:
        """Element-wise sum."""
        return CountState(self.rows + other.rows, self.nulls + other.nulls)

    def to_record(self) -> bytes:
        """As bytes."""
        return pack({"rows": self.rows, "nulls": self.nulls})

    @classmethod
    def from_record(cls, record: bytes) -> CountState:
        """From `to_record`."""
        header, _ = unpack(record)
        return cls(**header)


def counts(states: States) -> CountState:
    """The counts among a column's states."""
    return cast(CountState, states[CountState.key])


def _complete_ratio(states: States) -> float:
    state = counts(states)
    return (state.rows - state.nulls) / state.rows if state.rows else math.nan


ROW_COUNT = Metric(
    "row_count", NUMBER_KINDS | TEXT_KINDS, 3, "rows", "number of rows", single=lambda s: counts(s).rows, lowest=0, whole=True
)
COMPLETE_RATIO = Metric(
    "complete_ratio", NUMBER_KINDS | TEXT_KINDS, 3, "ratio", "share of non-null values", single=_complete_ratio, lowest=0, highest=1
)
