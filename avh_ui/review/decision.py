"""What an engineer decided about a suggestion; decisions are only ever added."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from avh_ui.constraints.pattern_constraint import Pattern

# `limit` keeps that the bounds follow the history, and says beyond what they never do; `edit` gives bounds that stay.
Action = Literal["accept", "reject", "edit", "limit", "reset"]
# Why a suggestion is rejected, by one key.
Reason = Literal["too_loose", "too_tight", "meaningless", "duplicate", "known"]
REASONS: tuple[Reason, ...] = get_args(Reason)
# How a reason stands in the log: it leads what is said of the rejection, so that log, audit and hash chain hold it as they did before.
REASON_WORDS: dict[Reason, str] = {reason: reason.replace("_", " ") for reason in REASONS}
# How columns that are taken out of a rule on several stand there.
_WITHOUT = "without "
ItemStatus = Literal["pending", "accepted", "rejected", "edited"]
STATUS_AFTER: dict[Action, ItemStatus] = {
    "accept": "accepted",
    "reject": "rejected",
    "edit": "edited",
    "limit": "edited",
    "reset": "pending",
}


@dataclass(frozen=True)
class Decision:
    """One decision; `seq` is its place in the log (0 before it is recorded). `lower`, `upper` and `pattern` count for `edit` alone, the
    first two for `limit` too.

    `pattern` takes the place of a suggested pattern; with both bounds open its test stays.
    """

    suggestion_id: str
    action: Action
    by: str
    at: str
    why: str = ""
    lower: float | None = None
    upper: float | None = None
    seq: int = 0
    pattern: Pattern | None = None


def with_reason(reason: Reason, why: str = "") -> str:
    """What is said of a rejection with a reason: `too loose: half of it would pass`."""
    return f"{REASON_WORDS[reason]}: {why}" if why else REASON_WORDS[reason]


def with_columns_out(columns: Sequence[str], why: str = "") -> str:
    """What is said of an edit that takes columns out of a rule on several: `without "city", "zip": they move`."""
    said = _WITHOUT + ", ".join(json.dumps(name, ensure_ascii=False) for name in columns)
    return f"{said}: {why}" if why else said


def columns_out(action: str, why: str) -> tuple[str, ...]:
    """The columns that lead what was said of an edit; none of any other."""
    found, at = list[str](), len(_WITHOUT)
    if action not in ("edit", "edited") or not why.startswith(f'{_WITHOUT}"'):
        return ()
    while why[at : at + 1] == '"':
        try:
            name, at = json.JSONDecoder().raw_decode(why, at)
        except ValueError:
            return ()
        found.append(str(name))
        if why[at : at + 2] != ", ":
            break
        at += 2
    return tuple(found) if why[at : at + 1] in ("", ":") else ()


def reason_of(action: str, why: str) -> Reason | None:
    """The reason that leads what was said of a rejection; None without one."""
    lead = why.partition(":")[0].strip().casefold()
    return next((reason for reason, words in REASON_WORDS.items() if words == lead), None) if action in ("reject", "rejected") else None
