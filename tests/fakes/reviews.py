"""An in-memory `ReviewRepository`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.errors import ConflictError, NotFoundError
from avh_ui.review.audit import AuditEntry, Chain, of_decision, of_note, of_run
from avh_ui.review.decision import Decision
from avh_ui.review.draft import Draft, apply_decision, fold
from avh_ui.review.note import Note
from avh_ui.review.suggestion import Suggestion, SuggestionRun


class FakeReviews:
    """`ReviewRepository` in memory: all runs and decisions per pipeline, in order."""

    read_only = ""

    def __init__(self) -> None:
        self.runs: dict[str, list[SuggestionRun]] = {}
        self._decisions: dict[str, list[tuple[int, Decision]]] = {}  # with the index of the run they were made on
        self._notes: dict[str, list[Note]] = {}
        self._seq = 0
        self._lock = threading.RLock()

    def save_run(self, run: SuggestionRun) -> None:
        with self._lock:
            self.runs.setdefault(run.pipeline, []).append(run)

    def amend(self, pipeline: str, change: Callable[[Draft | None], SuggestionRun]) -> None:
        with self._lock:
            self.save_run(change(self.draft(pipeline)))

    def draft(self, pipeline: str) -> Draft | None:
        with self._lock:
            if not self.runs.get(pipeline):
                return None
            return fold(self.runs[pipeline][-1], self.log(pipeline), self._notes.get(pipeline, []))

    def mark(self, pipeline: str) -> str:
        with self._lock:
            return f"{len(self.runs.get(pipeline, []))} {len(self.log(pipeline))} {len(self._notes.get(pipeline, []))}"

    @contextlib.contextmanager
    def held(self, pipeline: str) -> Iterator[Draft | None]:
        with self._lock:
            yield self.draft(pipeline)

    def log(self, pipeline: str) -> list[Decision]:
        with self._lock:
            since = self._counts_since(pipeline)
            return [d for run, d in self._decisions.get(pipeline, []) if d.suggestion_id in since and run >= since[d.suggestion_id]]

    def record(self, pipeline: str, decisions: Sequence[Decision], expected: dict[str, int] | None = None) -> list[Decision]:
        with self._lock:
            draft = self.draft(pipeline)
            if draft is None:
                raise NotFoundError("draft of pipeline", pipeline, self.runs, hint=f"Make one with `avh suggest {pipeline}`.")
            for suggestion_id, revision in (expected or {}).items():
                item = draft.item(suggestion_id)
                if item.revision != revision:
                    told = f"{item.decided_by} has meanwhile set {suggestion_id} to {item.status}."
                    raise ConflictError(told, hint="Look at it again before you decide.")
            for decision in decisions:
                apply_decision(draft.item(decision.suggestion_id), decision)
            numbered = [replace(d, seq=self._seq + 1 + k) for k, d in enumerate(decisions)]
            self._seq += len(numbered)
            last = len(self.runs[pipeline]) - 1
            self._decisions.setdefault(pipeline, []).extend((last, d) for d in numbered)
            return numbered

    def trail(self, pipeline: str, limit: int = 1_000) -> list[AuditEntry]:
        with self._lock:
            runs = self.runs.get(pipeline, [])
            made = [of_run(run, len(run.suggestions)) for run in runs[-limit:]]
            for at, decision in self._decisions.get(pipeline, [])[-limit:]:
                suggestion = next((s for s in runs[at].suggestions if s.id == decision.suggestion_id), None)
                made.append(of_decision(decision, suggestion))
            newest = {s.id: s for run in runs for s in run.suggestions}
            return made + [of_note(note, newest.get(note.suggestion_id)) for note in self._notes.get(pipeline, [])[-limit:]]

    def chain(self, pipeline: str) -> Chain:
        return Chain()

    def check_audit(self, pipeline: str, anchors: Sequence[tuple[int, str]] = ()) -> list[str]:
        return []

    def note(self, pipeline: str, notes: Sequence[Note], expected: dict[str, int] | None = None) -> list[Note]:
        with self._lock:
            draft = self.draft(pipeline)
            if draft is None:
                raise NotFoundError("draft of pipeline", pipeline, self.runs)
            for suggestion_id, assigned in (expected or {}).items():
                item = draft.item(suggestion_id)
                if item.assigned != assigned:
                    last = next(n for n in self._notes[pipeline] if n.seq == item.assigned)
                    raise ConflictError(f"{last.by} has meanwhile assigned {suggestion_id} to {item.assignee}.")
            for note in notes:
                draft.item(note.suggestion_id)
            numbered = [replace(note, seq=self._seq + 1 + k) for k, note in enumerate(notes)]
            self._seq += len(numbered)
            self._notes.setdefault(pipeline, []).extend(numbered)
            return numbered

    def _counts_since(self, pipeline: str) -> dict[str, int]:
        """From which run on decisions count, per suggestion of the newest run."""
        runs = self.runs.get(pipeline, [])
        since: dict[str, int] = {}
        latest: dict[str, Suggestion] = {}
        for k, run in enumerate(runs):
            for suggestion in run.suggestions:
                before = latest.get(suggestion.id)
                if before is None or not _same_bounds(before, suggestion):
                    since[suggestion.id] = k
                latest[suggestion.id] = suggestion
        return {s.id: since[s.id] for s in runs[-1].suggestions} if runs else {}


def _same_bounds(a: Suggestion, b: Suggestion) -> bool:
    x, y = a.constraint, b.constraint
    if isinstance(x, PatternConstraint) and isinstance(y, PatternConstraint):
        return x.pattern.regex == y.pattern.regex
    return (x.lower, x.upper, x.transform) == (y.lower, y.upper, y.transform)
