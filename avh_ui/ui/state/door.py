"""What the app asks of a workspace: the narrow port that `workflows.workspace.Workspace` fills and tests can fake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pyarrow as pa

from avh_ui.config import Pipeline, Role
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import Pattern
from avh_ui.constraints.program import Program
from avh_ui.history.series import History
from avh_ui.history.views import View
from avh_ui.inference.by_history.reprogramming import ColumnResult
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.segment import Segment
from avh_ui.review.audit import AuditEntry
from avh_ui.review.decision import Action
from avh_ui.review.draft import Draft
from avh_ui.review.feedback import Feedback, FeedbackAction
from avh_ui.validator.run import Run
from avh_ui.validator.run_store import RunSummary
from avh_ui.workflows.foreseeing import Foreseen
from avh_ui.workflows.pattern_trying import PatternTrial
from avh_ui.workflows.profiling import ProfileReport
from avh_ui.workflows.reprogramming import WhatIf


class Door(Protocol):
    """The calls of the app. Each may raise an `AvhError`, whose message and hint are shown."""

    actor: str

    @property
    def read_only(self) -> str:
        """Why nothing can be decided or recorded, in a sentence; '' where it can."""
        ...

    def pipelines(self) -> list[str]:
        """The pipelines' names."""
        ...

    def pipeline(self, name: str) -> Pipeline:
        """One pipeline's settings."""
        ...

    def history(self, pipeline: str, *, segment: str | None = None, watch: Watch | None = None) -> History:
        """The metric series (of one segment, by its label); cached in the process, slow the first time."""
        ...

    def refusal(self, needed: Role, action: str, *, by: str | None = None) -> str:
        """Why somebody may not do what takes a role; '' for who may."""
        ...

    def draft(self, pipeline: str) -> Draft | None:
        """The suggestions with the decisions so far, None before the first `avh suggest`."""
        ...

    def decide(  # noqa: PLR0913 (a decision has these parts)
        self,
        pipeline: str,
        ids: Sequence[str],
        action: Action,
        *,
        by: str | None = None,
        why: str = "",
        lower: float | None = None,
        upper: float | None = None,
        pattern: Pattern | None = None,
        expected: dict[str, int] | None = None,
    ) -> Draft:
        """Record one decision on each suggestion, all or none; a quick write."""
        ...

    def comment(self, pipeline: str, ids: Sequence[str], text: str, *, by: str | None = None) -> Draft:
        """Say something of suggestions without deciding; a quick write."""
        ...

    def assign(self, pipeline: str, ids: Sequence[str], to: str, *, by: str | None = None, expected: dict[str, int] | None = None) -> Draft:
        """Say whose suggestions are to decide, '' nobody's; a quick write."""
        ...

    def deciders(self) -> list[str]:
        """Who may decide; empty where everybody may."""
        ...

    def suggest(self, pipeline: str, *, watch: Watch | None = None, by: str | None = None) -> Draft:
        """Suggest anew from the newest history; starts Spark and takes long. Decisions on what stays the same stay."""
        ...

    def try_pattern(self, pipeline: str, suggestion_id: str, typed: str) -> PatternTrial:
        """Another regex for a suggested pattern, tried on the history."""
        ...

    def reprogram(self, pipeline: str, columns: Sequence[str] | None = None, change: WhatIf | None = None) -> tuple[ColumnResult, ...]:
        """What other settings would suggest for these columns (None = all), from what the last suggestion run kept."""
        ...

    def foresee(self, pipeline: str, constraint: Constraint, batch: str) -> Foreseen:
        """The bounds that a constraint would have next, with and without a batch."""
        ...

    def adopt(self, pipeline: str, change: WhatIf, *, by: str | None = None) -> Draft:
        """Make that the draft."""
        ...

    def publish(
        self, pipeline: str, *, by: str | None = None, message: str, draft: str | None = None, version: int | None = None
    ) -> Program:
        """Approve the draft with that digest as that version, the next; `ConflictError` when either has changed."""
        ...

    def notes(self, pipeline: str, batch: str | None = None) -> tuple[str, ...]:
        """Sentences on what was not measured of a batch (the newest by default)."""
        ...

    def publish_besides(self, pipeline: str) -> tuple[str, ...]:
        """What publishing the draft would change besides the constraints, in sentences: columns and severities."""
        ...

    def live(self, pipeline: str) -> Program | None:
        """The newest published version."""
        ...

    def profile(self, pipeline: str, *, watch: Watch | None = None, by: str | None = None) -> ProfileReport:
        """Profile the batches that have no profile yet; starts Spark and takes long."""
        ...

    def view(self, pipeline: str, *, span: str | None = None, segments: str | None = None, columns: Sequence[str] | None = None) -> View:
        """A batch or a span `A..B` of batches (of some segments, some columns), merged from their states."""
        ...

    def segments(self, pipeline: str) -> list[Segment]:
        """The segments that the batches are split into; none where they are not."""
        ...

    def sample(self, pipeline: str, batch: str, rows: int = 20_000, seed: int = 0, watch: Watch | None = None) -> pa.Table:
        """Rows of a batch from its source; starts Spark."""
        ...

    def runs(self, pipeline: str, limit: int = 365) -> list[RunSummary]:
        """The newest validation of each batch, in batch order."""
        ...

    def run(self, pipeline: str, run_id: int) -> Run:
        """One validation with its sentences."""
        ...

    def feedback(self, pipeline: str) -> list[Feedback]:
        """Everything said of alarms, oldest first."""
        ...

    def give_feedback(
        self,
        pipeline: str,
        batch: str,
        key: str,
        action: FeedbackAction,
        *,
        by: str | None = None,
        why: str = "",
        days: float = 0,
        expected: int | None = None,
    ) -> Feedback:
        """Label an alarm or snooze what alarmed; a quick write."""
        ...

    def excluded(self, pipeline: str) -> list[str]:
        """The batches that the next suggestion leaves out."""
        ...

    def rollback(self, pipeline: str, version: int, *, by: str | None = None, message: str = "") -> Program:
        """Publish an older version's document as the next version."""
        ...

    def audit(self, pipeline: str) -> list[AuditEntry]:
        """Who did what, when and why, newest first."""
        ...

    def programs(self, pipeline: str) -> list[Program]:
        """All published versions, newest first."""
        ...
