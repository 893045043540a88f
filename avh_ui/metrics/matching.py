"""Two batches' samples of rows matched by key: which keys came and went, and how the values of one column differ in the rows of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats
from avh_ui.metrics.exchanges import exchanged_numbers
from avh_ui.metrics.ranks import rank_distance
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues
from avh_ui.metrics.scales import logged, rooted
from avh_ui.metrics.state import pack, unpack

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
# Of fewer cases a day there may be none: 10 to 14 of a region of Italy became 0 on 10 days of 1,701.
_FEW = 20.0


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
class Join:
    """Two samples up to the hash up to which both have all keys: how many keys each has (`now`, `then`), how many only one has (`new`,
    `gone`), and the places in both of the rows whose key one row has on each side. `exact` when both are whole.
    """

    now: int
    then: int
    new: Places
    gone: Places
    ours: Places
    theirs: Places
    exact: bool

    def error(self, share: float, among: int) -> float:
        """One standard error of a share among so many rows or keys; 0 where all are there."""
        if self.exact or not among or not 0 <= share <= 1:
            return 0.0
        # One more of each kind: a share of 0 among a few rows is not sure.
        likely = (share * among + 1) / (among + 2)
        return math.sqrt(likely * (1 - likely) / among)


@remembered
def join(ours: RowSample, theirs: RowSample) -> Join:
    """The two samples joined."""
    upto = min(ours.upto, theirs.upto)
    now, then = (int(np.searchsorted(s.hashes, np.uint64(upto), side="right")) for s in (ours, theirs))
    mine, other = ours.hashes[:now], theirs.hashes[:then]
    if now == then and np.array_equal(mine, other):
        # The same keys, as on most days of a dimension table.
        a = b = np.arange(now)
        new = gone = np.empty(0, dtype=np.int64)
    else:
        # Both are sorted, without repeats.
        place = np.searchsorted(other, mine)
        both = np.append(other, np.uint64(0))[place] == mine
        both &= place < then
        a, b = np.flatnonzero(both), place[both]
        lone = np.ones(then, dtype=bool)
        lone[b] = False
        new, gone = np.flatnonzero(~both), np.flatnonzero(lone)
    one = (ours.counts[a] == 1) & (theirs.counts[b] == 1)
    return Join(now, then, new, gone, a[one], b[one], not ours.more and not theirs.more)


@dataclass(frozen=True, eq=False)
class MatchedChange:
    """How a column differs in the matched rows: masks of shape (m,), and `step`, how far its numbers moved on a log scale (log1p, keeping
    signs; negative where they fell, NaN where either side has none). `ours` and `theirs` are the whole samples' values.
    """

    joined: Join
    ours: SampledValues
    theirs: SampledValues

    @property
    def rows(self) -> int:
        """How many rows are matched."""
        return len(self.joined.ours)

    @cached_property
    def after(self) -> Floats:
        """The numbers now, NaN for none."""
        return self.ours.numbers[self.joined.ours]

    @cached_property
    def before(self) -> Floats:
        """The numbers before."""
        return self.theirs.numbers[self.joined.theirs]

    @cached_property
    def _texts(self) -> tuple[Places, Places]:
        """Codes of the texts now and before: equal texts have equal ones, no text -1."""
        if not self.ours.has_texts and not self.theirs.has_texts:
            none = np.full(self.rows, -1, dtype=np.int64)
            return none, none
        places = _places_of(self.ours.names, self.theirs.names)
        return self.ours.codes[self.joined.ours], places[self.theirs.codes[self.joined.theirs]]

    @cached_property
    def _empty(self) -> tuple[Mask, Mask]:
        now, then = np.isnan(self.after), np.isnan(self.before)
        if self.ours.has_texts or self.theirs.has_texts:
            return now & (self._texts[0] < 0), then & (self._texts[1] < 0)
        return now, then

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
        a, b = self.after, self.before
        numbers = (a != b) & ~(np.isnan(a) & np.isnan(b))
        if not (self.ours.has_texts or self.theirs.has_texts):
            return np.asarray(numbers)
        now, then = self._texts
        return np.asarray((now != then) | numbers)

    @cached_property
    def both(self) -> Mask:
        """Where there are finite numbers now and before."""
        return np.isfinite(self.after) & np.isfinite(self.before)

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """The numbers now and before on the log scale."""
        return logged(self.after), logged(self.before)

    @cached_property
    def step(self) -> Floats:
        """How far numbers moved."""
        return self.logs[0] - self.logs[1]

    @cached_property
    def root_step(self) -> Floats:
        """The same on a scale of square roots, keeping signs."""
        return rooted(self.after) - rooted(self.before)

    @cached_property
    def numeric(self) -> bool:
        """Whether both sides have numbers alone."""
        return self.ours.numeric and self.theirs.numeric

    @cached_property
    def fallen(self) -> Mask:
        """Where a number is less."""
        return np.asarray(self.after < self.before)

    @cached_property
    def risen(self) -> Mask:
        """Where a number is more."""
        return np.asarray(self.after > self.before)

    @cached_property
    def exchanged(self) -> Mask:
        """Where two keys have taken each other's values: numbers about and not by chance, texts exactly."""
        found = np.zeros(self.rows, dtype=bool)
        if self.numeric:
            return found if self.still else exchanged_numbers(self.after, self.before, self.logs)
        now, then = self._texts
        places = np.flatnonzero(self.changed & (now >= 0) & (then >= 0))
        base = int(max(now.max(initial=0), then.max(initial=0))) + 1
        # NumPy would make a table of all numbers up to the largest.
        pairs, back = (pa.array(one[places] * base + other[places]) for one, other in ((now, then), (then, now)))
        found[places] = pc.is_in(pairs, back).to_numpy(zero_copy_only=False)
        return found

    @cached_property
    def wiped(self) -> Mask:
        """Where a large number became 0, or changed its sign. Of counts fewer than `_FEW` become 0 by themselves."""
        gone = self.both & (self.before != 0) & (np.sign(self.after) * np.sign(self.before) <= 0)
        if not gone.any():
            return np.asarray(gone)
        sizes = np.abs(self.before)
        some = sizes[self.both & (sizes > 0)]
        least = max(float(np.median(some)), _FEW if np.all(some == np.round(some)) else 0.0)
        return np.asarray(gone & (sizes >= least))

    @cached_property
    def spoiled(self) -> Mask:
        """Where two keys have taken each other's numbers, a large number became 0, or one changed its sign: below 0 where none was."""
        signed = bool((self.before < 0).any())
        turned = np.sign(self.after) * np.sign(self.before) < 0 if signed else (self.after < 0) & np.isfinite(self.before)
        return np.asarray(self.exchanged | self.wiped | turned)

    @property
    def beyond(self) -> float:
        """How far the number of a row that is new, or changed, lies beyond all of the batch before, on the log scale: 0 within them."""
        known = self.theirs.numbers[np.isfinite(self.theirs.numbers)]
        fresh = np.concatenate([self.ours.numbers[self.joined.new], self.after[self.changed]])
        fresh = fresh[np.isfinite(fresh)]
        if not len(known) or not len(fresh):
            return 0.0
        low, high, least, most = logged(np.array([known.min(), known.max(), fresh.min(), fresh.max()]))
        return max(0.0, float(most - high), float(low - least))

    def rank_change(self) -> float | None:
        """One less Spearman's correlation of the numbers before and after; None below 3 rows or where either side is constant."""
        if np.count_nonzero(self.both) < 3:
            return None
        if self.still:
            return 0.0 if np.ptp(self.after[self.both]) else None
        return rank_distance(self.after[self.both], self.before[self.both])


@remembered
def changes(ours: Matched, theirs: Matched) -> MatchedChange | None:
    """How the column differs; None where no rows match, or one side lacks the column."""
    after, before = ours.rows.columns.get(ours.column), theirs.rows.columns.get(theirs.column)
    joined = join(ours.rows, theirs.rows)
    return None if after is None or before is None or not len(joined.ours) else MatchedChange(joined, after, before)


@remembered
def _places_of(names: pa.Array, others: pa.Array) -> Places:
    """Where each of the others stands among the names, behind them where it does not; last of all -1, for no name. All columns of a
    sample share their names.
    """
    place = pc.index_in(others, names) if len(names) else pa.nulls(len(others), pa.int32())
    own = np.arange(len(names), len(names) + len(others))
    found = np.where(place.is_null().to_numpy(zero_copy_only=False), own, place.fill_null(0).to_numpy(zero_copy_only=False))
    return np.append(found, -1)
