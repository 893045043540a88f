"""The numbers of many columns in matched rows, now and before: all columns at once, since small batches pay by the call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import Counts, Floats
from avh_ui.metrics.scales import logged, rooted

Mask = NDArray[np.bool_]
# What differs by less than so much of itself is one number, written by another program: 13.362356699999998 became 13.3623567 in a region
# that had not moved. Four steps of a double; whole numbers below 10^15 that differ are farther apart.
_NOISE = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False)
class MatchedNumbers:
    """`after` and `before` of shape (columns, rows), NaN for none; what follows from them has that shape, unless it says another."""

    after: Floats
    before: Floats

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
    def logs(self) -> tuple[Floats, Floats]:
        """The numbers now and before on the log scale."""
        return logged(self.after), logged(self.before)

    @cached_property
    def step(self) -> Floats:
        """How far numbers moved on the log scale."""
        with np.errstate(invalid="ignore"):
            return self.logs[0] - self.logs[1]

    @cached_property
    def root_step(self) -> Floats:
        """The same on a scale of square roots, keeping signs."""
        with np.errstate(invalid="ignore"):
            return rooted(self.after) - rooted(self.before)

    @cached_property
    def farthest(self) -> tuple[Floats, Floats]:
        """By column the largest fall (negative) and rise on the log scale, shape (columns,) each; NaN without numbers on both sides."""
        return _ends(self.step, self.both)

    @cached_property
    def root_farthest(self) -> tuple[Floats, Floats]:
        """The same on the scale of square roots."""
        return _ends(self.root_step, self.both)

    @cached_property
    def fallen_sum(self) -> Floats:
        """By column all that numbers fell by as a share of their sizes before, shape (columns,); NaN where these make 0 or infinity."""
        whole = np.where(self.both, np.abs(self.before), 0.0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            fallen = np.where(self.both & self.fallen, self.before - self.after, 0.0).sum(axis=1)
        return np.asarray(fallen / np.where((whole > 0) & (whole < np.inf), whole, np.nan))

    @cached_property
    def known(self) -> list[int]:
        """By column how many old numbers are finite."""
        return [int(np.count_nonzero(row)) for row in np.isfinite(self.before)]

    @cached_property
    def order(self) -> Counts:
        """The places of the old numbers in their order, by column; those that are not finite come last."""
        return np.argsort(np.where(np.isinf(self.before), np.nan, self.before), axis=1)

    @cached_property
    def alike(self) -> Counts:
        """How many of a column's old numbers are as large as this one, itself among them; NaN is like no other."""
        found = np.empty(self.before.shape, dtype=np.int64)
        places, bounds = _runs(self.before, self.order, np.ones(self.before.shape, dtype=bool))
        found.ravel()[places] = np.repeat(np.diff(bounds), np.diff(bounds))
        return found

    @cached_property
    def rank_correlation(self) -> Floats:
        """Spearman's of the numbers before and after by column, shape (columns,); NaN below 3 rows or where either side is constant."""
        sides = [_ranks(self.before, self.order, self.both), _ranks(self.after, np.argsort(self.after, axis=1), self.both)]
        a, b = sides
        size = np.sqrt(np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b))
        size[(size == 0) | (np.count_nonzero(self.both, axis=1) < 3)] = np.nan
        return np.asarray(np.einsum("ij,ij->i", a, b) / size)


def _ends(steps: Floats, there: Mask) -> tuple[Floats, Floats]:
    known = np.where(there, steps, np.nan)
    return np.fmin.reduce(known, axis=1, initial=np.nan), np.fmax.reduce(known, axis=1, initial=np.nan)


def _runs(values: Floats, order: Counts, among: Mask) -> tuple[Counts, Counts]:
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
    places, bounds = _runs(values, order, among)
    found.ravel()[places] = np.repeat((bounds[:-1] + bounds[1:] - 1) / 2, np.diff(bounds))
    counts = np.count_nonzero(among, axis=1)
    means = found.sum(axis=1) / np.maximum(counts, 1)
    return np.asarray(np.where(among, found - means[:, None], 0.0))
