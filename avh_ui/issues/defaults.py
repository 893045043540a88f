"""A default in the place of some values: one that occurs, so that neither limits nor a list of values notice it."""

from __future__ import annotations

import numpy as np

from avh_ui.issues.sample import Sample
from avh_ui.issues.swapping import filled, some_of, swapped


def with_default(sample: Sample, share: float, rng: np.random.Generator) -> Sample | None:
    """The sample where a share of the rows have one of its values: of numbers that at a third of their ranks, of texts the rarest. None
    where they have it, or there is no value. The middle and the tenths are what distances of numbers look at, and a third is neither.
    """
    there = filled(sample)
    if not len(there):
        return None
    codes, counts = np.unique(sample.codes[there], return_counts=True)
    if sample.is_number:
        order = there[np.argsort(np.asarray(sample.values)[sample.codes[there]], kind="stable")]
        one = sample.codes[order[len(order) // 3]]
    else:
        one = codes[np.argmin(counts)]
    rows = some_of(there, share, rng)
    return swapped(sample, rows, sample.values, np.full(len(rows), one))
