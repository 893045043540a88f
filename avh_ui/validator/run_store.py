"""The port to where runs are kept: what a person reads weeks later of every validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from avh_ui.constraints.constraint import Status, Verdict
from avh_ui.validator.run import RuleResult, Run, RunStatus


@dataclass(frozen=True)
class Outcome:
    """One result of a run in brief. `key` says what was judged, the same over runs and versions; `name` is the metric or the rule."""

    key: str
    column: str
    name: str
    status: Status

    @classmethod
    def of(cls, result: RuleResult | Verdict) -> Outcome:
        """Of a rule (keyed by its name and column) or a verdict (keyed as its constraint is)."""
        if isinstance(result, RuleResult):
            return cls(f"{result.rule}/{result.column}", result.column, result.rule, result.status)
        return cls(result.constraint.key, result.constraint.column, result.constraint.metric, result.status)

    @property
    def is_rule(self) -> bool:
        """Whether a rule was judged, not a constraint."""
        return "/" in self.key

    @property
    def alarm(self) -> bool:
        """Whether it asks for a person: whatever did not pass."""
        return self.status != "pass"


@dataclass(frozen=True)
class RunSummary:
    """A kept run without its sentences. `rows` is None when the batch could not be read; times are ISO 8601 in UTC."""

    id: int
    pipeline: str
    batch: str
    status: RunStatus
    program_version: int
    started: str
    seconds: float
    rows: int | None
    outcomes: tuple[Outcome, ...]

    @property
    def alarms(self) -> tuple[Outcome, ...]:
        """What failed, warned or could not be evaluated; of a batch that was not measured at all, only the reason."""
        return tuple(outcome for outcome in self.outcomes if outcome.alarm and (self.rows or outcome.is_rule))


class RunStore(Protocol):
    """Runs per pipeline, only ever added to. Every call is one transaction."""

    def add(self, run: Run) -> int:
        """Keep a run and return its id; `DeliveryError` when it cannot be written."""
        ...

    def recent(self, pipeline: str, limit: int, batches: Sequence[str] | None = None) -> list[RunSummary]:
        """The newest run of each of the `limit` batches (of `batches` alone) validated last, in natural order of the batches."""
        ...

    def load(self, pipeline: str, run_id: int) -> Run:
        """One run with its sentences; `NotFoundError`."""
        ...
