"""Profiling: the batches that have no profile yet are measured and kept, one by one as they are finished."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from avh_ui.config import Pipeline
from avh_ui.constraints.schema import SchemaConstraint, differences
from avh_ui.errors import UNREADABLE_BATCH, BatchNotFoundError
from avh_ui.history.ranges import select
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import batch_order, sort_batches
from avh_ui.history.standings import FARTHEST
from avh_ui.metrics.content import content_of, same_sums
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Profiler, Watch
from avh_ui.validator.schema_drift import schema_of

# As many as settle the type of a column of texts.
_RECENT = 30


@dataclass(frozen=True)
class ProfileReport:
    """What one profiling did: batches profiled and failed in natural order, per batch how its columns differ from the batch before it and
    what was wrong with its delivery, as sentences, and the batches whose content is that of one of the latest before them, with that one.
    `notes` say what is not measured of the newest. `seconds` is wall time.
    """

    pipeline: str
    profiled: tuple[str, ...]
    failed: tuple[FailedBatch, ...]
    drift: tuple[tuple[str, tuple[str, ...]], ...]
    seconds: float
    repeated: tuple[tuple[str, str], ...] = ()
    deliveries: tuple[tuple[str, tuple[str, ...]], ...] = ()
    notes: tuple[str, ...] = ()


def profile(
    pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, *, batches: str | None, again: bool, watch: Watch
) -> ProfileReport:
    """Profile the batches at the source that have no profile yet (of a range; with `again` those that have one too).

    Each profile is saved as it comes: a killed or cancelled run loses at most what the profiler was measuring. A batch that has
    vanished, cannot be read or is empty is reported as failed and stops nothing.
    """
    start = time.monotonic()
    todo = to_profile(pipeline, profiler, history, batches, again)
    seen: dict[str, _Seen] = {}
    failed: list[FailedBatch] = []
    faults: dict[str, tuple[str, ...]] = {}
    known = KnownTypes(recent=_recent_types(pipeline, history)) if todo else UNKNOWN
    for result in profiler.profile(pipeline.name, todo, watch, known) if todo else ():
        if isinstance(result, FailedBatch):
            failed.append(result)
            continue
        history.save(_as_judged(result, history) if again else result)
        seen[result.batch] = _Seen.of(pipeline, result)
        if result.delivery is not None and (told := result.delivery.sentences()):
            faults[result.batch] = told
    failed.sort(key=lambda f: batch_order(f.batch))
    profiled = tuple(sort_batches(seen))
    drift, notes = _drift(pipeline, history, seen), seen[profiled[-1]].notes if profiled else ()
    repeated = _repeated(pipeline.name, history, profiled) if profiled else ()
    deliveries = tuple((batch, faults[batch]) for batch in profiled if batch in faults)
    return ProfileReport(pipeline.name, profiled, tuple(failed), drift, time.monotonic() - start, repeated, deliveries, notes)


def to_profile(pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, batches: str | None, again: bool) -> list[str]:
    """The batch ids that a call of `profile` would measure, in natural order; `NotFoundError` for an unknown range."""
    there, kept = profiler.batches(pipeline.name), history.batches(pipeline.name)
    if batches is None:
        if not there and not kept:
            raise nothing_there(pipeline)
        wanted: Sequence[str] = there
    else:
        wanted = select(pipeline.name, batches, sort_batches([*there, *kept]), listable=bool(there))
    done = set() if again else set(kept)
    return [b for b in wanted if b not in done]


def nothing_there(pipeline: Pipeline) -> BatchNotFoundError:
    """The error for a source without any batch."""
    source = pipeline.source
    place = source.path or source.table or source.query or "its source"
    hint = "Check the path and {batch} in avh.yml." if source.path else "Name the batch, as in --batches ID."
    return BatchNotFoundError(f"No batch of {pipeline.name!r} was found at {place}.", hint=hint)


def _recent_types(pipeline: Pipeline, history: HistoryRepository) -> dict[str, list[str]]:
    """The types that the columns of a source without types had in the latest batches; other sources need none."""
    recent: dict[str, list[str]] = {}
    for batch in history.batches(pipeline.name)[-_RECENT:] if pipeline.source.format == "csv" else ():
        # Damage of one batch must not keep the others out, nor itself from being profiled again.
        with contextlib.suppress(*UNREADABLE_BATCH):
            for column in history.load(pipeline.name, batch).columns.values():
                recent.setdefault(column.name, []).append(column.type)
    return recent


@dataclass(frozen=True)
class _Seen:
    """What is kept of a profile to compare it with the next: long histories are profiled in one run."""

    schema: SchemaConstraint
    left_out: tuple[str, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, pipeline: Pipeline, profile: BatchProfile) -> _Seen:
        schema = SchemaConstraint(schema_of(profile), covers_all=profile.covers_all, source_format=pipeline.source.format)
        return cls(schema, profile.left_out, profile.notes)


def _drift(pipeline: Pipeline, history: HistoryRepository, seen: Mapping[str, _Seen]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    known = history.batches(pipeline.name)
    before = dict(zip(known[1:], known, strict=False))
    found: list[tuple[str, tuple[str, ...]]] = []
    for batch in sort_batches(seen):
        if batch not in before:
            continue
        previous, now = before[batch], seen[batch]
        try:
            expected = seen[previous] if previous in seen else _Seen.of(pipeline, history.load(pipeline.name, previous))
        except UNREADABLE_BATCH:
            continue
        # What was left out before is not new.
        columns = [c for c in now.schema.columns if c.name not in expected.left_out]
        changes = differences(expected.schema, columns, since=f"in batch {previous}", left_out=now.left_out)
        if changes:
            found.append((batch, tuple(change.message for change in changes)))
    return tuple(found)


def _as_judged(profile: BatchProfile, history: HistoryRepository) -> BatchProfile:
    """The profile with what its validation said, where the content is still the one that was judged."""
    if profile.batch not in history.batches(profile.pipeline):
        return profile
    (known,) = history.standings(profile.pipeline, [profile.batch])
    if known.content != content_of(profile):
        return profile
    return replace(profile, extra={**history.load(profile.pipeline, profile.batch, []).extra, **profile.extra})


def _repeated(pipeline: str, history: HistoryRepository, profiled: Sequence[str]) -> tuple[tuple[str, str], ...]:
    known, new = history.batches(pipeline), set(profiled)
    start = max(0, known.index(profiled[0]) - FARTHEST)
    standings = history.standings(pipeline, known[start : known.index(profiled[-1]) + 1])
    found = []
    for at, standing in enumerate(standings):
        before = [s.batch for s in standings[max(0, at - FARTHEST) : at] if s.content and s.content == standing.content]
        if standing.batch in new and before and same_sums(history.load(pipeline, standing.batch), history.load(pipeline, before[-1])):
            found.append((standing.batch, before[-1]))
    return tuple(found)
