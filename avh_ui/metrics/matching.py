"""How the values of one column differ in the rows that two batches have, matched by key."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import Floats
from avh_ui.metrics.exchanges import exchanged_numbers
from avh_ui.metrics.joining import Join, Places, join
from avh_ui.metrics.matched_numbers import Mask, MatchedNumbers
from avh_ui.metrics.ranks import ends_of
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues
from avh_ui.metrics.scales import logged
from avh_ui.metrics.state import pack, unpack

# Of fewer cases a day there may be none: 10 to 14 of a region of Italy became 0 on 10 days of 1,701.
_FEW = 20.0
# A row times ten, which may have fallen by a fifth since. Where no row of numbers that are not the smallest did in 60 batches, one did in
# none of 17,244 and 1,782 columns and batches of New York's tables and of 6,500 of Italy's provinces without a documented fault, and in one
# of 29,055 of its regions more than the other mistakes do; of the documented faults 12 columns and batches more are noticed.
_LEAP, _SMALLEST = 8.0, 0.1
# Where nearly all rows rise as far, one that does is no mistake: of the few cases of a Monday a region of Italy had 10 times as many on the
# Tuesday where the others had 3 to 5 times. Not the middle one, which may be times ten itself.
_PACE = 0.25
# Where values are alike none is small: the row of a meter that was at 224 volts, of 222 to 237, may be at 2,300.
_SMALL = 0.25
# Of fewer rows there is no correlation of ranks.
_RANKED = 3


@dataclass(frozen=True, eq=False)
class Matched:
    """One column of a sample of rows, so that its measures need no other state."""

    key: ClassVar[str] = "matched"
    rows: RowSample
    column: str = ""

    @classmethod
    def identity(cls) -> Matched:
        """No rows."""
        return cls(RowSample())

    def merge(self, other: Matched) -> Matched:
        """The column in the sample of both sets of rows."""
        return replace(self, rows=self.rows.merge(other.rows), column=self.column or other.column)

    def to_record(self) -> bytes:
        """As bytes, of the column and the key alone."""
        kept = {name: values for name, values in self.rows.columns.items() if name == self.column or name in self.rows.by}
        return pack({"column": self.column}, replace(self.rows, columns=kept).to_record())

    @classmethod
    def from_record(cls, record: bytes) -> Matched:
        """From `to_record`."""
        header, (rows,) = unpack(record)
        return cls(RowSample.from_record(rows), header["column"])


@dataclass(frozen=True, eq=False)
class MatchedChange:
    """How a column differs in the matched rows: masks of shape (m,), and `step`, how far its numbers moved on a log scale (log1p, keeping
    signs; negative where they fell, NaN where either side has none). `ours` and `theirs` are the whole samples' values; its numbers are
    those `at` this place among the `numbers` of several columns.
    """

    joined: Join
    ours: SampledValues
    theirs: SampledValues
    numbers: MatchedNumbers
    at: int = 0

    @property
    def rows(self) -> int:
        """How many rows are matched."""
        return len(self.joined.ours)

    @property
    def after(self) -> Floats:
        """The numbers now, NaN for none."""
        return np.asarray(self.numbers.after[self.at])

    @property
    def before(self) -> Floats:
        """The numbers before."""
        return np.asarray(self.numbers.before[self.at])

    @cached_property
    def worded(self) -> bool:
        """Whether either side has texts."""
        return self.ours.has_texts or self.theirs.has_texts

    @cached_property
    def _texts(self) -> tuple[Places, Places]:
        """Codes of the texts now and before: equal texts have equal ones, no text -1."""
        if not self.worded:
            none = np.full(self.rows, -1, dtype=np.int64)
            return none, none
        places = _places_of(self.ours.names, self.theirs.names)
        return self.ours.codes[self.joined.ours], places[self.theirs.codes[self.joined.theirs]]

    @cached_property
    def _empty(self) -> tuple[Mask, Mask]:
        now, then = (side[self.at] for side in self.numbers.missing)
        return (now & (self._texts[0] < 0), then & (self._texts[1] < 0)) if self.worded else (now, then)

    @cached_property
    def emptied(self) -> Mask:
        """Where a value is gone."""
        now, then = self._empty
        return now & ~then

    @cached_property
    def filled(self) -> Mask:
        """Where a value came."""
        now, then = self._empty
        return ~now & then

    @cached_property
    def still(self) -> bool:
        """Whether no value has changed, as in most columns of most batches: then nothing fell, rose, came or went."""
        return not self.changed.any()

    @cached_property
    def changed(self) -> Mask:
        """Where the value is another one, or there on one side alone."""
        numbers = self.numbers.changed[self.at]
        return np.asarray((self._texts[0] != self._texts[1]) | numbers if self.worded else numbers)

    @property
    def both(self) -> Mask:
        """Where there are finite numbers now and before."""
        return np.asarray(self.numbers.both[self.at])

    @property
    def step(self) -> Floats:
        """How far numbers moved."""
        return np.asarray(self.numbers.step[self.at])

    @property
    def root_step(self) -> Floats:
        """The same on a scale of square roots, keeping signs."""
        return np.asarray(self.numbers.root_step[self.at])

    @property
    def farthest(self) -> tuple[float, float]:
        """The largest fall (negative) and rise; NaN without numbers on both sides."""
        least, most = self.numbers.farthest
        return float(least[self.at]), float(most[self.at])

    @property
    def root_farthest(self) -> tuple[float, float]:
        """The same on the scale of square roots."""
        least, most = self.numbers.root_farthest
        return float(least[self.at]), float(most[self.at])

    @property
    def fallen_sum(self) -> float:
        """All that numbers fell by, as a share of all before; NaN where these make nothing."""
        return float(self.numbers.fallen_sum[self.at])

    @cached_property
    def numeric(self) -> bool:
        """Whether both sides have numbers alone."""
        return self.ours.numeric and self.theirs.numeric

    @property
    def fallen(self) -> Mask:
        """Where a number is less."""
        return np.asarray(self.numbers.fallen[self.at])

    @property
    def risen(self) -> Mask:
        """Where a number is more."""
        return np.asarray(self.numbers.risen[self.at])

    @cached_property
    def exchanged(self) -> Mask:
        """Where two keys have taken each other's values: numbers about and not by chance, texts exactly."""
        if self.numeric:
            return np.zeros(self.rows, dtype=bool) if self.still else exchanged_numbers(self.numbers, self.at)
        found = np.zeros(self.rows, dtype=bool)
        now, then = self._texts
        places = np.flatnonzero(self.changed & (now >= 0) & (then >= 0))
        base = int(max(now.max(initial=0), then.max(initial=0))) + 1
        # Whose new text nobody had before, or whose old one nobody has now, took nobody's: of a time of the delivery all rows.
        came, went = np.zeros((2, base), dtype=bool)
        came[now[places]] = went[then[places]] = True
        places = places[went[now[places]] & came[then[places]]]
        if not len(places):
            return found
        # NumPy would make a table of all numbers up to the largest.
        pairs, back = (pa.array(one[places] * base + other[places]) for one, other in ((now, then), (then, now)))
        found[places] = pc.is_in(pairs, back).to_numpy(zero_copy_only=False)
        return found

    @cached_property
    def wiped(self) -> Mask:
        """Where a large number became 0, or changed its sign. Of counts fewer than `_FEW` become 0 by themselves."""
        gone = np.asarray(self.numbers.wiped[self.at])
        if not gone.any():
            return gone
        return np.asarray(gone & (np.abs(self.before) >= self._size(0.5)))

    @cached_property
    def leapt(self) -> Mask:
        """Where a number is `_LEAP` times as large as before, and as far beyond what three quarters of the rows have risen by, and was
        neither one of the smallest tenth that is below a quarter of the middle one, nor of counts one below `_FEW`.
        """
        then, now = np.abs(self.before), np.abs(self.after)
        there = self.both & (then > 0)
        grown = there & (now >= _LEAP * then)
        if not grown.any():
            return np.asarray(grown)
        pace = max(1.0, float(np.quantile(now[there] / then[there], _PACE)))
        return np.asarray(grown & (now >= pace * _LEAP * then) & (then >= self._size(_SMALLEST, _SMALL)))

    def _size(self, share: float, part: float = 1.0) -> float:
        """How large a number is that so many of the old ones are below, 0 not counted, or so large a part of the middle one, which is less;
        of counts `_FEW` at least.
        """
        sizes = np.abs(self.before)
        some = sizes[self.both & (sizes > 0)]
        large = min(float(np.quantile(some, share)), part * float(np.median(some)))
        return max(large, _FEW if np.all(some == np.round(some)) else 0.0)

    @cached_property
    def spoiled(self) -> Mask:
        """Where two keys have taken each other's numbers, a large number became 0, one is ten times as large, or changed its sign: below 0
        where none was.
        """
        signed = bool((self.before < 0).any())
        turned = np.sign(self.after) * np.sign(self.before) < 0 if signed else (self.after < 0) & np.isfinite(self.before)
        return np.asarray(self.exchanged | self.wiped | self.leapt | turned)

    @property
    def beyond(self) -> float:
        """How far the number of a row that is new, or changed, lies beyond all of the batch before, on the log scale: 0 within them."""
        fresh = np.concatenate([self.ours.numbers[self.joined.new], self.after[self.changed]])
        (low, high), (least, most) = self.theirs.ends, ends_of(fresh)
        if math.isnan(low) or math.isnan(least):
            return 0.0
        logs = logged(np.array([low, high, least, most]))
        return max(0.0, float(logs[3] - logs[1]), float(logs[0] - logs[2]))

    def rank_change(self) -> float | None:
        """One less Spearman's correlation of the numbers before and after; None below 3 rows or where either side is constant."""
        if self.still:
            known = self.after[self.both]
            return 0.0 if len(known) >= _RANKED and np.ptp(known) else None
        found = float(self.numbers.rank_correlation[self.at])
        return None if math.isnan(found) else max(0.0, 1.0 - found)


@remembered
def changes(ours: Matched, theirs: Matched) -> MatchedChange | None:
    """How the column differs; None where no rows match, or one side lacks the column."""
    after, before = ours.rows.columns.get(ours.column), theirs.rows.columns.get(theirs.column)
    if after is None or before is None:
        return None
    joined = join(ours.rows, theirs.rows)
    if not len(joined.ours):
        return None
    moving, numbers = _numbers_of(ours.rows, theirs.rows)
    if ours.column == theirs.column and ours.column in moving:
        return MatchedChange(joined, after, before, numbers, moving[ours.column])
    return MatchedChange(joined, after, before, MatchedNumbers.of(after.numbers[joined.ours], before.numbers[joined.theirs]))


@remembered
def _numbers_of(ours: RowSample, theirs: RowSample) -> tuple[dict[str, int], MatchedNumbers]:
    """The matched numbers of all columns of numbers, and the place of each of these; without those that are stored as they were, which are
    not read for it.
    """
    joined, still = join(ours, theirs), set(ours.unchanged(theirs))
    names = [name for name in ours.columns if name in theirs.columns and name not in ours.by and name not in still]
    found = {n: (a, b) for n in names if (a := ours.column(n)).numeric and (b := theirs.column(n)).numeric}
    shape = (len(found), len(joined.ours))
    after, before = np.empty(shape), np.empty(shape)
    for at, (now, then) in enumerate(found.values()):
        np.take(now.numbers, joined.ours, out=after[at])
        np.take(then.numbers, joined.theirs, out=before[at])
    return {name: at for at, name in enumerate(found)}, MatchedNumbers(after, before)


@remembered
def _places_of(names: pa.Array, others: pa.Array) -> Places:
    """Where each of the others stands among the names, behind them where it does not; last of all -1, for no name. All columns of a
    sample share their names.
    """
    place = pc.index_in(others, names) if len(names) else pa.nulls(len(others), pa.int32())
    own = np.arange(len(names), len(names) + len(others))
    found = np.where(place.is_null().to_numpy(zero_copy_only=False), own, place.fill_null(0).to_numpy(zero_copy_only=False))
    return np.append(found, -1)
