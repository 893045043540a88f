"""One number below zero where none was: small negative counts are frequent real faults, and only a minimum of 0 speaks of them.

Numbers with decimals that come near 0 end there too, as amounts, durations and winds do: with a quarter of its amounts negative, of which
none was in 36 batches, a day kept 15 rules. How near the least of a batch comes is chance where a few large numbers stand above many
small ones, as amounts do: of these the least may be farther off. Those that stay away from 0, as the degrees of a summer, may fall below
it.
"""

from __future__ import annotations

import numpy as np

from avh_ui.issues.sample import NULL, Sample

# So much of the middle number the least one is at most, of what comes near 0.
_NEAR = 0.25
# Of what is skewed so much of it: over 44 days of one such table the least was 0.16 to 0.38 of it.
_NEAR_SKEWED = 0.5
# So many times as far as the least one is from the middle one is the 95th percentile of what is skewed: 1.3 to 2.4 on these 44 days; of
# 2,000 days of 200 degrees each, drawn as a bell, a wave or evenly, 0.8, 1.1 and 1.3 on the 99th day of a hundred.
_SKEWED = 1.2


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
        # Between numbers and infinity lies nothing that a quantile could be.
        finite = own[np.isfinite(own)]
        some = finite[finite > 0]
        if not len(some) or not _near_zero(finite):
            return None
        below = -float(some.min())
    codes[least] = len(numbers)
    return Sample(sample.kind, np.append(numbers, below), codes).compact()


def _near_zero(numbers: np.ndarray) -> bool:
    """Whether positive numbers come near 0, for how they lie."""
    finite = numbers[np.isfinite(numbers)]
    if not len(finite):
        return False
    least, middle, large = np.quantile(finite, (0, 0.5, 0.95))
    return bool(least <= _NEAR * middle or (least <= _NEAR_SKEWED * middle and large - middle >= _SKEWED * (middle - least)))
