"""The numbers of many columns in matched rows, now and before: all columns at once, since small batches pay by the call."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import Counts, Floats
from avh_ui.metrics.ranks import medians_of, quantiles_of
from avh_ui.metrics.scales import logged, rooted

Mask = NDArray[np.bool_]
# What differs by less than so much of itself is one number, written by another program: 13.362356699999998 became 13.3623567 in a region
# that had not moved. Four steps of a double; whole numbers below 10^15 that differ are farther apart.
_NOISE = 4 * np.finfo(np.float64).eps

# So many of the rows rise, or fall, where all move together: where it is taken off whatever the middle row did, 10 of 30,914 columns and
# days of Italy's regions have two rows that exchanged their numbers by chance, with this none.
ALL_MOVE = 0.75


@dataclass(frozen=True, eq=False)
class MatchedNumbers:
    """`after` and `before` of shape (columns, rows), NaN for none; what follows from them has that shape, unless it says another: a list is
    by column. `new` are the numbers of rows that only this batch has, of shape (columns, new rows), and `old` all of the batch before.
    """

    after: Floats
    before: Floats
    new: Floats = field(default_factory=lambda: np.empty((1, 0)))
    old: Floats = field(default_factory=lambda: np.empty((1, 0)))

    @classmethod
    def of(cls, after: Floats, before: Floats) -> MatchedNumbers:
        """Of one column, both of shape (rows,)."""
        return cls(after[None], before[None])

    @cached_property
    def both(self) -> Mask:
        """Where there are finite numbers now and before."""
        return np.isfinite(self.after) & np.isfinite(self.before)

    @cached_property
    def missing(self) -> tuple[Mask, Mask]:
        """Where there is no number now, and where there was none before."""
        return np.isnan(self.after), np.isnan(self.before)

    @cached_property
    def emptied(self) -> Mask:
        """Where a number is gone."""
        return self.missing[0] & ~self.missing[1]

    @cached_property
    def filled(self) -> Mask:
        """Where a number came."""
        return ~self.missing[0] & self.missing[1]

    @cached_property
    def changed(self) -> Mask:
        """Where the number is another one, or there on one side alone."""
        now, then = self.missing
        return np.asarray((self.after != self.before) & ~(now & then) & ~self._noise)

    @cached_property
    def fallen(self) -> Mask:
        """Where a number is less."""
        return np.asarray((self.after < self.before) & ~self._noise)

    @cached_property
    def risen(self) -> Mask:
        """Where a number is more."""
        return np.asarray((self.after > self.before) & ~self._noise)

    @cached_property
    def _noise(self) -> Mask:
        """Where numbers differ in their last binary digits alone, or not at all."""
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(self.both & (np.abs(self.after - self.before) <= _NOISE * np.abs(self.before)))

    @cached_property
    def wiped(self) -> Mask:
        """Where a number became 0, or changed its sign."""
        return np.asarray(self.both & (self.before != 0) & (np.sign(self.after) * np.sign(self.before) <= 0))

    @cached_property
    def pairs(self) -> list[int]:
        """How many rows have finite numbers now and before."""
        return _count(self.both)

    @cached_property
    def changed_rows(self) -> list[int]:
        """How many rows have another number, or one on one side alone."""
        return _count(self.changed)

    @cached_property
    def fallen_rows(self) -> list[int]:
        """In how many rows a number is less."""
        return _count(self.fallen)

    @cached_property
    def risen_rows(self) -> list[int]:
        """In how many rows a number is more."""
        return _count(self.risen)

    @cached_property
    def emptied_rows(self) -> list[int]:
        """In how many rows a number is gone."""
        return _count(self.emptied)

    @cached_property
    def filled_rows(self) -> list[int]:
        """In how many rows a number came."""
        return _count(self.filled)

    @cached_property
    def logs(self) -> tuple[Floats, Floats]:
        """The numbers now and before on the log scale."""
        return logged(self.after), logged(self.before)

    @cached_property
    def step(self) -> Floats:
        """How far numbers moved on the log scale."""
        with np.errstate(invalid="ignore"):
            return self.logs[0] - self.logs[1]

    @cached_property
    def together(self) -> Floats:
        """How far the middle row moved on the log scale where nearly all move to one side, as a year's figures of countries do; else 0.
        Shape (columns, 1).
        """
        rows, sides = np.array(self.pairs), (self.both & self.risen, self.both & self.fallen)
        some = np.flatnonzero(np.maximum(*(side.sum(axis=1) for side in sides)) >= ALL_MOVE * np.maximum(rows, 1))
        found = np.zeros((len(rows), 1))
        ordered = np.sort(np.where(self.both[some], self.step[some], np.nan), axis=1)
        found[some, 0] = medians_of(ordered, rows[some].tolist())
        return found

    @cached_property
    def root_step(self) -> Floats:
        """The same on a scale of square roots, keeping signs."""
        with np.errstate(invalid="ignore"):
            return rooted(self.after) - rooted(self.before)

    @cached_property
    def farthest(self) -> tuple[list[float], list[float]]:
        """The largest fall (negative) and rise on the log scale; NaN without numbers on both sides."""
        return _ends(self.step, self.both)

    @cached_property
    def root_farthest(self) -> tuple[list[float], list[float]]:
        """The same on the scale of square roots."""
        return _ends(self.root_step, self.both)

    @cached_property
    def beyond(self) -> list[float]:
        """How far the number of a row that is new, or changed, lies beyond all old ones, on the log scale: 0 within them."""
        low, high = _finite_ends(self.old)
        fresh = np.concatenate([self.new, np.where(self.changed, self.after, np.nan)], axis=1)
        low, high, least, most = logged(np.array([low, high, *_finite_ends(fresh)]))
        found: list[float] = np.nan_to_num(np.maximum(np.maximum(most - high, low - least), 0.0)).tolist()
        return found

    @cached_property
    def varies(self) -> list[bool]:
        """Whether the numbers now of rows that have them on both sides differ."""
        least, most = _ends(self.after, self.both)
        return [low < high for low, high in zip(least, most, strict=True)]

    @cached_property
    def fallen_sum(self) -> list[float]:
        """All that numbers fell by as a share of their sizes before; NaN where these make 0 or infinity."""
        whole = np.where(self.both, np.abs(self.before), 0.0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            fallen = np.where(self.both & self.fallen, self.before - self.after, 0.0).sum(axis=1)
        found: list[float] = (fallen / np.where((whole > 0) & (whole < np.inf), whole, np.nan)).tolist()
        return found

    @cached_property
    def known(self) -> list[int]:
        """How many old numbers are finite."""
        return _count(np.isfinite(self.before))

    @cached_property
    def order(self) -> Counts:
        """The places of the old numbers in their order, by column; those that are not finite come last."""
        return np.argsort(np.where(np.isinf(self.before), np.nan, self.before), axis=1)

    @cached_property
    def alike(self) -> Counts:
        """How many of a column's old numbers are as large as this one, itself among them; NaN is like no other."""
        found = np.empty(self.before.shape, dtype=np.int64)
        places, bounds = runs(self.before, self.order, np.ones(self.before.shape, dtype=bool))
        found.ravel()[places] = np.repeat(np.diff(bounds), np.diff(bounds))
        return found

    @cached_property
    def sizes(self) -> tuple[Floats, list[int], list[bool]]:
        """How large the old numbers of `both` are, in order, 0 not counted: NaN behind them; how many, and whether all are whole."""
        sizes = np.abs(self.before)
        there = self.both & (sizes > 0)
        ordered = np.sort(np.where(there, sizes, np.nan), axis=1)
        whole: list[bool] = ((ordered == np.round(ordered)) | np.isnan(ordered)).all(axis=1).tolist()
        return ordered, _count(there), whole

    def size(self, share: float, part: float, least: float) -> Floats:
        """How large a number is that so many of the `sizes` are below, or so large a part of the middle one, which is less; of whole ones
        `least` at least. Shape (columns,), NaN where there are none.
        """
        ordered, counts, whole = self.sizes
        some = np.minimum(quantiles_of(ordered, counts, share), part * medians_of(ordered, counts))
        return np.asarray(np.maximum(some, np.where(whole, least, 0.0)))

    @cached_property
    def ranks(self) -> tuple[Floats, Floats]:
        """The ranks of the numbers before and after, less their mean; 0 where one is missing."""
        return _ranks(self.before, self.order, self.both), _ranks(self.after, np.argsort(self.after, axis=1), self.both)

    @cached_property
    def rank_correlation(self) -> list[float]:
        """Spearman's of the numbers before and after; NaN below 3 rows or where either side is constant."""
        a, b = self.ranks
        size = np.sqrt(np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b))
        size[(size == 0) | (np.array(self.pairs) < 3)] = np.nan
        found: list[float] = (np.einsum("ij,ij->i", a, b) / size).tolist()
        return found


def _count(mask: Mask) -> list[int]:
    found: list[int] = mask.sum(axis=1).tolist()
    return found


def _ends(steps: Floats, there: Mask) -> tuple[list[float], list[float]]:
    known = np.where(there, steps, np.nan)
    return np.fmin.reduce(known, axis=1, initial=np.nan).tolist(), np.fmax.reduce(known, axis=1, initial=np.nan).tolist()


def _finite_ends(numbers: Floats) -> tuple[Floats, Floats]:
    known = np.where(np.isinf(numbers), np.nan, numbers)
    return np.fmin.reduce(known, axis=1, initial=np.nan), np.fmax.reduce(known, axis=1, initial=np.nan)


def runs(values: Floats, order: Counts, among: Mask) -> tuple[Counts, Counts]:
    """Flat places of the values `among` in the order of each column, and where each run of equal ones of a column begins, with the end."""
    columns, rows = values.shape
    places = (order + rows * np.arange(columns)[:, None]).ravel()
    places = places[among.ravel()[places]]
    ordered, column = values.ravel()[places], places // max(rows, 1)
    begins = np.ones(len(places) + 1, dtype=bool)
    begins[1:-1] = (ordered[1:] != ordered[:-1]) | (column[1:] != column[:-1])
    return places, np.flatnonzero(begins)


def _ranks(values: Floats, order: Counts, among: Mask) -> Floats:
    """Of each value `among` its rank in its column less the mean of all ranks, equal ones having the mean of theirs; 0 of the others."""
    found = np.zeros(values.shape)
    places, bounds = runs(values, order, among)
    found.ravel()[places] = np.repeat((bounds[:-1] + bounds[1:] - 1) / 2, np.diff(bounds))
    counts = among.sum(axis=1)
    means = found.sum(axis=1) / np.maximum(counts, 1)
    return np.asarray(np.where(among, found - means[:, None], 0.0))
