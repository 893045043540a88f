"""Two batches' samples of rows joined by their keys: which keys came and went, and which rows both have."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.row_sample import RowSample

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Join:
    """Two samples up to the hash up to which both have all keys: how many keys each has (`now`, `then`), how many only one has (`new`,
    `gone`), and the places in both of the rows whose key one row has on each side. `exact` when both are whole.
    """

    now: int
    then: int
    new: Places
    gone: Places
    ours: Places
    theirs: Places
    exact: bool

    def error(self, share: float, among: int) -> float:
        """One standard error of a share among so many rows or keys; 0 where all are there."""
        if self.exact or not among or not 0 <= share <= 1:
            return 0.0
        # One more of each kind: a share of 0 among a few rows is not sure.
        likely = (share * among + 1) / (among + 2)
        return math.sqrt(likely * (1 - likely) / among)


@remembered
def join(ours: RowSample, theirs: RowSample) -> Join:
    """The two samples joined."""
    upto = min(ours.upto, theirs.upto)
    now, then = (int(np.searchsorted(s.hashes, np.uint64(upto), side="right")) for s in (ours, theirs))
    mine, other = ours.hashes[:now], theirs.hashes[:then]
    if now == then and np.array_equal(mine, other):
        # The same keys, as on most days of a dimension table.
        a = b = np.arange(now)
        new = gone = np.empty(0, dtype=np.int64)
    else:
        # Both are sorted, without repeats.
        place = np.searchsorted(other, mine)
        both = np.append(other, np.uint64(0))[place] == mine
        both &= place < then
        a, b = np.flatnonzero(both), place[both]
        lone = np.ones(then, dtype=bool)
        lone[b] = False
        new, gone = np.flatnonzero(~both), np.flatnonzero(lone)
    one = (ours.counts[a] == 1) & (theirs.counts[b] == 1)
    return Join(now, then, new, gone, a[one], b[one], not ours.more and not theirs.more)


@remembered
def places_of(names: pa.Array, others: pa.Array) -> Places:
    """Where each of the others stands among the names, behind them where it does not; last of all -1, for no name: shape (others + 1,). All
    columns of a sample share their names.
    """
    if names is others or names.equals(others):
        return np.append(np.arange(len(names)), -1)
    place = pc.index_in(others, names) if len(names) else pa.nulls(len(others), pa.int32())
    own = np.arange(len(names), len(names) + len(others))
    found = np.where(place.is_null().to_numpy(zero_copy_only=False), own, place.fill_null(0).to_numpy(zero_copy_only=False))
    return np.append(found, -1)
