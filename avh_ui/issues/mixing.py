"""Shares that move between the values of a column, while every value stays and none is new."""

from __future__ import annotations

import numpy as np

from avh_ui.issues.renaming import repeats
from avh_ui.issues.sample import Sample
from avh_ui.issues.swapping import filled, some_of, swapped


def mixed(sample: Sample, share: float, rng: np.random.Generator) -> Sample | None:
    """The sample where a share of the rows of the most frequent value have others, as often as these occur; None where values do not come
    again and again.
    """
    if not repeats(sample):
        return None
    codes, counts = np.unique(sample.codes[filled(sample)], return_counts=True)
    most = int(np.argmax(counts))
    rows = some_of(np.flatnonzero(sample.codes == codes[most]), share, rng)
    others, weights = np.delete(codes, most), np.delete(counts, most)
    return swapped(sample, rows, sample.values, rng.choice(others, len(rows), p=weights / weights.sum()))
