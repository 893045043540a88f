"""Suggestion runs, decisions and notes in SQLite or PostgreSQL."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.errors import ConflictError, ConstraintError, NotFoundError
from avh_ui.review.audit import AuditEntry, Chain
from avh_ui.review.decision import Decision
from avh_ui.review.draft import Draft, DraftItem, apply_decision, fold, pristine
from avh_ui.review.note import Note
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.store.audit_log import add_links, check_anchors, check_chain, decision_of, last_link, note_of, read_chain, trail
from avh_ui.store.database import Database, inserted
from avh_ui.store.records import pattern_to_text, run_from_text, run_to_text, suggestion_from_text, suggestion_to_text
from avh_ui.store.reviews_schema import DECISIONS, NOTES, RUNS, SUGGESTIONS

# Fewer than the 32,766 variables that SQLite allows in a statement.
_IDS_PER_QUERY = 5_000


class ReviewsSql(Database):
    """`ReviewRepository` over a database URL (`sqlite:////path/reviews.db`, `postgresql://host/name`).

    A run never changes once it is saved: each pipeline's newest is read once and shared by all that look at it; so is its draft until
    something is written.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._runs: dict[str, tuple[int, SuggestionRun, dict[str, DraftItem]]] = {}
        self._drafts: dict[str, tuple[str, Draft | None]] = {}  # with the last link when it was read

    def save_run(self, run: SuggestionRun) -> None:
        """As the port says; earlier runs and all decisions are kept. `ConstraintError` when two suggestions have the same id."""
        records = _records(run)
        with self._writing(run.pipeline) as connection:
            _save(connection, run, records)

    def amend(self, pipeline: str, change: Callable[[Draft | None], SuggestionRun]) -> None:
        """As the port says."""
        with self._writing(pipeline) as connection:
            run = change(self._draft(connection, pipeline, _newest(connection, pipeline)))
            _save(connection, run, _records(run))

    def draft(self, pipeline: str) -> Draft | None:
        """The current draft, or None when nothing was suggested yet."""
        with self._reading() as connection:
            link = last_link(connection, pipeline)
            kept = self._drafts.get(pipeline)
            if kept is None or kept[0] != link or not link:
                # The link first: what is written while the rest is read moves it, and the draft is read again.
                kept = self._drafts[pipeline] = (link, self._draft(connection, pipeline, _newest(connection, pipeline)))
            return kept[1]

    def mark(self, pipeline: str) -> str:
        """The last link of the hash chain: everything that is written adds one."""
        with self._reading() as connection:
            return last_link(connection, pipeline)

    @contextlib.contextmanager
    def held(self, pipeline: str) -> Iterator[Draft | None]:
        """The current draft under the lock that every writer takes: nobody can change it, on any machine, until the block ends."""
        with self._writing(pipeline) as connection:
            yield self._draft(connection, pipeline, _newest(connection, pipeline))

    def record(self, pipeline: str, decisions: Sequence[Decision], expected: dict[str, int] | None = None) -> list[Decision]:
        """As the port says; `NotFoundError` for what is not in the draft, `ConstraintError` for bounds that make no constraint."""
        with self._writing(pipeline) as connection:
            draft, run_id = self._required(connection, pipeline)
            for suggestion_id, revision in (expected or {}).items():
                _unchanged(draft.item(suggestion_id), revision)
            rows = []
            for decision in decisions:
                apply_decision(draft.item(decision.suggestion_id), decision)
                rows.append({**asdict(decision), "pattern": pattern_to_text(decision.pattern), "pipeline": pipeline, "run_id": run_id})
            numbers = _appended(connection, pipeline, "decision", DECISIONS, rows)
            return [replace(one, seq=seq) for one, seq in zip(decisions, numbers, strict=True)]

    def note(self, pipeline: str, notes: Sequence[Note], expected: dict[str, int] | None = None) -> list[Note]:
        """As the port says; `NotFoundError` for a suggestion that is not in the draft."""
        with self._writing(pipeline) as connection:
            draft, _ = self._required(connection, pipeline)
            for suggestion_id, assigned in (expected or {}).items():
                item = draft.item(suggestion_id)
                if item.assigned != assigned:
                    raise _assigned_meanwhile(item, _notes(connection, pipeline))
            for note in notes:
                draft.item(note.suggestion_id)
            rows = [{**asdict(note), "pipeline": pipeline} for note in notes]
            numbers = _appended(connection, pipeline, "note", NOTES, rows)
            return [replace(one, seq=seq) for one, seq in zip(notes, numbers, strict=True)]

    def log(self, pipeline: str) -> list[Decision]:
        """Every decision that counts for the current draft, oldest first."""
        with self._reading() as connection:
            run_id = _newest(connection, pipeline)
            return [] if run_id is None else _log(connection, pipeline, run_id)

    def trail(self, pipeline: str, limit: int = 1_000) -> list[AuditEntry]:
        """The newest drafts, decisions and notes of all suggestion runs, for the audit log: at most `limit` of each, oldest first."""
        with self._reading() as connection:
            return trail(connection, pipeline, limit)

    def chain(self, pipeline: str) -> Chain:
        """The order in which everything was written, and the last link."""
        with self._reading() as connection:
            return read_chain(connection, pipeline)

    def check_audit(self, pipeline: str, anchors: Sequence[tuple[int, str]] = ()) -> list[str]:
        """What is wrong with the audit log, in sentences."""
        with self._reading() as connection:
            chain = read_chain(connection, pipeline)
            wrong = list(check_chain(connection, pipeline))
        return [*wrong, *(check_anchors(pipeline, chain, anchors) if chain.last else ())]

    def _required(self, connection: Connection, pipeline: str) -> tuple[Draft, int]:
        run_id = _newest(connection, pipeline)
        draft = self._draft(connection, pipeline, run_id)
        if draft is None or run_id is None:
            known = connection.execute(sa.select(RUNS.c.pipeline).distinct()).scalars()
            raise NotFoundError("draft of pipeline", pipeline, known, hint=f"Make one with `avh suggest {pipeline}`.")
        return draft, run_id

    def _draft(self, connection: Connection, pipeline: str, run_id: int | None) -> Draft | None:
        if run_id is None:
            return None
        kept = self._runs.get(pipeline)
        if kept is None or kept[0] != run_id:
            # One tuple in one assignment: whoever reads it meanwhile has the one or the other, both whole.
            run = _run(connection, pipeline, run_id)
            kept = self._runs[pipeline] = (run_id, run, pristine(run))
        return fold(kept[1], _log(connection, pipeline, run_id), _notes(connection, pipeline), start=kept[2])


def _appended(connection: Connection, pipeline: str, kind: str, table: sa.Table, rows: list[dict[str, Any]]) -> list[int]:
    """Insert rows in their order, chain them and return their numbers; thousands in a few statements."""
    if not rows:
        return []
    values = [{name: value for name, value in row.items() if name != "seq"} for row in rows]
    insert = sa.insert(table).returning(table.c.seq, sort_by_parameter_order=True)
    numbers = list(connection.execute(insert, values).scalars())
    add_links(connection, pipeline, kind, numbers)
    return numbers


def _records(run: SuggestionRun) -> list[str]:
    _once([s.id for s in run.suggestions], run.pipeline)
    return [suggestion_to_text(s) for s in run.suggestions]


def _save(connection: Connection, run: SuggestionRun, records: list[str]) -> None:
    since = _decided_since(connection, run)
    run_id = inserted(connection.execute(sa.insert(RUNS).values(pipeline=run.pipeline, record=run_to_text(run))))
    rows = [
        {"run_id": run_id, "position": k, "id": s.id, "decided_since": since.get(s.id, run_id), "record": record}
        for k, (s, record) in enumerate(zip(run.suggestions, records, strict=True))
    ]
    if rows:
        connection.execute(sa.insert(SUGGESTIONS), rows)
    add_links(connection, run.pipeline, "run", [run_id])


def _once(ids: list[str], pipeline: str) -> None:
    if len(set(ids)) != len(ids):
        twice = next(i for i in ids if ids.count(i) > 1)
        raise ConstraintError(f"The run for {pipeline!r} has two suggestions with the id {twice!r}.")


def _newest(connection: Connection, pipeline: str) -> int | None:
    return connection.execute(sa.select(sa.func.max(RUNS.c.id)).where(RUNS.c.pipeline == pipeline)).scalar()


def _run(connection: Connection, pipeline: str, run_id: int) -> SuggestionRun:
    record = connection.execute(sa.select(RUNS.c.record).where(RUNS.c.id == run_id)).scalar_one()
    query = sa.select(SUGGESTIONS.c.record).where(SUGGESTIONS.c.run_id == run_id).order_by(SUGGESTIONS.c.position)
    suggestions = tuple(suggestion_from_text(pipeline, text) for text in connection.execute(query).scalars())
    return run_from_text(pipeline, record, suggestions)


def _notes(connection: Connection, pipeline: str) -> list[Note]:
    query = sa.select(NOTES).where(NOTES.c.pipeline == pipeline).order_by(NOTES.c.seq)
    return [note_of(row) for row in connection.execute(query)]


def _log(connection: Connection, pipeline: str, run_id: int) -> list[Decision]:
    query = (
        sa.select(DECISIONS)
        .join(SUGGESTIONS, SUGGESTIONS.c.id == DECISIONS.c.suggestion_id)
        .where(DECISIONS.c.pipeline == pipeline, SUGGESTIONS.c.run_id == run_id, DECISIONS.c.run_id >= SUGGESTIONS.c.decided_since)
        .order_by(DECISIONS.c.seq)
    )
    return [decision_of(row) for row in connection.execute(query)]


def _decided_since(connection: Connection, run: SuggestionRun) -> dict[str, int]:
    """Per suggestion that the pipeline had before with equal bounds: from which run on decisions count."""
    found: dict[str, int] = {}
    for start in range(0, len(run.suggestions), _IDS_PER_QUERY):
        part = {s.id: s for s in run.suggestions[start : start + _IDS_PER_QUERY]}
        newest = (
            sa.select(SUGGESTIONS.c.id, sa.func.max(SUGGESTIONS.c.run_id).label("run_id"))
            .join(RUNS, RUNS.c.id == SUGGESTIONS.c.run_id)
            .where(RUNS.c.pipeline == run.pipeline, SUGGESTIONS.c.id.in_(part))
            .group_by(SUGGESTIONS.c.id)
            .subquery()
        )
        query = sa.select(SUGGESTIONS.c.id, SUGGESTIONS.c.decided_since, SUGGESTIONS.c.record).join(
            newest, sa.and_(newest.c.id == SUGGESTIONS.c.id, newest.c.run_id == SUGGESTIONS.c.run_id)
        )
        for row in connection.execute(query):
            if _same_bounds(suggestion_from_text(run.pipeline, row.record), part[row.id]):
                found[row.id] = row.decided_since
    return found


def _same_bounds(before: Suggestion, now: Suggestion) -> bool:
    # Bounds are in the transform's space: the same numbers under another transform are other bounds.
    a, b = before.constraint, now.constraint
    if isinstance(a, PatternConstraint) and isinstance(b, PatternConstraint):
        # What it was learned from grows by every batch; what was decided on is what values should look like.
        return a.pattern.regex == b.pattern.regex
    return (a.lower, a.upper, a.transform) == (b.lower, b.upper, b.transform)


def _unchanged(item: DraftItem, revision: int) -> None:
    if item.revision != revision:
        raise ConflictError(
            f"{item.decided_by} has meanwhile decided on “{plain(item.current).rstrip('.')}”: it is {item.status} now"
            f"{f' ({item.why})' if item.why else ''}.",
            hint="Look at it again before you decide.",
        )


def _assigned_meanwhile(item: DraftItem, notes: Sequence[Note]) -> ConflictError:
    last = next(note for note in notes if note.seq == item.assigned)
    named = f"“{plain(item.current).rstrip('.')}”"
    to = f"assigned {named} to {item.assignee}" if item.assignee else "taken the assignment back"
    return ConflictError(f"{last.by} has meanwhile {to}.", hint="Look at it again before you assign it.")
