"""Two batches' samples of rows joined by key: on all keys where both are whole, or where their sketches tell all rows that differ; else on
the keys that both samples have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.row_keys import Hashes
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.row_words import values_of_words

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Join:
    """How many keys each side has (`now`, `then`), how many rows are `matched`, and which rows are known: those of `mine` and `other`, the
    places in them of keys that only one side has (`new`, `gone`), and of matched rows (`ours`, `theirs`), whose key one row has on each
    side. `exact` when nothing is drawn; `partly` when the matched rows that are not known are equal on both sides.
    """

    now: int
    then: int
    matched: int
    mine: RowSample
    other: RowSample
    new: Places
    gone: Places
    ours: Places
    theirs: Places
    exact: bool
    partly: bool = False

    def error(self, share: float, among: int) -> float:
        """One standard error of a share among so many rows or keys; 0 where all are there."""
        if self.exact or not among or not 0 <= share <= 1:
            return 0.0
        # One more of each kind: a share of 0 among a few rows is not sure.
        likely = (share * among + 1) / (among + 2)
        return math.sqrt(likely * (1 - likely) / among)


@remembered
def join(ours: RowSample, theirs: RowSample) -> Join:
    """All that the two tell of the rows of both."""
    return differing(ours, theirs) or join_of_samples(ours, theirs)


@remembered
def join_of_samples(ours: RowSample, theirs: RowSample) -> Join:
    """The two samples joined, up to the hash up to which both have all keys."""
    upto = min(ours.upto, theirs.upto)
    now, then = (int(np.searchsorted(s.hashes, np.uint64(upto), side="right")) for s in (ours, theirs))
    mine, other = ours.hashes[:now], theirs.hashes[:then]
    if now == then and np.array_equal(mine, other):
        # The same keys, as on most days of a dimension table.
        a = b = np.arange(now)
        new = gone = np.empty(0, dtype=np.int64)
    else:
        _, a, b = np.intersect1d(mine, other, assume_unique=True, return_indices=True)
        new, gone = np.setdiff1d(np.arange(now), a), np.setdiff1d(np.arange(then), b)
    one = (ours.counts[a] == 1) & (theirs.counts[b] == 1)
    matched = int(np.count_nonzero(one))
    return Join(now, then, matched, ours, theirs, new, gone, a[one], b[one], not ours.more and not theirs.more)


def differing(ours: RowSample, theirs: RowSample) -> Join | None:
    """The rows that differ, of all rows of two larger tables: None where too many do, where a side has no sketch, and where keys are seen
    that several rows have. Such keys that no sample has are taken for new where they came twice on one side alone.
    """
    if not (ours.more or theirs.more) or (ours.counts > 1).any() or (theirs.counts > 1).any():
        return None
    every, others = ours.every_row, theirs.every_row
    told = (every - others).read() if every is not None and others is not None else None
    if told is None:
        return None
    sides = []
    known = _texts(ours, theirs)
    for sample, sign in ((ours, 1), (theirs, -1)):
        which = np.flatnonzero(told.signs == sign)
        which = which[np.argsort(told.keys[which])]
        sides.append(_rows(sample, told.keys[which], {name: words[which] for name, words in told.planes.items()}, known))
    mine, other = sides
    once = join_of_samples(mine, other)
    now, then = ours.rows - ours.nulls, theirs.rows - theirs.nulls
    several = int((mine.counts > 1).sum())
    return Join(now, then, now - len(once.new) - several, mine, other, once.new, once.gone, once.ours, once.theirs, exact=True, partly=True)


def _texts(ours: RowSample, theirs: RowSample) -> pa.Array:
    """The texts that both samples know, binary."""
    tables = {id(v.names): v.names for sample in (ours, theirs) for v in sample.columns.values()}
    return pa.concat_arrays([*tables.values(), pa.nulls(0, pa.binary())])


def _rows(sample: RowSample, keys: Hashes, planes: Mapping[str, Hashes], known: pa.Array) -> RowSample:
    """A whole sample of these rows of a table, in the order of their keys' hashes."""
    found, first, counts = np.unique(keys, return_index=True, return_counts=True)
    values = values_of_words(planes, list(sample.columns), known) if planes else {}
    columns = {}
    for name, own in sample.columns.items():
        some = values[name] if name in values else own.take(np.full(len(keys), -1))
        columns[name] = replace(some.take(first), form=sample.form(name))
    return RowSample(sample.k, sample.by, found, counts.astype(np.int64), columns, rows=len(keys), hashed=sample.hashed)
