"""Whose average changed between two batches, told from their rows: what is left to ask where no key matches rows with those before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats
from avh_ui.metrics.contributions import LISTED, Contribution

# A column of more values names rows, and no groups of them.
_VALUES = 200
# The spread of fewer numbers is not known.
_LEAST = 5
# So many standard errors apart, as groups of matched rows are told (`contributions`): by chance 1 of 16,000 groups.
_SURE = 4.0
# What carries less beyond its share of the rows changed as all others did.
_BEYOND = 0.1


def means_moved(ours: pa.Table, theirs: pa.Table, column: str) -> list[Contribution]:
    """Values of other columns whose rows' average of a column of numbers changed by more than their share of the rows, those first that
    carry most of it: `before` and `after` are averages, `size` the share of the rows now. Nothing where one side has no such numbers, and
    where all groups changed alike.
    """
    after, before = (numbers_of(table, column) for table in (ours, theirs))
    if after is None or before is None:
        return []
    found: list[Contribution] = []
    for name in ours.column_names:
        if name != column and name in theirs.column_names:
            found += _of_column(name, ours.column(name), theirs.column(name), after, before)
    return sorted(found, key=lambda one: (-one.beyond, -one.size, one.column, one.value))[:LISTED]


def numbers_of(table: pa.Table, column: str) -> Floats | None:
    """The numbers of a column, NaN where it has none; None of other columns, and of names that none or several have."""
    if table.column_names.count(column) != 1:
        return None
    values = table.column(column)
    kind = values.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None
    return np.asarray(pc.fill_null(values.cast(pa.float64(), safe=False), np.nan).to_numpy(), dtype=np.float64)


def _of_column(name: str, now: pa.ChunkedArray, then: pa.ChunkedArray, after: Floats, before: Floats) -> list[Contribution]:
    """Of the groups of one column of texts, truths or whole numbers."""
    kind = now.type
    of_groups = (pa.types.is_string, pa.types.is_large_string, pa.types.is_boolean, pa.types.is_integer)
    if kind != then.type or not any(is_kind(kind) for is_kind in of_groups):
        return []
    both = pa.chunked_array([*now.chunks, *then.chunks], now.type).combine_chunks().dictionary_encode()
    values = [str(value) for value in both.dictionary.to_pylist()]
    if not 1 < len(values) <= _VALUES:
        return []
    codes = pc.fill_null(both.indices, len(values)).to_numpy(zero_copy_only=False)
    ours, theirs = _moments(codes[: len(now)], len(values), after), _moments(codes[len(now) :], len(values), before)
    known = (ours.count >= _LEAST) & (theirs.count >= _LEAST)
    rise = ours.mean - theirs.mean
    moved = np.where(known, ours.count * rise, 0.0)
    total, rows = float(moved.sum()), float(ours.count.sum())
    if not total or not rows:
        return []
    apart = np.abs(rise) > _SURE * np.sqrt(ours.of_mean + theirs.of_mean)
    made = [
        Contribution(name, values[k], float(theirs.mean[k]), float(ours.mean[k]), moved[k] / total, ours.count[k] / rows)
        for k in np.flatnonzero(known & apart)
    ]
    return [one for one in made if one.beyond >= _BEYOND]


@dataclass(frozen=True)
class _Moments:
    """How many numbers each group has, their mean and their variance, shapes (groups,)."""

    count: Floats
    mean: Floats
    variance: Floats

    @property
    def of_mean(self) -> Floats:
        """The variance of the mean."""
        return np.asarray(self.variance / np.maximum(self.count, 1))


def _moments(codes: NDArray[np.int64], groups: int, numbers: Floats) -> _Moments:
    """Of the groups that the `codes` (n,) of `numbers` (n,) name; rows without a number, or of no group, are left out."""
    there = np.isfinite(numbers) & (codes < groups)
    codes, numbers = codes[there], numbers[there]
    count = np.bincount(codes, minlength=groups).astype(np.float64)
    mean = np.bincount(codes, weights=numbers, minlength=groups) / np.maximum(count, 1)
    variance = np.bincount(codes, weights=(numbers - mean[codes]) ** 2, minlength=groups) / np.maximum(count - 1, 1)
    return _Moments(count, mean, variance)
