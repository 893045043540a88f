"""Batches beside those before them: a task that measures several knows how far each is from the one before while it has both in memory, and
the metrics of what changed, so that whoever keeps them, one after the other, need not compute them.

What is told is used where the two come together as they were measured: of another baseline, or of a batch whose parts other tasks measured,
it is computed as ever.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from avh_ui.metrics.matched_together import seen_together
from avh_ui.metrics.matching import NumbersOfAll, numbers_of
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
    pairs = {
        (before, batch): {
            position: (profile, batches[before][position])
            for position, profile in batches[batch].items()
            if position in batches[before] and _compared(profile, batches[before][position])
        }
        for before, batch in pairwise(batches)
    }
    samples = [rows for both in pairs.values() for pair in both.values() if (rows := _samples(*pair)) is not None]
    matched = [numbers_of(*rows) for rows in samples]
    seen_together([found.numbers for found in matched])
    known = {tuple(map(id, rows)): found for rows, found in zip(samples, matched, strict=True)}
    for (before, batch), both in pairs.items():
        told = {position: _told(ours, theirs, known) for position, (ours, theirs) in both.items()}
        # As JSON writing and reading 400 numbers took longer than half of the distances of a small table.
        yield batch, pickle.dumps((before, told), protocol=pickle.HIGHEST_PROTOCOL)


def _compared(ours: ColumnProfile, theirs: ColumnProfile) -> bool:
    # Of one that stays it is known already; what is brief is seldom what is kept.
    return ours is not theirs and ours.kind == theirs.kind and not is_brief(ours) and not is_brief(theirs)


def _samples(ours: ColumnProfile, theirs: ColumnProfile) -> tuple[RowSample, RowSample] | None:
    rows, known = find(ours.states, RowSample), find(theirs.states, RowSample)
    return None if rows is None or known is None else (rows, known)


def _told(ours: ColumnProfile, theirs: ColumnProfile, matched: Mapping[tuple[int, ...], NumbersOfAll]) -> dict[str, Any]:
    """What `Beside` tells of two profiles, without their states; `matched` are the numbers of all samples, by the two objects."""
    told: dict[str, Any] = {"distances": ours.distances(theirs), "values": ours.single_metrics()}
    if (samples := _samples(ours, theirs)) is not None:
        numbers_of.know(*samples, matched[tuple(map(id, samples))])
        same = set(samples[0].unchanged(samples[1]))
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
