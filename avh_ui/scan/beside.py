"""Batches beside those before them: a task that measures several knows how far each is from the one before while it has both in memory, so
that whoever keeps them, one after the other, need not compute it.

What is told is used where the two come together as they were measured: of another baseline, or of a batch whose parts other tasks measured,
it is computed as ever.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import Beside, ColumnProfile
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_rows import matched_columns
from avh_ui.scan.texts_of_numbers import is_brief

# Where it stands among the partial profiles of a batch's columns, which come by position from 0 on.
BESIDE = -3
Profiles = Mapping[int, ColumnProfile]


def besides(batches: Mapping[str, Profiles]) -> Iterator[tuple[str, bytes]]:
    """Of each batch but the first how its profiles, by position, are beside those of the one before it, as a record."""
    names = list(batches)
    for before, batch in pairwise(names):
        theirs = batches[before]
        told = {
            position: _told(profile, theirs[position])
            for position, profile in batches[batch].items()
            if position in theirs and _compared(profile, theirs[position])
        }
        # As JSON writing and reading 400 numbers took longer than half of the distances of a small table.
        yield batch, pickle.dumps((before, told), protocol=pickle.HIGHEST_PROTOCOL)


def _compared(ours: ColumnProfile, theirs: ColumnProfile) -> bool:
    # Of one that stays it is known already; what is brief is seldom what is kept.
    return ours is not theirs and ours.kind == theirs.kind and not is_brief(ours) and not is_brief(theirs)


def _told(ours: ColumnProfile, theirs: ColumnProfile) -> dict[str, Any]:
    """What `Beside` tells of two profiles, without their states."""
    told: dict[str, Any] = {"distances": ours.distances(theirs)}
    rows, known = find(ours.states, RowSample), find(theirs.states, RowSample)
    if rows is not None and known is not None:
        same = set(rows.unchanged(known))
        for profile in (ours, theirs):
            # Makes the columns of the sample.
            list(matched_columns({profile.name: profile}))
        moved = {name: column for name, column in ours.made.items() if name not in same and name in theirs.made}
        told["rows"] = {name: column.distances(theirs.made[name]) for name, column in moved.items()}
        told["same"] = list(same)
    return told


def with_besides(record: bytes, ours: dict[int, ColumnProfile], others: Mapping[str, Profiles]) -> None:
    """Add to `ours` what a record of `besides` tells of them beside the batch before, where that is among the `others`."""
    before, told_of = pickle.loads(record)
    theirs = others.get(before, {})
    for position, told in told_of.items() if theirs else ():
        profile = ours[position]
        ours[position] = replace(profile, known=Beside(profile.states, theirs[position].states, **told))
