"""Numbers that rows exchanged since the batch before: each of two rows has the other's old one, and no chance explains that.

Small counts take each other's values every day (5 becomes 6 where 6 becomes 5), and where most rows move far some take another's. Of 1,360
quiet batches of Italy's regions in which two rows had exchanged values by `NEAR` and `FAR` alone, none has rows that are `APART` too and
fewer than `CHANCE` such pairs to expect; of 12 of New York's cases by day none; of 22 of Italy's provinces the 13 that any reader would
call mistakes, and all that are documented (the nearest were 3.5 apart, the likeliest had .008 pairs to expect).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats
from avh_ui.metrics.scales import logged, rooted

# Two keys have exchanged their values where each has the other's old one but for so much, and its own has changed by five times that:
# counters go on while rows are mixed up. Both on the log scale.
NEAR, FAR = 0.02, 0.1
# On the scale of square roots a count errs by 0.5 (Poisson): two that are so far from each other are different.
APART = 2.0
# So many pairs at most may be expected among the rows that moved, were each as likely to come near an old value as others lie there.
CHANCE = 0.01
# So many rows that have changed much are compared with each other, those of the smallest hashes: a matrix of 90,000 numbers takes 0.2 ms.
_COMPARED = 300


def exchanged_numbers(after: Floats, before: Floats) -> NDArray[np.bool_]:
    """Which rows took each other's numbers; `after` and `before` of shape (rows,), NaN for none."""
    found = np.zeros(len(after), dtype=bool)
    now, then = logged(after), logged(before)
    far = np.flatnonzero(np.abs(np.nan_to_num(now - then)) > FAR)
    if len(far) < 2 or _by_chance(then, far) > CHANCE:
        return found
    far = far[:_COMPARED]
    near = np.abs(now[far, None] - then[None, far]) <= NEAR
    both = near & near.T
    if np.all(after[far] == np.round(after[far])) and np.all(before[far] == np.round(before[far])):
        roots = rooted(before[far])
        both &= np.abs(roots[:, None] - roots[None, :]) >= APART
    found[far[both.any(axis=1)]] = True
    return found


def _by_chance(then: Floats, far: NDArray[np.int64]) -> float:
    """How many pairs of these rows would come near each other's old values: by how many others have one as near, and a half."""
    known = np.sort(then[np.isfinite(then)])
    others = np.searchsorted(known, then[far] + NEAR, side="right") - np.searchsorted(known, then[far] - NEAR, side="left") - 1
    likely = (others + 0.5) / len(known)
    return float((likely.sum() ** 2 - (likely**2).sum()) / 2)
