"""What a rule is, and what it finds: one declaration per rule, one line of `rules` each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from avh_ui.constraints.pattern_constraint import Pattern
from avh_ui.inference.by_snapshot.snapshot import Snapshot


@dataclass(frozen=True)
class Finding:
    """What a rule suggests of one column: bounds on a metric, or with `pattern` on the share of values that do not conform to it.

    `code` is the constraint in Deequ's own language, `words` what it says, `current` what the batch had.
    """

    metric: str
    lower: float | None
    upper: float | None
    code: str
    words: str
    current: str
    pattern: Pattern | None = None


@dataclass(frozen=True)
class Rule:
    """`name` is Deequ's, `words` when it applies; `find` gives None where it does not."""

    name: str
    words: str
    find: Callable[[Snapshot], Finding | None]


def quoted(text: str) -> str:
    """A text as a literal of Scala."""
    return json.dumps(text)
