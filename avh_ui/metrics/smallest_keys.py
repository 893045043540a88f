"""Which keys are drawn: those of the smallest hashes, the same ones in every batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import Counts
from avh_ui.metrics.row_keys import Hashes

# Of larger tables a third less: with the sketch, 3,072 rows of 20 columns of a table of 11,009 beacons took 257 KB, which was to be 250.
_LESS = 3


def smallest(hashes: Hashes, k: int) -> tuple[Hashes, NDArray[np.int64], Counts, bool]:
    """The k smallest different hashes, ascending, the first place of each, how often it occurs, and whether there are more."""
    candidates, among = np.arange(len(hashes)), 2 * k
    while among < len(hashes):
        # A hundredth of all rows is sorted and not all of them, but where keys repeat.
        limit = np.partition(hashes, among)[among]
        candidates = np.flatnonzero(hashes <= limit)
        if len(np.unique(hashes[candidates])) > k:
            break
        among *= 8
    else:
        candidates = np.arange(len(hashes))
    found, first, counts = np.unique(hashes[candidates], return_index=True, return_counts=True)
    more = len(found) > k
    kept = kept_of(k, more=more)
    return found[:kept], candidates[first[:kept]], counts[:kept].astype(np.int64), more


def kept_of(k: int, *, more: bool) -> int:
    """How many keys are kept where there are at most, or (`more`) more than k."""
    return k - k // _LESS if more else k
