"""Giving some rows of a sample other values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from avh_ui.issues.sample import NULL, Codes, Floats, Sample, followed_by, take


def some_of(places: Codes, share: float, rng: np.random.Generator) -> Codes:
    """A share of these row numbers, at least one, at random."""
    if share >= 1 or not len(places):
        return places
    size = max(1, round(share * len(places)))
    return places[rng.choice(len(places), size, replace=False, shuffle=False)]


def filled(sample: Sample) -> Codes:
    """The rows that have a value."""
    return np.flatnonzero(sample.codes != NULL)


def swapped(sample: Sample, rows: Codes, values: Floats | pa.Array, codes: Codes) -> Sample | None:
    """The rows given other values: `codes` (NULL allowed) point into `values`. None when no row changes."""
    everything, base = followed_by(sample.values, values), len(sample.values)
    fresh = np.where(codes == NULL, NULL, codes + base)
    if not differ(everything, sample.codes[rows], fresh):
        return None
    new = sample.codes.copy()
    new[rows] = fresh
    return Sample(sample.kind, everything, new).compact()


def differ(values: Floats | pa.Array, old: Codes, new: Codes) -> bool:
    """Whether the values are others, place by place; nulls are one."""
    both = (old != NULL) & (new != NULL)
    if not both.all() and ((old == NULL) != (new == NULL)).any():
        return True
    before, after = take(values, old[both]), take(values, new[both])
    if isinstance(before, np.ndarray):
        return not np.array_equal(before, after, equal_nan=True)
    return not before.equals(after)
