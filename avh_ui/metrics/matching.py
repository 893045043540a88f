"""How the values of one column differ in the rows that two batches have, matched by key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, cast

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.exchanged_texts import exchanged_texts
from avh_ui.metrics.exchanges import exchanged_numbers, shifted_numbers
from avh_ui.metrics.joining import Join, Places, join, places_of
from avh_ui.metrics.matched_numbers import Mask, MatchedNumbers
from avh_ui.metrics.remembering import Remembered, remembered
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues
from avh_ui.metrics.seldom_exchanged import may_be_exchanged, may_be_shifted
from avh_ui.metrics.state import pack, unpack

# Where a sample keeps how it differs from another one, if it was matched with others.
_KNOWN = "_known"


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
    def texts(self) -> tuple[Places, Places]:
        """Codes of the texts now and before: equal texts have equal ones, no text -1."""
        if not self.worded:
            none = np.full(self.rows, -1, dtype=np.int64)
            return none, none
        places = places_of(self.ours.names, self.theirs.names)
        return self.ours.codes[self.joined.ours], places[self.theirs.codes[self.joined.theirs]]

    @cached_property
    def _empty(self) -> tuple[Mask, Mask]:
        now, then = (side[self.at] for side in self.numbers.missing)
        return (now & (self.texts[0] < 0), then & (self.texts[1] < 0)) if self.worded else (now, then)

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

    @property
    def gone(self) -> bool:
        """Whether no matched row has a value now, and some had."""
        now, then = self._empty
        return bool(now.all() and not then.all())

    @cached_property
    def unheard(self) -> Mask:
        """Where the text is one that nobody had before."""
        now, then = self.texts
        return np.asarray((now >= 0) & ~np.isin(now, then))

    @cached_property
    def lapsed(self) -> Mask:
        """Where the text was one that nobody has now."""
        now, then = self.texts
        return np.asarray((then >= 0) & ~np.isin(then, now))

    @cached_property
    def still(self) -> bool:
        """Whether no value has changed, as in most columns of most batches: then nothing fell, rose, came or went."""
        return not self.changed_rows

    @cached_property
    def changed(self) -> Mask:
        """Where the value is another one, or there on one side alone."""
        numbers = self.numbers.changed[self.at]
        return np.asarray((self.texts[0] != self.texts[1]) | numbers if self.worded else numbers)

    @property
    def changed_rows(self) -> int:
        """In how many rows the value has changed."""
        return int(np.count_nonzero(self.changed)) if self.worded else self.numbers.changed_rows[self.at]

    @property
    def emptied_rows(self) -> int:
        """In how many rows the value is gone."""
        return int(np.count_nonzero(self.emptied)) if self.worded else self.numbers.emptied_rows[self.at]

    @property
    def filled_rows(self) -> int:
        """In how many rows a value came."""
        return int(np.count_nonzero(self.filled)) if self.worded else self.numbers.filled_rows[self.at]

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
        """Where two keys have taken each other's values, or most have another's: numbers about, texts exactly, and not by chance."""
        if not self.numeric:
            return exchanged_texts(*self.texts, self.changed)
        if self.still or not (may_be_exchanged(self.numbers)[self.at] or may_be_shifted(self.numbers)[self.at]):
            return np.zeros(self.rows, dtype=bool)
        return exchanged_numbers(self.numbers, self.at) | self._shifted

    @property
    def exchanged_rows(self) -> int:
        """How many rows are `exchanged`."""
        return int(np.count_nonzero(self.exchanged))

    @property
    def _shifted(self) -> Mask:
        return shifted_numbers(self.numbers, self.at)

    @cached_property
    def sizes(self) -> tuple[Floats, bool]:
        """How large the old numbers of `both` are, 0 not counted, in order; and whether all are whole."""
        ordered, counts, whole = self.numbers.sizes
        return ordered[self.at, : counts[self.at]], whole[self.at]


def match_together(several: Sequence[Matched], theirs: Matched) -> None:
    """Match one column of several samples of the same rows, in which its values alone differ, as of synthetic issues, with one sample: at
    once, since of few rows most of the time is that of each call. `changes` of each knows it then.
    """
    before = theirs.rows.columns.get(theirs.column)
    same = [
        one for one in dict.fromkeys(several) if one.rows.hashes is several[0].rows.hashes and one.rows.counts is several[0].rows.counts
    ]
    if before is None or not same or not len((joined := join(same[0].rows, theirs.rows)).ours):
        return
    after = [one.rows.columns[one.column] for one in same]
    numbers = _numbers(joined, after, [before] * len(after))
    for at, (one, values) in enumerate(zip(same, after, strict=True)):
        vars(one)[_KNOWN] = theirs, MatchedChange(joined, values, before, numbers, at)


def _changes(ours: Matched, theirs: Matched) -> MatchedChange | None:
    before, known = vars(ours).get(_KNOWN, (None, None))
    if known is not None and before is theirs:
        return cast(MatchedChange, known)
    after, before = ours.rows.columns.get(ours.column), theirs.rows.columns.get(theirs.column)
    if after is None or before is None:
        return None
    found = numbers_of(ours.rows, theirs.rows)
    if not len(found.joined.ours):
        return None
    if ours.column == theirs.column and ours.column in found.places and found.of_several(ours.column):
        return MatchedChange(found.joined, after, before, found.numbers, found.places[ours.column])
    return MatchedChange(found.joined, after, before, _numbers(found.joined, [after], [before]))


def changes_of(ours: RowSample, theirs: RowSample, names: Iterable[str]) -> dict[str, MatchedChange]:
    """How some columns differ, by name and at once; nothing where no rows match, or of a column that one side lacks."""
    both, joined = [name for name in names if name in ours.columns and name in theirs.columns], join(ours, theirs)
    after, before = ([sample.columns[name] for name in both] for sample in (ours, theirs))
    numbers = _numbers(joined, after, before)
    return {name: MatchedChange(joined, after[at], before[at], numbers, at) for at, name in enumerate(both) if len(joined.ours)}


# How the column differs; None where no rows match, or one side lacks the column. Of synthetic issues three pairs are asked for in turn.
changes = Remembered(_changes, 3)


@dataclass(eq=False)
class NumbersOfAll:
    """The matched numbers of all columns of two samples, and the place of each of these; without those that are stored as they were, which
    are not read for it.
    """

    joined: Join
    ours: RowSample
    theirs: RowSample
    _first: str = ""

    @cached_property
    def places(self) -> dict[str, int]:
        """The columns' places among the numbers."""
        still = {*self.ours.by, *self.ours.unchanged(self.theirs)}
        names = [name for name in self.ours.columns if name in self.theirs.columns and name not in still]
        return {name: at for at, name in enumerate(names)}

    @cached_property
    def numbers(self) -> MatchedNumbers:
        """The numbers of all."""
        return _numbers(self.joined, *([sample.column(name) for name in self.places] for sample in (self.ours, self.theirs)))

    def of_several(self, column: str) -> bool:
        """Whether a second column is asked for, or the numbers of all are there: of a synthetic issue one column is."""
        self._first = self._first or column
        return column != self._first or "numbers" in vars(self)


@remembered
def numbers_of(ours: RowSample, theirs: RowSample) -> NumbersOfAll:
    """The numbers of two samples."""
    return NumbersOfAll(join(ours, theirs), ours, theirs)


def _numbers(joined: Join, ours: Sequence[SampledValues], theirs: Sequence[SampledValues]) -> MatchedNumbers:
    """The numbers of some columns of two samples, in the matched rows, in new ones and in all old ones."""
    if not ours:
        nothing = np.empty((0, len(joined.ours)))
        return MatchedNumbers(nothing, nothing)
    now, then = (np.array([column.numbers for column in side]) for side in (ours, theirs))
    return MatchedNumbers(now[:, joined.ours], then[:, joined.theirs], now[:, joined.new], then)
