"""The audit log of a pipeline, over all of its suggestion runs: what was done, and the hash chain that holds it together.

Every run, decision, note and entry of feedback names the hash of what was written before it: a link is `SHA-256(previous + content)`.
Links are added in the transaction of what they are of, by one writer of a pipeline at a time, and no two may name one previous: the order
is that of writing, whatever the clocks say. What is changed, taken out or put in later breaks the chain; that its end was cut shows by
the published programs, each of which names the last link of its time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from avh_ui.constraints.plain_data import canonical_json, to_plain
from avh_ui.review.audit import AuditEntry, Chain, of_decision, of_note, of_run
from avh_ui.review.decision import Decision
from avh_ui.review.note import Note
from avh_ui.review.suggestion import Suggestion
from avh_ui.store.records import pattern_from_text, run_from_text, suggestion_from_text
from avh_ui.store.reviews_schema import DECISIONS, FEEDBACK, LINKS, NOTES, RUNS, SUGGESTIONS

# What the first link of a pipeline names.
START = "0" * 64
# The fields that a link holds to, by log: columns that a later release adds are no part of it. The first is the entry's number.
_LOGS: Mapping[str, tuple[sa.Table, tuple[str, ...]]] = {
    "run": (RUNS, ("id", "record")),
    "decision": (DECISIONS, ("seq", "run_id", "suggestion_id", "action", "by", "at", "why", "lower", "upper", "pattern")),
    "note": (NOTES, ("seq", "suggestion_id", "action", "by", "at", "text")),
    "feedback": (FEEDBACK, ("seq", "batch", "key", "action", "by", "at", "why", "until")),
}
# Fewer variables than SQLite allows in a statement.
_ROWS = 1_000


def last_link(connection: Connection, pipeline: str) -> str:
    """The newest link; '' where there is none."""
    query = sa.select(LINKS.c.sha256).where(LINKS.c.pipeline == pipeline).order_by(LINKS.c.seq.desc()).limit(1)
    return connection.execute(query).scalar() or ""


def add_links(connection: Connection, pipeline: str, kind: str, entries: Sequence[int]) -> None:
    """Chain entries that were just written to a log, in their order."""
    previous = last_link(connection, pipeline) or START
    for start in range(0, len(entries), _ROWS):
        wanted = entries[start : start + _ROWS]
        contents = dict(_contents(connection, pipeline, kind, wanted))
        rows = []
        for entry in wanted:
            sha256 = _linked(previous, contents[entry])
            rows.append({"pipeline": pipeline, "kind": kind, "entry": entry, "previous": previous, "sha256": sha256})
            previous = sha256
        connection.execute(sa.insert(LINKS), rows)


def add_all(connection: Connection) -> None:
    """Chain everything that was written before there was a chain, log by log: from here on nothing of it can be changed unseen."""
    for kind, (table, names) in _LOGS.items():
        number = table.c[names[0]]
        found: dict[str, list[int]] = {}
        for pipeline, entry in connection.execute(sa.select(table.c.pipeline, number).order_by(number)):
            found.setdefault(pipeline, []).append(entry)
        for pipeline, entries in found.items():
            add_links(connection, pipeline, kind, entries)


def read_chain(connection: Connection, pipeline: str) -> Chain:
    """The places of all entries, without checking them."""
    query = sa.select(LINKS.c.kind, LINKS.c.entry, LINKS.c.sha256).where(LINKS.c.pipeline == pipeline).order_by(LINKS.c.seq)
    rows = connection.execute(query).all()
    places = {(kind, entry): k for k, (kind, entry, _) in enumerate(rows, 1)}
    return Chain(places, {sha256: k for k, (*_, sha256) in enumerate(rows, 1)}, rows[-1].sha256 if rows else "")


def check_chain(connection: Connection, pipeline: str) -> Iterator[str]:
    """What is wrong with a pipeline's audit log, a sentence each."""
    contents = {(kind, e): c for kind in _LOGS for e, c in _contents(connection, pipeline, kind, None)}
    previous, seen = START, set()
    for link in connection.execute(sa.select(LINKS).where(LINKS.c.pipeline == pipeline).order_by(LINKS.c.seq)):
        name, content = f"{link.kind} {link.entry} of {pipeline!r}", contents.get((link.kind, link.entry))
        seen.add((link.kind, link.entry))
        if link.previous != previous:
            yield f"In the audit log {name} does not follow on what stands before it: entries were taken out or put in there."
        if content is None:
            yield f"In the audit log {name} is missing: it was deleted."
        elif _linked(link.previous, content) != link.sha256:
            yield f"In the audit log {name} was changed after it was written."
        previous = link.sha256
    for kind, entry in sorted(contents.keys() - seen):
        yield f"In the audit log {kind} {entry} of {pipeline!r} was put in past avh_ui: no link holds it."


def _linked(previous: str, content: str) -> str:
    return hashlib.sha256(f"{previous}{content}".encode("ascii")).hexdigest()


def _contents(connection: Connection, pipeline: str, kind: str, entries: Sequence[int] | None) -> Iterator[tuple[int, str]]:
    """The canonical text of entries (None = all of the pipeline) by their number."""
    table, names = _LOGS[kind]
    query = sa.select(*(table.c[name] for name in names)).where(table.c.pipeline == pipeline)
    if entries is not None:
        query = query.where(table.c[names[0]].in_(list(entries)))
    for row in connection.execute(query).all():
        number, *values = row
        record: dict[str, Any] = dict(zip(names[1:], map(to_plain, values), strict=True))
        if kind == "run":
            record["suggestions"] = _suggestions(connection, number)
        yield number, canonical_json({"kind": kind, "entry": number, "pipeline": pipeline, **record})


def _suggestions(connection: Connection, run_id: int) -> str:
    """The hash of all suggestions of a run: what people decided about is as fixed as what they decided."""
    columns = (SUGGESTIONS.c[name] for name in ("position", "id", "decided_since", "record"))
    query = sa.select(*columns).where(SUGGESTIONS.c.run_id == run_id).order_by(SUGGESTIONS.c.position)
    digest = hashlib.sha256()
    for row in connection.execute(query):
        digest.update(json.dumps(list(row), ensure_ascii=True).encode("ascii"))
    return digest.hexdigest()


def check_anchors(pipeline: str, chain: Chain, anchors: Iterable[tuple[int, str]]) -> Iterator[str]:
    """What the published versions say of the log: each names the last link of its time, as (version, link)."""
    for version, link in anchors:
        if link not in chain.hashes:
            yield f"Version {version} of {pipeline!r} was published when the audit log ended with {link[:12]}, which is gone: it was cut."


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
