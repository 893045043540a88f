"""What is known of a column when it is asked what it is: its metrics over the history, and the values of the latest batch's sample."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.history.series import ColumnHistory, Series
from avh_ui.metrics.column import NUMBER_KINDS
from avh_ui.metrics.column import Column as Values
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MIN
from avh_ui.metrics.ranks import ranks
from avh_ui.metrics.uniqueness import UNIQUE_RATIO

Floats = NDArray[np.float64]
# A count of distinct values from a sketch is off by 1.6 % (a standard error), and by more than 5 % in 1 of 600 batches.
_SKETCHED = 0.05
# Fewer values of a sample may all differ by chance.
_SAMPLED = 1_000
# Between a small letter and a capital a new word begins.
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOTHING: Floats = np.empty(0, dtype=np.float64)


@dataclass(frozen=True)
class ColumnFacts:
    """One column. Series are of the batches in which all of them are known; numbers and texts are the sample's, without nulls."""

    history: ColumnHistory
    sample: pa.ChunkedArray | pa.Array

    def series(self, metric: Metric) -> Series:
        """A metric's values where they are finite; empty where it is not in the history."""
        found = self.history.values.get(metric.name, _NOTHING)
        finite: Series = found[np.isfinite(found)]
        return finite

    @property
    def name(self) -> str:
        """The column's name, in small letters, its words apart: `EventID` is `event_id`."""
        return _WORD.sub("_", self.history.column).casefold()

    @property
    def is_number(self) -> bool:
        """Whether it is measured by its numbers."""
        return self.history.kind in NUMBER_KINDS

    @cached_property
    def numbers(self) -> Floats:
        """The sample's finite numbers, in its order."""
        if self.history.kind not in NUMBER_KINDS:
            return _NOTHING
        found = Values.from_arrow(self.history.column, self.sample)
        return found.numbers[np.isfinite(found.numbers)] if found.kind in NUMBER_KINDS else _NOTHING

    @cached_property
    def distinct(self) -> Floats:
        """Its distinct numbers, in order."""
        return np.unique(self.numbers)

    @cached_property
    def texts(self) -> list[str]:
        """The sample's distinct texts."""
        if self.history.kind != "string":
            return []
        found = Values.from_arrow(self.history.column, self.sample)
        return [] if found.kind != "string" else [str(text) for text in found.texts.values.to_pylist()]

    @cached_property
    def lowest(self) -> float:
        """The smallest value of all batches; NaN without."""
        return float(min([*self.series(MIN), *self.distinct[:1]], default=np.nan))

    @cached_property
    def highest(self) -> float:
        """The largest value of all batches; NaN without."""
        return float(max([*self.series(MAX), *self.distinct[-1:]], default=np.nan))

    @cached_property
    def whole(self) -> bool:
        """Whether all its numbers are whole, as far as the sample and all extremes tell."""
        ends = np.concatenate([self.distinct, self.series(MIN), self.series(MAX)])
        return bool(len(ends)) and bool(np.all(ends == np.round(ends)))

    @cached_property
    def values(self) -> float:
        """The usual number of values of a batch."""
        there = self.history.values_there()
        known = there[np.isfinite(there)] if there is not None else _NOTHING
        return float(np.median(known)) if len(known) else float(len(self.sample) - self.sample.null_count)

    @cached_property
    def unique(self) -> bool:
        """Whether no value occurs twice in any batch: in none that was counted, which most are, and by the sketches of the others."""
        ratios = self.history.values.get(UNIQUE_RATIO.name, _NOTHING)
        known = np.isfinite(ratios)
        if not known.any():
            return False
        exact = self.history.errors(UNIQUE_RATIO.name)[known] == 0
        return bool(2 * exact.sum() >= len(exact) and np.all(ratios[known] >= np.where(exact, 1.0, 1 - _SKETCHED)))

    @cached_property
    def unrepeated(self) -> bool:
        """Whether no value of the sample occurs twice, and about all differ in every batch: a sketch cannot tell it of the batches."""
        ratios, values = self.series(UNIQUE_RATIO), self.sample.drop_null()
        if not len(ratios) or ratios.min() < 1 - _SKETCHED or len(values) < _SAMPLED:
            return False
        return bool(pc.count_distinct(values).as_py() == len(values))

    def always(self, metric: Metric, value: float) -> bool:
        """Whether a metric had this value in all batches, of which there is one at least."""
        found = self.series(metric)
        return bool(len(found)) and bool(np.all(found == value))


def agreement(a: ColumnFacts, b: ColumnFacts) -> float:
    """How far two columns of numbers rise together in the sample: the size of their rank correlation, 0 where that is not known."""
    if not (a.is_number and b.is_number) or len(a.sample) != len(b.sample):
        return 0.0
    both = pc.and_(pc.is_valid(a.sample), pc.is_valid(b.sample))
    x, y = (Values.from_arrow(one.history.column, one.sample.filter(both)).numbers for one in (a, b))
    if len(x) != len(y) or len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return abs(float(np.corrcoef(ranks(x), ranks(y))[0, 1]))
