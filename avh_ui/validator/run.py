"""One validation of one batch against one program version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from avh_ui.constraints.constraint import Level, Status, Verdict
from avh_ui.constraints.surprise import surprise
from avh_ui.history.standings import Baseline
from avh_ui.metrics.delivery import Delivery
from avh_ui.typed import Text

RunStatus = Literal["pass", "warn", "fail", "not_evaluated"]
# From the worst on: what could not be evaluated is never shown as passed.
_WORST: tuple[RunStatus, ...] = ("fail", "warn", "not_evaluated")


@dataclass(frozen=True)
class RuleResult:
    """A rule that is no constraint over a metric, named by `rule`.

    `schema` (the columns agree), `missing_column`, `extra_column`, `type_changed`, `empty_batch`, `batch_not_found`, `unreadable_batch` and
    `unfinished_delivery`; of the delivery (`validator/delivery_rules.py`) `malformed_rows`, `files_differ`, `file_count`,
    `empty_files`, `unread_files`, `undecodable_text` and `how_read`; and `stale` (a content that was delivered before). `column` is ''
    when it is about the table.
    """

    rule: Text
    column: Text
    status: Status
    level: Level
    message: Text


@dataclass(frozen=True)
class Run:
    """What a validation found. `rows` is None when the batch could not be read. Times are ISO 8601 in UTC, `seconds` wall time.

    `baseline` is what two-distribution metrics compared with; None where none did. `delivery` is how the batch was delivered; None where it
    was not measured. Both are None of a run that was read from the database. `notes` are sentences on what was not measured or compared.
    Where the columns agree they are part of that result's message too, so that they are kept with it.
    """

    pipeline: str
    batch: str
    program_version: int
    program_sha256: str
    started: str
    seconds: float
    rows: int | None
    rules: tuple[RuleResult, ...]
    verdicts: tuple[Verdict, ...]
    baseline: Baseline | None = None
    delivery: Delivery | None = None
    notes: tuple[str, ...] = ()

    @property
    def results(self) -> list[RuleResult | Verdict]:
        """Rules, then verdicts: first the columns that are most out of line (`surprise`), the others in the order of the program."""
        worst: dict[str, float] = {}
        for verdict in self.verdicts:
            column = verdict.constraint.column
            worst[column] = max(worst.get(column, 0.0), surprise(verdict))
        return [*self.rules, *sorted(self.verdicts, key=lambda verdict: -worst[verdict.constraint.column])]

    @property
    def statuses(self) -> list[Status]:
        """The status of every result."""
        return [result.status for result in self.results]

    @property
    def status(self) -> RunStatus:
        """The worst of the results; what could not be evaluated is never shown as passed."""
        found = self.statuses
        return next((status for status in _WORST if status in found), "pass" if found else "not_evaluated")

    def count(self, status: Status) -> int:
        """How many results have the status."""
        return self.statuses.count(status)
