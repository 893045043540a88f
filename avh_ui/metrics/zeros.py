"""How many values are 0: `zeros_count` (Deequ), and which rows became 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from avh_ui.metrics.column import NUMERIC, Column, Floats
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.rows import Need
from avh_ui.metrics.state import InFields


@dataclass(frozen=True)
class ZeroState(InFields):
    """Number of values that are 0; null and NaN are not."""

    key: ClassVar[str] = "zero_values"
    zeros: int = 0

    @classmethod
    def identity(cls) -> ZeroState:
        """No rows."""
        return cls()

    @classmethod
    def of(cls, column: Column) -> ZeroState:
        """Of a column's numbers."""
        return cls(int(np.count_nonzero(column.numbers == 0)))

    def merge(self, other: ZeroState) -> ZeroState:
        """The sum."""
        return ZeroState(self.zeros + other.zeros)


def with_zeros(which: Mask, before: Floats, after: Floats) -> Mask:
    """The rows `which`, and where one of these became 0 all that did: who is told of five provinces at 0 looks for five."""
    if not (after[which] == 0).any():
        return which
    return np.asarray(which | ((after == 0) & np.isfinite(before) & (before != 0)))


ZEROS_COUNT = Metric(
    "zeros_count", NUMERIC, (ZeroState, CountState), 3, "rows", "number of values that are 0",
    single=lambda values, table: values.zeros if table.rows else None,
    wants=lambda m: (Need(ZeroState, m.columns, m.where), Need(CountState)),
    asked=True, lowest=0, whole=True, total=True, grows=True,
)  # fmt: skip
