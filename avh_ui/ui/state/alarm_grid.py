"""Runs as a grid of constraints over batches, sorted so that what needs a person comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from avh_ui.constraints.constraint import Status
from avh_ui.review.feedback import Feedback, snoozed, standing_labels
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import RunSummary

# The row of whole runs; no key of a result is empty.
WHOLE = ""
_CODES: dict[Status, str] = {"pass": "p", "fail": "f", "warn": "w", "not_evaluated": "n"}
HANDLED, NOTHING = "h", " "
MARKS: tuple[dict[str, Any], ...] = (
    {"code": "f", "word": "failed", "tone": "bad", "size": 1.0, "glyph": "✖"},
    {"code": "w", "word": "warned", "tone": "warn", "size": 0.7, "glyph": "!"},
    {"code": "h", "word": "alarm, labelled or snoozed", "tone": "handled", "size": 0.45},
    {"code": "n", "word": "not evaluated", "tone": "skip", "size": 1.0, "hollow": True},
    {"code": "p", "word": "passed", "tone": "ok", "size": 1.0},
    {"code": " ", "word": "not part of the program", "tone": "quiet", "size": 0},
)
_WORST = "fwnhp"


@dataclass(frozen=True)
class GridRow:
    """One constraint or rule (key '' = the whole run) with how many alarms it has and how many of them are open; of the runs that did not
    evaluate it none is an alarm, except where that is why the batch was not measured.
    """

    key: str
    column: str
    name: str
    alarms: int
    open: int


@dataclass(frozen=True)
class AlarmGrid:
    """`cells` has one code of `MARKS` per row and batch, row by row."""

    rows: tuple[GridRow, ...]
    batches: tuple[str, ...]
    cells: str

    @cached_property
    def places(self) -> dict[str, int]:
        """Key -> row."""
        return {row.key: at for at, row in enumerate(self.rows)}

    @property
    def open(self) -> int:
        """All open alarms."""
        return self.rows[0].open if self.rows else 0

    def alarms_of(self, row: int) -> list[int]:
        """The batches (as positions) on which a row has an alarm, else those that it could not be evaluated on."""
        part = self.cells[row * len(self.batches) : (row + 1) * len(self.batches)]
        found = [at for at, code in enumerate(part) if code in "fwh"]
        return found or [at for at, code in enumerate(part) if code == "n"]


def alarm_grid(runs: Sequence[RunSummary], log: Iterable[Feedback], now: str) -> AlarmGrid:
    """The grid of runs in their order; first the whole runs, then rows with open alarms, then those with any, then the rest."""
    entries = list(log)
    labelled, asleep = standing_labels(entries), snoozed(entries, now)
    kinds: dict[str, Outcome] = {}
    codes: dict[str, dict[int, str]] = {}
    alarms, waiting = Counter[str](), Counter[str]()
    for at, run in enumerate(runs):
        for outcome in run.outcomes:
            kinds[outcome.key] = outcome
            alarm = outcome.alarms(run.rows)
            quiet = alarm and ((run.batch, outcome.key) in labelled or outcome.key in asleep)
            alarms[outcome.key] += alarm
            waiting[outcome.key] += alarm and not quiet
            codes.setdefault(outcome.key, {})[at] = HANDLED if quiet else _CODES[outcome.status]
    rows = [GridRow(key, outcome.column, outcome.name, alarms[key], waiting[key]) for key, outcome in kinds.items()]
    rows.sort(key=lambda row: (-row.open, -row.alarms))
    whole = [min((codes[key][at] for key in codes if at in codes[key]), key=_WORST.index, default="n") for at in range(len(runs))]
    first = GridRow(WHOLE, "", "run", sum(row.alarms for row in rows), sum(row.open for row in rows))
    lines = ["".join(whole), *("".join(codes[row.key].get(at, NOTHING) for at in range(len(runs))) for row in rows)]
    return AlarmGrid((first, *rows) if runs else (), tuple(run.batch for run in runs), "".join(lines))


def unevaluated(run: RunSummary) -> int:
    """How many results of a measured batch could not be evaluated: no alarms, and no rule that was kept either."""
    return sum(outcome.status == "not_evaluated" for outcome in run.outcomes) if run.rows else 0
