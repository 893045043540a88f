"""What rules are of, measured of batches: which measures a pipeline's draft and program ask for, and of batches that are past."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from avh_ui.config import Pipeline
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.errors import UNREADABLE_BATCH, AvhError, ProgramNotFoundError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.asked import sample_by
from avh_ui.metrics.content import content_of
from avh_ui.metrics.held_types import held_type
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import FailedBatch, KnownTypes, Profiler, Watch
from avh_ui.review.repository import ReviewRepository
from avh_ui.validator.unmeasured import NOT_MEASURED
from avh_ui.workflows.stated_drafts import rules_of
from avh_ui.workflows.stating import Weighed, file_checks

# As many as settle the type of a column of texts.
RECENT = 30


@dataclass(frozen=True)
class RuleMeasures:
    """What is measured of a batch for the rules of a pipeline, and sentences on those of which that could not be told. `key` is the one
    that rows are matched by: none where people said that there is none, None where nobody has found or said one.
    """

    measures: tuple[Measure, ...] = ()
    notes: tuple[str, ...] = ()
    key: tuple[str, ...] | None = None


NOTHING_ASKED = RuleMeasures()


@dataclass(frozen=True)
class TriedRules:
    """Rules on the history with the batches that were measured for them, and those passed over, each with the reason. `untold` says of what
    rules are of (the subjects of their measures) why it could not be told of the newest batch of these, as sentences.
    """

    rules: tuple[Weighed, ...]
    measured: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    untold: Mapping[str, str] = field(default_factory=dict)


def asked_for(pipeline: Pipeline, reviews: ReviewRepository, programs: ProgramStore) -> RuleMeasures:
    """What the rules of avh.yml, of the draft and of the live program are of. Where one of these cannot be read, the others count."""
    measures, notes, key = [check.measure for check in file_checks(pipeline)], [], pipeline.key or None
    try:
        draft = reviews.draft(pipeline.name)
        measures += [item.current.measure for item in rules_of(draft) if item.status != "rejected"]
        found = draft.run.row_key if draft is not None else None
        if key is None and found is not None and (found.columns or found.by):
            key = found.columns
    except AvhError as error:
        notes.append(f"What the draft's rules are of is not measured: {error}")
    try:
        program = programs.load(pipeline.name)
        measures += program.measures
        key = (program.key or None) if key is None else key
    except ProgramNotFoundError:
        pass
    except AvhError as error:
        notes.append(f"What the program's rules are of is not measured: {error}")
    if key == ():
        measures = [measure for measure in measures if not measure.key]
    return RuleMeasures(tuple(dict.fromkeys([*measures, *([sample_by(key)] if key else [])])), tuple(notes), key)


def recent_types(pipeline: Pipeline, history: HistoryRepository) -> dict[str, list[str]]:
    """The types of what the columns of a source without types held in the latest batches; other sources need none."""
    recent: dict[str, list[str]] = {}
    for batch in history.batches(pipeline.name)[-RECENT:] if pipeline.source.untyped else ():
        # Damage of one batch must not keep the others out, nor itself from being profiled again.
        with contextlib.suppress(*UNREADABLE_BATCH):
            profile = history.load(pipeline.name, batch)
            # What malformed lines spill into columns of numbers is no text of theirs.
            witness = profile.delivery is None or not profile.delivery.malformed_rows
            for column in profile.columns.values() if witness else ():
                recent.setdefault(column.name, []).append(held_type(column))
    return recent


def measure_again(
    pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, measures: Iterable[Measure], latest: int, watch: Watch
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], dict[str, str]]:
    """Measure the latest profiled batches with these measures besides, and keep what was measured where the rows are still the same.

    Each is kept as it comes: who cancels loses nothing that is finished. The batches measured, those passed over with the reason, and of
    the measures' subjects that a batch has not why (`TriedRules.untold`).
    """
    known = KnownTypes(recent=recent_types(pipeline, history), measures=tuple(dict.fromkeys(measures)))
    there, todo = set(profiler.batches(pipeline.name)), history.batches(pipeline.name)[-latest:]
    skipped = [(batch, "it is no longer at its source") for batch in todo if there and batch not in there]
    found = [batch for batch in todo if not there or batch in there]
    done: list[str] = []
    untold: dict[str, str] = {}
    for result in profiler.profile(pipeline.name, found, watch, known) if found else ():
        if isinstance(result, FailedBatch):
            skipped.append((result.batch, result.reason))
            continue
        try:
            stored = history.load(pipeline.name, result.batch)
        except UNREADABLE_BATCH as error:
            skipped.append((result.batch, str(error)))
            continue
        if not _same_rows(stored, result):
            skipped.append((result.batch, "its rows at the source are no longer those that were profiled"))
            continue
        history.save(_with_earlier(result, stored))
        done.append(result.batch)
        untold |= _untold(result)
    return tuple(done), tuple(skipped), untold


def _untold(profile: BatchProfile) -> dict[str, str]:
    """What a batch's notes say of what is not measured, by its subject."""
    told = (note.partition(NOT_MEASURED) for note in profile.notes)
    return {subject: f"{why[:1].upper()}{why[1:]}" for subject, between, why in told if between}


def _with_earlier(found: BatchProfile, stored: BatchProfile) -> BatchProfile:
    """A profile with what rules were measured before on the same rows: who tries one rule after another adds the first in the end."""
    earlier = [name for name in stored.asked if name not in found.columns]
    columns = {name: _beside(column, stored.columns[name]) if name in stored.columns else column for name, column in found.columns.items()}
    columns |= {name: stored.columns[name] for name in earlier}
    return replace(found, columns=columns, asked=(*found.asked, *earlier), extra={**stored.extra, **found.extra})


def _beside(found: ColumnProfile, stored: ColumnProfile) -> ColumnProfile:
    if (found.kind, found.type) != (stored.kind, stored.type):
        return found
    measures = tuple(dict.fromkeys([*found.measures, *stored.measures]))
    return replace(found, states={**stored.states, **found.states}, measures=measures)


def _same_rows(stored: BatchProfile, found: BatchProfile) -> bool:
    """Whether two profiles are of the same rows, by the states that both have: an older release measured less."""
    return content_of(_shared(stored, found)) == content_of(_shared(found, stored))


def _shared(one: BatchProfile, other: BatchProfile) -> BatchProfile:
    names: Sequence[str] = [name for name in one.columns if name in other.columns and name not in (*one.asked, *other.asked)]
    return replace(one, columns={name: _states_of(one.columns[name], other.columns[name]) for name in names}, asked=())


def _states_of(one: ColumnProfile, other: ColumnProfile) -> ColumnProfile:
    return replace(one, states={key: state for key, state in one.states.items() if key in other.states})
