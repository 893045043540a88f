"""What profiled batches say beside those before them: columns that came, went or changed, and content that was delivered before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from avh_ui.config import Pipeline
from avh_ui.constraints.schema import SchemaConstraint, differences
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import sort_batches
from avh_ui.history.standings import FARTHEST
from avh_ui.metrics.content import same_sums
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.separators import separators_of_rows
from avh_ui.validator.schema_drift import schema_of


@dataclass(frozen=True)
class Seen:
    """What is kept of a profile to compare it with the next: long histories are profiled in one run."""

    schema: SchemaConstraint
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    uncut: Mapping[str, float]

    @classmethod
    def of(cls, pipeline: Pipeline, profile: BatchProfile) -> Seen:
        """Of a profile."""
        schema = SchemaConstraint(schema_of(profile), covers_all=profile.covers_all, source_format=pipeline.source.format)
        return cls(schema, profile.left_out, profile.notes, separators_of_rows(profile.columns.values()))


def drift_of(pipeline: Pipeline, history: HistoryRepository, seen: Mapping[str, Seen]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """By profiled batch how its columns differ from those of the batch before, as sentences; those that cannot be read tell nothing."""
    known = history.batches(pipeline.name)
    before = dict(zip(known[1:], known, strict=False))
    found: list[tuple[str, tuple[str, ...]]] = []
    for batch in sort_batches(seen):
        if batch not in before:
            continue
        previous, now = before[batch], seen[batch]
        try:
            expected = seen[previous] if previous in seen else Seen.of(pipeline, history.load(pipeline.name, previous))
        except UNREADABLE_BATCH:
            continue
        if _cut_otherwise(expected, now):
            continue
        # What was left out before is not new.
        columns = [c for c in now.schema.columns if c.name not in expected.left_out]
        changes = differences(expected.schema, columns, since=f"in batch {previous}", left_out=now.left_out, uncut=now.uncut)
        if changes:
            found.append((batch, tuple(change.message for change in changes)))
    return tuple(found)


def _cut_otherwise(before: Seen, now: Seen) -> bool:
    """Whether the batch before was cut by another separator: that was told of it, and this one is as it should be."""
    return any(not change.column for change in differences(now.schema, before.schema.columns, uncut=before.uncut))


def repeated_of(pipeline: str, history: HistoryRepository, profiled: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The profiled batches whose content is that of one of the latest before them, with that one."""
    known, new = history.batches(pipeline), set(profiled)
    start = max(0, known.index(profiled[0]) - FARTHEST)
    standings = history.standings(pipeline, known[start : known.index(profiled[-1]) + 1])
    found = []
    for at, standing in enumerate(standings):
        before = [s.batch for s in standings[max(0, at - FARTHEST) : at] if s.content and s.content == standing.content]
        if standing.batch in new and before and same_sums(history.load(pipeline, standing.batch), history.load(pipeline, before[-1])):
            found.append((standing.batch, before[-1]))
    return tuple(found)
