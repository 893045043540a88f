"""Rows that pass a test: the state of Deequ's Size, Compliance, PatternMatch and ZerosCount."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.state import pack, unpack


@dataclass(frozen=True)
class MatchState:
    """Of `rows` rows, for `known` the test is true or false (not null), and for `matches` it is true.

    Deequ keeps (matches, rows) and treats a part whose tests are all null as no part at all, so that its rows vanish from a merged
    denominator; with `known` the state of a union is the merge of the states.
    """

    key: ClassVar[str] = "matches"
    matches: int = 0
    rows: int = 0
    known: int = 0

    @classmethod
    def identity(cls) -> MatchState:
        """No rows."""
        return cls()

    @classmethod
    def of(cls, test: pa.Array) -> MatchState:
        """Counts of a boolean Arrow array; null is neither true nor false."""
        return cls(pc.sum(test, min_count=0).as_py(), len(test), len(test) - test.null_count)

    @classmethod
    def of_all(cls, rows: int) -> MatchState:
        """Rows that all pass."""
        return cls(rows, rows, rows)

    def merge(self, other: MatchState) -> MatchState:
        """Element-wise sum."""
        return MatchState(self.matches + other.matches, self.rows + other.rows, self.known + other.known)

    def to_record(self) -> bytes:
        """As bytes."""
        return pack(vars(self))

    @classmethod
    def from_record(cls, record: bytes) -> MatchState:
        """From `to_record`."""
        header, _ = unpack(record)
        return cls(**header)
