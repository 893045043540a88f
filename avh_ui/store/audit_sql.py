"""What was done on a pipeline's drafts, over all of its suggestion runs."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from avh_ui.review.audit import AuditEntry, of_decision, of_note, of_run
from avh_ui.review.decision import Decision
from avh_ui.review.note import Note
from avh_ui.review.suggestion import Suggestion
from avh_ui.store.review_records import pattern_from_text, run_from_text, suggestion_from_text
from avh_ui.store.reviews_schema import DECISIONS, NOTES, RUNS, SUGGESTIONS


def trail(connection: Connection, pipeline: str, limit: int) -> list[AuditEntry]:
    """The newest `limit` runs, decisions and notes each, oldest first; a decision names its suggestion as it was then."""
    return [*_runs(connection, pipeline, limit), *_decisions(connection, pipeline, limit), *_said(connection, pipeline, limit)]


def _runs(connection: Connection, pipeline: str, limit: int) -> list[AuditEntry]:
    made = sa.select(sa.func.count()).where(SUGGESTIONS.c.run_id == RUNS.c.id).scalar_subquery().label("made")
    query = sa.select(RUNS.c.id, RUNS.c.record, made).where(RUNS.c.pipeline == pipeline).order_by(RUNS.c.id.desc()).limit(limit)
    return [of_run(run_from_text(pipeline, row.record, ()), row.made, row.id) for row in reversed(connection.execute(query).all())]


def _decisions(connection: Connection, pipeline: str, limit: int) -> list[AuditEntry]:
    theirs = sa.and_(SUGGESTIONS.c.run_id == DECISIONS.c.run_id, SUGGESTIONS.c.id == DECISIONS.c.suggestion_id)
    query = (
        sa.select(DECISIONS, SUGGESTIONS.c.record)
        .outerjoin(SUGGESTIONS, theirs)
        .where(DECISIONS.c.pipeline == pipeline)
        .order_by(DECISIONS.c.seq.desc())
        .limit(limit)
    )
    found = []
    for row in reversed(connection.execute(query).all()):
        suggestion = None if row.record is None else suggestion_from_text(pipeline, row.record)
        found.append(of_decision(decision_of(row), suggestion))
    return found


def _said(connection: Connection, pipeline: str, limit: int) -> list[AuditEntry]:
    """Notes, each with the newest suggestion of its id: the id says what is constrained."""
    query = sa.select(NOTES).where(NOTES.c.pipeline == pipeline).order_by(NOTES.c.seq.desc()).limit(limit)
    notes = [note_of(row) for row in reversed(connection.execute(query).all())]
    known: dict[str, Suggestion | None] = {}
    for suggestion_id in {note.suggestion_id for note in notes}:
        suggested = sa.select(SUGGESTIONS.c.record).join(RUNS, RUNS.c.id == SUGGESTIONS.c.run_id)
        theirs = suggested.where(RUNS.c.pipeline == pipeline, SUGGESTIONS.c.id == suggestion_id)
        record = connection.execute(theirs.order_by(RUNS.c.id.desc()).limit(1)).scalar()
        known[suggestion_id] = None if record is None else suggestion_from_text(pipeline, record)
    return [of_note(note, known[note.suggestion_id]) for note in notes]


def decision_of(row: sa.Row[Any]) -> Decision:
    """The decision in a row of `DECISIONS`."""
    pattern = pattern_from_text(row.pattern)
    return Decision(row.suggestion_id, row.action, row.by, row.at, row.why, row.lower, row.upper, row.seq, pattern)


def note_of(row: sa.Row[Any]) -> Note:
    """The note in a row of `NOTES`."""
    return Note(row.suggestion_id, row.action, row.by, row.at, row.text, row.seq)
