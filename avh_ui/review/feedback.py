"""What people say of alarms: labels and snoozes as an append-only log, and what follows from it. Pure data and functions, no I/O."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

Label = Literal["false_alarm", "expected_change", "known_error", "real_issue"]
LABELS: tuple[Label, ...] = get_args(Label)
# `unlabel` takes a label back, `wake` ends a snooze.
FeedbackAction = Literal["false_alarm", "expected_change", "known_error", "real_issue", "unlabel", "snooze", "wake"]
# What people do with the incident that an alarm is of: say whose it is (`why` is the name, '' for nobody's), close it, open it again, and
# say something. Which incident that is follows from the alarm: the log stays true however alarms are grouped.
IncidentAction = Literal["own", "resolve", "reopen", "comment"]
# The data were wrong: what is learned from them would make the error normal. The other two labels say that the data are right.
EXCLUDING: frozenset[str] = frozenset({"known_error", "real_issue"})
# Of a label without an alarm, in place of the rule that alarmed.
CHANGE = "change"


@dataclass(frozen=True)
class Feedback:
    """One entry about the alarm of `key` (what was judged) on `batch`. A snooze holds for the key until `until` (ISO 8601, UTC); of an
    expected change `until` holds what changed and since when (`LastingChange.text`).

    `seq` is its place in the log (0 before it is recorded).
    """

    batch: str
    key: str
    action: FeedbackAction | IncidentAction
    by: str
    at: str
    why: str = ""
    until: str = ""
    seq: int = 0

    @property
    def is_label(self) -> bool:
        """Whether it labels the alarm or takes its label back."""
        return self.action == "unlabel" or self.action in LABELS

    @property
    def of_incident(self) -> bool:
        """Whether it is about the incident that the alarm is of, and says nothing of the alarm."""
        return self.action in get_args(IncidentAction)

    @property
    def change(self) -> LastingChange | None:
        """The lasting change that it says is expected; None of other entries, and of those by a release that did not know changes."""
        return LastingChange.of(self.until) if self.action == "expected_change" else None


@dataclass(frozen=True)
class LastingChange:
    """A lasting change of a column, '' of the number of rows of the table, that begins with the batch `since`."""

    column: str
    since: str

    @property
    def text(self) -> str:
        """As it is kept."""
        return json.dumps({"column": self.column, "since": self.since})

    @property
    def key(self) -> str:
        """What a label is of that answers it without an alarm."""
        return f"{CHANGE}/{self.column}"

    @classmethod
    def of(cls, text: str) -> LastingChange | None:
        """From its text; None where that is none."""
        try:
            found = json.loads(text)
            return cls(str(found["column"]), str(found["since"]))
        except (ValueError, TypeError, KeyError):
            return None


class FeedbackRepository(Protocol):
    """The log of feedback per pipeline. Every call is one transaction."""

    def give(self, pipeline: str, feedback: Feedback, expected: int | None = None) -> Feedback:
        """Append an entry and return it numbered.

        `expected` is the seq of the entry of the same alarm and sort (label or snooze) that its author saw last, 0 for none:
        `ConflictError` when somebody else was first.
        """
        ...

    def feedback(self, pipeline: str) -> list[Feedback]:
        """Every entry, oldest first."""
        ...


def last_entry(log: Iterable[Feedback], batch: str, key: str, *, label: bool) -> Feedback | None:
    """The newest entry of an alarm: its label (or the taking back of it), else the snooze of its key."""
    found = None
    for entry in log:
        if entry.key == key and entry.is_label == label and not entry.of_incident and (entry.batch == batch or not label):
            found = entry
    return found


def standing_labels(log: Iterable[Feedback]) -> dict[tuple[str, str], Feedback]:
    """The label that holds per alarm, as (batch, key)."""
    found: dict[tuple[str, str], Feedback] = {}
    for entry in log:
        if entry.action == "unlabel":
            found.pop((entry.batch, entry.key), None)
        elif entry.is_label:
            found[entry.batch, entry.key] = entry
    return found


def changes(log: Iterable[Feedback]) -> dict[str, list[str]]:
    """The columns of which a change is expected, by the batch that it begins with."""
    found: dict[str, list[str]] = {}
    for entry in standing_labels(log).values():
        if (change := entry.change) is not None and change.column not in found.setdefault(change.since, []):
            found[change.since].append(change.column)
    return found


def snoozed(log: Iterable[Feedback], now: str) -> dict[str, Feedback]:
    """The snooze that holds per key at a time (ISO 8601, UTC)."""
    found: dict[str, Feedback] = {}
    for entry in log:
        if entry.action == "wake":
            found.pop(entry.key, None)
        elif entry.action == "snooze":
            found[entry.key] = entry
    return {key: entry for key, entry in found.items() if entry.until > now}


def excluded_batches(log: Iterable[Feedback], passed: Iterable[tuple[str, str]] = ()) -> list[str]:
    """The batches that must not be learned from: those with an alarm that stands labelled known error or real issue.

    `passed` are the (batch, key) of what passed when the batch was last validated: there the data were mended since.
    """
    mended = set(passed)
    return list(dict.fromkeys(a[0] for a, entry in standing_labels(log).items() if entry.action in EXCLUDING and a not in mended))
