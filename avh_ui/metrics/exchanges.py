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
# Where most rows that move at all move less, rows that are alike were exchanged too: both are tried at a fifth of the one before, so many
# times, down to coordinates that are 0.00003 apart on the log scale. So many of the other rows that changed may move as far by themselves.
# This adds one pair of provinces, on two days, to those above; without a limit on the others 8 weeks of New York's rates, which move by
# one case at a time, had rows that moved up and down as far as each other.
FINER, LEVELS, OTHERS = 5.0, 6, 0.1
_FINENESS = tuple(FINER**-level for level in range(LEVELS))
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
    with np.errstate(invalid="ignore"):
        steps = np.abs(np.nan_to_num(now - then))
    there = then[np.isfinite(then)]
    known: Floats | None = None
    for level, finer in enumerate(_FINENESS):
        far = np.flatnonzero(steps > finer * FAR)
        if len(far) < 2:
            continue
        # The least chance of so many rows, of which there are more at the next levels.
        if (len(far) * 0.5 / len(there)) ** 2 > 4 * CHANCE:
            break
        known = np.sort(there) if known is None else known
        if _by_chance(known, then[far], finer * NEAR) > CHANCE:
            continue
        pairs = _pairs(after, before, far[:_COMPARED], finer * NEAR)
        others = np.count_nonzero(steps) - len(pairs)
        if not level or len(far) - len(pairs) <= OTHERS * others:
            found[pairs] = True
    return found


def _pairs(after: Floats, before: Floats, places: NDArray[np.int64], near: float) -> NDArray[np.int64]:
    """Those of the places that came near each other's old values, which are apart."""
    now, then = after[places], before[places]
    close = np.abs(logged(now)[:, None] - logged(then)[None, :]) <= near
    both = close & close.T
    if np.all(now == np.round(now)) and np.all(then == np.round(then)):
        roots = rooted(then)
        both &= np.abs(roots[:, None] - roots[None, :]) >= APART
    return places[both.any(axis=1)]


def _by_chance(known: Floats, then: Floats, near: float) -> float:
    """How many pairs of rows with the old values `then` would come near each other's: by how many others of all have one as near, and a
    half.
    """
    others = np.searchsorted(known, then + near, side="right") - np.searchsorted(known, then - near, side="left") - 1
    likely = (others + 0.5) / len(known)
    return float((likely.sum() ** 2 - (likely**2).sum()) / 2)
