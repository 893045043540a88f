"""One number below zero where none was: small negative counts are frequent real faults, and only a minimum of 0 speaks of them."""

from __future__ import annotations

import numpy as np

from avh_ui.issues.sample import NULL, Sample


def below_zero(sample: Sample, rng: np.random.Generator) -> Sample | None:
    """The sample with one value -1; None unless its numbers are whole and none of them is negative, and of points in time."""
    there = np.flatnonzero(sample.codes != NULL)
    if sample.kind != "numeric" or not len(there):
        return None
    numbers = np.asarray(sample.values)
    if not np.all(numbers >= 0) or not np.all(numbers == np.round(numbers)):
        return None
    codes = sample.codes.copy()
    codes[rng.choice(there)] = len(numbers)
    return Sample(sample.kind, np.append(numbers, -1.0), codes).compact()
