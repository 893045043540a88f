"""One workspace: the one door for the command line, the app and notebooks. A thin facade over the workflows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import pyarrow as pa

from avh_ui.config import Config, Role
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore, Verification
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History
from avh_ui.history.views import View, segments_within, view
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.metrics.segment import Segment
from avh_ui.review.audit import AuditEntry
from avh_ui.review.draft import Draft
from avh_ui.review.feedback import FeedbackRepository
from avh_ui.review.repository import ReviewRepository
from avh_ui.validator.run_store import RunStore
from avh_ui.workflows import profiling, publishing, reviewing, roles, suggesting, validating
from avh_ui.workflows.adopting import adopted, pattern_share
from avh_ui.workflows.alarms import RunsOfWorkspace
from avh_ui.workflows.foreseeing import Foreseen, foresee
from avh_ui.workflows.pattern_trying import PatternTrial, try_pattern
from avh_ui.workflows.profiling import ProfileReport
from avh_ui.workflows.publishing import Publisher
from avh_ui.workflows.reprogramming import Reprogrammer, WhatIf
from avh_ui.workflows.review_calls import Reviewing
from avh_ui.workflows.suggesting import SAMPLE_ROWS, Choices, SuggestOptions
from avh_ui.workflows.viewing import ViewsOfWorkspace
from avh_ui.workflows.withholding import refuse_rows, sources_of, unless_withheld

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository
    from avh_ui.inference.by_history.reprogramming import ColumnResult


class Workspace(Reviewing, RunsOfWorkspace, ViewsOfWorkspace):
    """Its pipelines, history, drafts and programs. Methods that take a pipeline raise `NotFoundError` for an unknown one.

    `profile`, `suggest`, `validate`, `sample` and `available` may start Spark and take long; the rest reads stores. `actor` is who
    acts when no `by` is given.
    """

    def __init__(  # noqa: PLR0913 (one adapter per port)
        self,
        root: Path,
        config: Config,
        *,
        profiler: Profiler,
        history: HistoryRepository,
        reviews: ReviewRepository,
        programs: ProgramStore,
        runs: RunStore,
        feedback: FeedbackRepository,
        actor: str,
        measured: MeasuredRepository,
    ) -> None:
        super().__init__(config, reviews, actor)
        self.root = root
        self._profiler, self._history, self._programs = unless_withheld(profiler, config), history, programs
        self._runs, self._feedback = runs, feedback
        self._measured, self._reprogrammer = measured, Reprogrammer(measured)

    def __repr__(self) -> str:
        return f"<Workspace {self.root}: {', '.join(self.pipelines()) or 'no pipelines'}>"

    def pipelines(self) -> list[str]:
        """The names of the pipelines, in the order of avh.yml."""
        return list(self.config.pipelines)

    def role(self, person: str | None = None) -> Role | None:
        """A person's role (the actor's by default); None for somebody whom avh.yml does not name."""
        return roles.role_of(person or self.actor, self.config.people)

    # Profiles

    def batches(self, pipeline: str) -> list[str]:
        """The profiled batches, in natural order."""
        return self._history.batches(self.pipeline(pipeline).name)

    def available(self, pipeline: str) -> list[str]:
        """The batches at the source now, in natural order; starts Spark."""
        return self._profiler.batches(self.pipeline(pipeline).name)

    def profile(
        self, pipeline: str, *, batches: str | None = None, again: bool = False, watch: Watch | None = None, by: str | None = None
    ) -> ProfileReport:
        """Profile the batches that have no profile yet; see `workflows.profiling.profile`.

        Takes a reviewer, but for a scheduler: an account that avh.yml does not name, when no `by` is given, may profile as it may validate.
        """
        settings = self.pipeline(pipeline)
        roles.require_of_person(by, self.actor, "reviewer", self.config.people, "profile")
        return profiling.profile(settings, self._profiler, self._history, batches=batches, again=again, watch=watch or Watch())

    def history(
        self,
        pipeline: str,
        *,
        columns: Sequence[str] | None = None,
        upto: str | None = None,
        segment: Segment | str | None = None,
        watch: Watch | None = None,
    ) -> History:
        """The metric series, of one segment (or its label) when given; its arrays are shared and read-only."""
        # Not cached here: the repository keeps what it has read and notices what other processes write.
        part = Segment.parse(segment) if isinstance(segment, str) else segment
        return self._history.history(self.pipeline(pipeline).name, columns, upto, part, watch)

    def segments(self, pipeline: str, within: str | None = None) -> list[Segment]:
        """The segments of the profiled batches; with labels (commas between) those that are, or are within, one of them."""
        there = self._history.segments(self.pipeline(pipeline).name)
        return there if within is None else segments_within(pipeline, Segment.parse_many(within), there)

    def view(
        self,
        pipeline: str,
        *,
        span: str | Iterable[str] | None = None,
        segments: str | Iterable[Segment] | None = None,
        columns: Sequence[str] | None = None,
    ) -> View:
        """The union of a span `A..B` (or any set) of batches, and of segments (or their labels), as one profile: `history.views`."""
        chosen = Segment.parse_many(segments) if isinstance(segments, str) else segments
        return view(self._history, self.pipeline(pipeline).name, span, chosen, columns)

    def batch(self, pipeline: str, batch: str) -> BatchProfile:
        """One batch's profile with its states; `NotFoundError` when it was not profiled."""
        return self._history.load(self.pipeline(pipeline).name, batch)

    def notes(self, pipeline: str, batch: str | None = None) -> tuple[str, ...]:
        """Sentences on what was not measured of a batch (the newest profiled one by default); none where all was, or nobody can tell."""
        newest = batch or next(reversed(self.batches(pipeline)), None)
        with suppress(*UNREADABLE_BATCH):
            return () if newest is None else self._history.load(self.pipeline(pipeline).name, newest, []).notes
        return ()

    def sample(self, pipeline: str, batch: str, rows: int = SAMPLE_ROWS, seed: int = 0, watch: Watch | None = None) -> pa.Table:
        """About `rows` rows of a batch at its source; `CancelledError` by `watch`."""
        settings = self.pipeline(pipeline)
        refuse_rows(settings)
        return self._profiler.sample(settings.name, batch, rows, seed, watch)

    # Suggestions and decisions

    def suggest(
        self, pipeline: str, *, exclude: Iterable[str] = (), watch: Watch | None = None, by: str | None = None, **choices: Unpack[Choices]
    ) -> Draft:
        """Suggest from history, corpus and snapshot and make it the draft; `choices` are those of `workflows.suggesting.SuggestOptions`.

        Nothing is learned from the batches to `exclude`, nor from those whose alarms people labelled known error or real issue. Takes a
        reviewer, whose name is kept with the draft.
        """
        who = by or self.actor
        roles.require(who, "reviewer", self.config.people, "suggest")
        choices["sources"] = sources_of(self.pipeline(pipeline), choices.get("sources"))
        options = SuggestOptions(**choices, exclude=frozenset(exclude) | frozenset(self.excluded(pipeline)))
        run = suggesting.suggest(self.pipeline(pipeline), self._profiler, self._history, options, watch or Watch(), self._measured)
        self._reviews.save_run(replace(run, suggested_by=who))
        return reviewing.required_draft(self._reviews, pipeline)

    def reprogram(self, pipeline: str, columns: Sequence[str] | None = None, change: WhatIf | None = None) -> tuple[ColumnResult, ...]:
        """What the last suggestion run would have suggested under another target, number of clauses, span of history or set of excluded
        batches: `suggestions` per column with constraint, issues caught and explanation, and `left_out` with reasons.

        Reads neither data nor Spark and changes nothing: the draft stays. See `workflows.reprogramming.WhatIf` for what can be changed;
        None takes the pipeline's settings. Milliseconds per column, `benchmarks/avh/speed.py`; fits are kept between calls, so that
        moving the target alone is the fastest. A table's target pays for the draft's patterns first. Under `calibrated`, `row_count`
        comes with one column, for the whole table.
        `UsageError` before the first run, `NotFoundError` for a column that was not in it.
        """
        settings, draft = self.pipeline(pipeline), self.draft(pipeline)
        return self._reprogrammer.reprogram(settings, columns, change or WhatIf(), 0.0 if draft is None else pattern_share(draft))

    def adopt(self, pipeline: str, change: WhatIf, *, by: str | None = None) -> Draft:
        """Make what `reprogram` gives for all columns the draft; decisions on what stays the same stay. Takes a reviewer."""
        who, settings, draft = by or self.actor, self.pipeline(pipeline), reviewing.required_draft(self._reviews, pipeline)
        roles.require(who, "reviewer", self.config.people, "change the draft")
        measured = self._reprogrammer.batches(settings)
        self._reviews.save_run(adopted(settings, draft, self.reprogram(pipeline, change=change), change, who, measured))
        return reviewing.required_draft(self._reviews, pipeline)

    def foresee(self, pipeline: str, constraint: Constraint, batch: str) -> Foreseen:
        """The bounds that a constraint would have next, with and without a batch; see `workflows.foreseeing`.

        `UsageError` before the first suggestion run, `NotFoundError` for a column that was not in it.
        """
        measured = self._reprogrammer.measured(self.pipeline(pipeline), constraint.column)
        history = self.history(pipeline, columns=[constraint.column]).column(constraint.column)
        return foresee(measured, history, constraint, batch, self.excluded(pipeline))

    def caught(self, pipeline: str, constraints: Sequence[Constraint]) -> list[tuple[str, ...]]:
        """For each constraint, with bounds as edited, the synthetic issues of the last suggestion run that it catches.

        The union over a column's constraints is what their conjunction catches. At once, as `reprogram`.
        """
        return self._reprogrammer.caught(self.pipeline(pipeline), constraints)

    def try_pattern(self, pipeline: str, suggestion_id: str, typed: str) -> PatternTrial:
        """Another regex for a suggested pattern, tried on the history; see `workflows.pattern_trying`."""
        draft = reviewing.required_draft(self._reviews, self.pipeline(pipeline).name)
        return try_pattern(self._history, draft, suggestion_id, typed)

    # Programs

    def publish(
        self, pipeline: str, *, by: str | None = None, message: str, draft: str | None = None, version: int | None = None
    ) -> Program:
        """Approve the draft as the next version: the one whose digest was shown, where `draft` names it; see `workflows.publishing`."""
        return self._publisher(pipeline).publish(by or self.actor, message, draft, version)

    def publish_besides(self, pipeline: str) -> tuple[str, ...]:
        """What publishing the draft would change besides the constraints, in sentences: columns and severities."""
        return self._publisher(pipeline).besides()

    def rollback(self, pipeline: str, version: int, *, by: str | None = None, message: str = "") -> Program:
        """Publish an older version's document as the next version."""
        return self._publisher(pipeline).roll_back(version, by or self.actor, message)

    def live(self, pipeline: str) -> Program | None:
        """The newest published version; None when there is none."""
        return validating.live_program(self._programs, self.pipeline(pipeline).name)

    def program(self, pipeline: str, version: int | None = None) -> Program:
        """One published version (None = the newest), its hash checked; `ProgramNotFoundError`, `TamperedProgramError`."""
        return self._programs.load(self.pipeline(pipeline).name, version)

    def programs(self, pipeline: str) -> list[Program]:
        """All published versions, newest first; errors as in `live`, since without its newest the list would name another one so."""
        live, name = self.live(pipeline), self.pipeline(pipeline).name
        if live is None:
            return []
        return [live, *(self._programs.load(name, v) for v in reversed(self._programs.versions(name)) if v < live.version)]

    def verify_programs(self, pipeline: str) -> Verification:
        """Check every published version and that none is missing; what is wrong is said, not raised."""
        return self._programs.verify(self.pipeline(pipeline).name)

    def program_notes(self, pipeline: str) -> tuple[str, ...]:
        """What cannot be told of the live version, in sentences: whether a newer one was there."""
        return self._programs.notes(self.pipeline(pipeline).name)

    def audit(self, pipeline: str) -> list[AuditEntry]:
        """Who did what, when and why: drafts, decisions, feedback and versions, newest first."""
        return publishing.audit_log(self._reviews, self.feedback(pipeline), self.programs(pipeline), self.pipeline(pipeline).name)

    def check_audit(self, pipeline: str) -> list[str]:
        """What is wrong with the audit log, in sentences: entries that were changed, deleted or put in after they were written, and a
        version that judged batches and is gone.
        """
        name = self.pipeline(pipeline).name
        judged = [(run.batch, run.program_version) for run in self.runs(name)]
        newest = max(self._programs.versions(name), default=0)
        return [
            *publishing.check_audit(self._reviews, self._programs, name),
            *validating.deleted_version(self._history, name, newest, judged),
        ]

    def _publisher(self, pipeline: str) -> Publisher:
        return Publisher(self.pipeline(pipeline), self.config.people, self._history, self._reviews, self._programs)
