"""One number below zero where none was: small negative counts are frequent real faults, and only a minimum of 0 speaks of them.

Numbers with decimals that come near 0 end there too, as amounts, durations and winds do: with a quarter of its amounts negative, of which
none was in 36 batches, a day kept 15 rules. Those that stay away from it, as the degrees of a summer, may fall below it.
"""

from __future__ import annotations

import numpy as np

from avh_ui.issues.sample import NULL, Sample

# So much of the middle number the least one is at most, of what comes near 0.
_NEAR = 0.25


def below_zero(sample: Sample) -> Sample | None:
    """The sample with its least value at -1, of numbers with decimals with its sign turned; None where one is negative, where those with
    decimals stay away from 0, and of points in time.

    What notices a large number that lost its sign need not notice a small one: of 15 documented faults 14 were from -1 to -18.
    """
    there = np.flatnonzero(sample.codes != NULL)
    if sample.kind != "numeric" or not len(there):
        return None
    numbers = np.asarray(sample.values)
    if not np.all(numbers >= 0):
        return None
    codes = sample.codes.copy()
    own = numbers[codes[there]]
    least, below = there[np.argmin(own)], -1.0
    if not np.all(numbers == np.round(numbers)):
        some = own[own > 0]
        if own.min() > _NEAR * np.median(own):
            return None
        below = -float(some.min())
    codes[least] = len(numbers)
    return Sample(sample.kind, np.append(numbers, below), codes).compact()
