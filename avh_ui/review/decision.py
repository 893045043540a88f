"""What an engineer decided about a suggestion; decisions are only ever added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from avh_ui.constraints.pattern_constraint import Pattern

Action = Literal["accept", "reject", "edit", "reset"]
ItemStatus = Literal["pending", "accepted", "rejected", "edited"]
STATUS_AFTER: dict[Action, ItemStatus] = {"accept": "accepted", "reject": "rejected", "edit": "edited", "reset": "pending"}


@dataclass(frozen=True)
class Decision:
    """One decision; `seq` is its place in the log (0 before it is recorded). `lower`, `upper` and `pattern` count for `edit` alone.

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
