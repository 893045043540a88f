"""Numbers of the batch before that come again, in a column whose numbers go on from batch to batch: its rows under a new date."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from avh_ui.issues.sample import Floats, Sample
from avh_ui.issues.swapping import filled, some_of, swapped
from avh_ui.issues.variants import Variant
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile

COMING_AGAIN = "stale"
# As much as coverage tells of.
_SHARES = (0.1, 0.5, 1.0)


def coming_again(sample: Sample, before: ColumnProfile, *, seed: int = 0) -> Iterator[Variant]:
    """The sample with shares of its numbers those of the batch before; nothing where the sample does not begin above them."""
    theirs = find(before.states, DistributionState)
    there = filled(sample)
    if sample.kind != "numeric" or before.kind != sample.kind or theirs is None or not theirs.n or not len(there):
        return
    old, rng = _numbers(theirs, len(there)), np.random.default_rng([seed, 79])
    if not np.min(np.asarray(sample.values)[sample.codes[there]]) > old[-1]:
        return
    for share in _SHARES:
        # No more than there are, so that none stands twice.
        rows = some_of(there, min(share, len(old) / len(there)), rng)
        again = swapped(sample, rows, old, np.sort(rng.choice(len(old), len(rows), replace=False)))
        if again is not None:
            yield Variant(COMING_AGAIN, f"{COMING_AGAIN} {100 * share:g}%", share, again)


def _numbers(state: DistributionState, most: int) -> Floats:
    """Distinct numbers of a distribution, ascending: its own, or of a sketch about `most` whose ranks are evenly far apart. These are no
    whole numbers, so that none falls on another.
    """
    values, shares = state.support()
    if state.exact:
        return values
    count = min(most, state.n)
    return np.unique(
        np.append(np.interp((np.arange(count) + 0.5) / count, np.append(0, np.cumsum(shares)), np.append(values[0], values)), values[-1])
    )
