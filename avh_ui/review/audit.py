"""The audit log of a pipeline: who did what, when and why, over decisions, notes, adopted settings, feedback and published versions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import Program
from avh_ui.review.decision import Decision, columns_out
from avh_ui.review.feedback import Feedback
from avh_ui.review.note import Note
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import Suggestion, SuggestionRun

_DECIDED = {"accept": "accepted", "reject": "rejected", "edit": "edited", "limit": "limited", "reset": "reopened"}
_SAID = {
    "false_alarm": "labelled false alarm", "expected_change": "labelled expected change", "known_error": "labelled known error",
    "real_issue": "labelled real issue", "unlabel": "took a label back", "snooze": "snoozed", "wake": "woke",
    "own": "assigned the incident of", "resolve": "resolved the incident of", "reopen": "reopened the incident of",
    "comment": "commented on the incident of",
}  # fmt: skip


@dataclass(frozen=True)
class Chain:
    """The order in which a pipeline's log was written: by (log, number there) the place, counted from 1; places by link; the last link."""

    places: Mapping[tuple[str, int], int] = field(default_factory=dict)
    hashes: Mapping[str, int] = field(default_factory=dict)
    last: str = ""


@dataclass(frozen=True)
class AuditEntry:
    """One deed: when (ISO 8601, UTC), by whom, what was done to what, and why ('' where nothing was said).

    `log` and `number` say which entry of which log it is; of a program, `follows` is the link that the log ended with.
    """

    at: str
    by: str
    did: str
    subject: str
    why: str = ""
    log: str = ""
    number: int = 0
    follows: str = ""


def rule_words(constraint: Constraint) -> str:
    """A rule as the log names it: its plain sentence in quotation marks."""
    return f"“{plain(constraint).removesuffix('.')}”"


def of_decision(decision: Decision, suggestion: Suggestion | None) -> AuditEntry:
    """A decision; `suggestion` is the one it was about, None when that is no longer kept."""
    subject = f"suggestion {decision.suggestion_id}"
    if suggestion is not None:
        subject = rule_words(suggestion.constraint)
    if decision.action in ("edit", "limit") and not columns_out(decision.action, decision.why):
        bounds = ("open" if bound is None else f"{bound:.6g}" for bound in (decision.lower, decision.upper))
        subject += f" to {' – '.join(bounds)}" if decision.pattern is None else f" to {decision.pattern.text}"
    return AuditEntry(
        decision.at, decision.by, _DECIDED.get(decision.action, decision.action), subject, decision.why, "decision", decision.seq
    )


def of_note(note: Note, suggestion: Suggestion | None) -> AuditEntry:
    """A comment on a suggestion, or whose it is to decide."""
    subject = f"suggestion {note.suggestion_id}"
    if suggestion is not None:
        subject = rule_words(suggestion.constraint)
    if note.action == "comment":
        return AuditEntry(note.at, note.by, "commented on", subject, note.text, "note", note.seq)
    return AuditEntry(note.at, note.by, "assigned", f"{subject} to {note.text or 'nobody'}", "", "note", note.seq)


def of_run(run: SuggestionRun, suggestions: int, number: int = 0) -> AuditEntry:
    """A draft of so many suggestions: programmed by `avh suggest`, with settings that a person took, or with rules added or removed."""
    if run.said_kind:
        return AuditEntry(run.created_at, run.stated_by, "said what a column is", run.said_kind, "", "run", number)
    if run.said_key:
        return AuditEntry(run.created_at, run.stated_by, "said what the key is", run.said_key, "", "run", number)
    if run.stated_by:
        changed = [f"{did} {', '.join(rules)}" for did, rules in (("added", run.added), ("removed", run.removed)) if rules]
        return AuditEntry(run.created_at, run.stated_by, "changed the rules", "; ".join(changed) or "none", "", "run", number)
    span = f"{_count(suggestions, 'suggestion')} from {run.first_batch} to {run.last_batch}"
    out = f", without {_count(len(run.excluded), 'batch')}" if run.excluded else ""
    did = "took other settings" if run.adopted_by else "suggested"
    rules = "".join(f", {did} {', '.join(some)}" for did, some in (("added", run.added), ("removed", run.removed)) if some)
    return AuditEntry(run.created_at, run.adopted_by or run.suggested_by, did, f"{span}{out}{rules}", "", "run", number)


def of_feedback(entry: Feedback, names: dict[str, str]) -> AuditEntry:
    """Something said of an alarm; `names` says by key what alarmed."""
    what = names.get(entry.key, entry.key) or "all of it"
    change = entry.change
    until = f", a change since {change.since}" if change else f" until {entry.until}" if entry.until else ""
    return AuditEntry(
        entry.at, entry.by, _SAID.get(entry.action, entry.action), f"{what} on {entry.batch}{until}", entry.why, "feedback", entry.seq
    )


def of_program(program: Program) -> AuditEntry:
    """A published version; one that was rolled back to says so."""
    back = program.approval.rolled_back_to
    did = f"rolled back to version {back}" if back else "published"
    subject = f"version {program.version}, {_count(len(program.constraints), 'rule')}, {program.sha256[:12]}"
    return AuditEntry(program.created_at, program.author, did, subject, program.message, "program", program.version, link_of(program))


def link_of(program: Program) -> str:
    """The link that the audit log ended with when the program was published; '' in documents of release 0.1.0."""
    return program.approval.audit


def newest_first(entries: Iterable[AuditEntry], chain: Chain | None = None) -> list[AuditEntry]:
    """The log as it is read: in the order of writing where the chain knows it, whatever clocks said.

    What the chain does not know (programs of release 0.1.0) goes by its time among the rest; of one second, what came later is first.
    """
    known = chain or Chain()

    def place(entry: AuditEntry) -> int:
        return known.places.get((entry.log, entry.number), 0) or known.hashes.get(entry.follows, 0)

    by_clock = sorted(entries, key=lambda entry: entry.at[:19])
    placed = sorted((entry for entry in by_clock if place(entry)), key=place)
    merged: list[AuditEntry] = []
    for entry in (entry for entry in by_clock if not place(entry)):
        while placed and placed[0].at[:19] <= entry.at[:19]:
            merged.append(placed.pop(0))
        merged.append(entry)
    return [*merged, *placed][::-1]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else f'{noun}es' if noun.endswith('ch') else f'{noun}s'}"
