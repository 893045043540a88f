"""One workspace: the one door for the command line, the app and notebooks. A thin facade over the workflows."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from avh_ui.config import Config, Role, SuggestionSource
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History
from avh_ui.history.views import View, segments_within, view
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.metrics.segment import Segment
from avh_ui.review.draft import Draft
from avh_ui.review.feedback import Feedback, FeedbackAction, FeedbackRepository
from avh_ui.review.repository import ReviewRepository
from avh_ui.validator.run import Run
from avh_ui.validator.run_store import RunStore, RunSummary
from avh_ui.workflows import labelling, profiling, reviewing, roles, suggesting, validating
from avh_ui.workflows.adopting import adopted
from avh_ui.workflows.pattern_trying import PatternTrial, try_pattern
from avh_ui.workflows.profiling import ProfileReport
from avh_ui.workflows.publishing import Publisher
from avh_ui.workflows.reprogramming import Reprogrammer, WhatIf
from avh_ui.workflows.review_calls import Reviewing
from avh_ui.workflows.suggesting import SAMPLE_ROWS, WINDOW, SuggestOptions
from avh_ui.workflows.validating import ValidateOptions

# A year of a daily table.
RUNS = 365
if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository
    from avh_ui.inference.by_history.reprogramming import ColumnResult


class Workspace(Reviewing):
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
        self._profiler, self._history, self._programs = profiler, history, programs
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

    def profile(self, pipeline: str, *, batches: str | None = None, again: bool = False, watch: Watch | None = None) -> ProfileReport:
        """Profile the batches that have no profile yet; see `workflows.profiling.profile`."""
        settings = self.pipeline(pipeline)
        return profiling.profile(settings, self._profiler, self._history, batches=batches, again=again, watch=watch or Watch())

    def history(
        self, pipeline: str, *, columns: Sequence[str] | None = None, upto: str | None = None, segment: Segment | str | None = None
    ) -> History:
        """The metric series, of one segment (or its label) when given; its arrays are shared and read-only."""
        # Not cached here: the repository keeps what it has read and notices what other processes write.
        part = Segment.parse(segment) if isinstance(segment, str) else segment
        return self._history.history(self.pipeline(pipeline).name, columns, upto, part)

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

    def sample(self, pipeline: str, batch: str, rows: int = SAMPLE_ROWS, seed: int = 0) -> pa.Table:
        """About `rows` rows of a batch at its source."""
        return self._profiler.sample(self.pipeline(pipeline).name, batch, rows, seed)

    # Suggestions and decisions

    def suggest(
        self,
        pipeline: str,
        *,
        fpr: float | None = None,
        upto: str | None = None,
        window: int = WINDOW,
        method: str = "calibrated",
        exclude: Iterable[str] = (),
        sources: Sequence[SuggestionSource] | None = None,
        watch: Watch | None = None,
    ) -> Draft:
        """Suggest from history, corpus and snapshot and make it the draft; see `workflows.suggesting.suggest`.

        Nothing is learned from the batches to `exclude`, nor from those whose alarms people labelled known error or real issue.
        """
        out = frozenset(exclude) | frozenset(self.excluded(pipeline))
        options = SuggestOptions(fpr, upto, window, method, exclude=out, sources=None if sources is None else tuple(sources))
        run = suggesting.suggest(self.pipeline(pipeline), self._profiler, self._history, options, watch or Watch(), self._measured)
        self._reviews.save_run(run)
        return reviewing.required_draft(self._reviews, pipeline)

    def reprogram(self, pipeline: str, columns: Sequence[str] | None = None, change: WhatIf | None = None) -> tuple[ColumnResult, ...]:
        """What the last suggestion run would have suggested under another target, number of clauses, span of history or set of excluded
        batches: `suggestions` per column with constraint, issues caught and explanation, and `left_out` with reasons.

        Reads neither data nor Spark and changes nothing: the draft stays. See `workflows.reprogramming.WhatIf` for what can be changed;
        None takes the pipeline's settings. Milliseconds per column, `benchmarks/avh/speed.py`; fits are kept between calls, so that
        moving the target alone is the fastest. Under `calibrated`, `row_count` comes with one column, for the whole table.
        `UsageError` before the first run, `NotFoundError` for a column that was not in it.
        """
        return self._reprogrammer.reprogram(self.pipeline(pipeline), columns, change or WhatIf())

    def adopt(self, pipeline: str, change: WhatIf, *, by: str | None = None) -> Draft:
        """Make what `reprogram` gives for all columns the draft; decisions on what stays the same stay. Takes a reviewer."""
        roles.require(by or self.actor, "reviewer", self.config.people, "change the draft")
        settings, draft = self.pipeline(pipeline), reviewing.required_draft(self._reviews, pipeline)
        self._reviews.save_run(adopted(settings, draft, self.reprogram(pipeline, change=change), change))
        return reviewing.required_draft(self._reviews, pipeline)

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

    def publish(self, pipeline: str, *, by: str | None = None, message: str) -> Program:
        """Approve the draft as the next version; see `workflows.publishing`."""
        return self._publisher(pipeline).publish(by or self.actor, message)

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
        """All published versions, newest first."""
        name = self.pipeline(pipeline).name
        return [self._programs.load(name, version) for version in reversed(self._programs.versions(name))]

    def validate(
        self,
        pipeline: str,
        *,
        batch: str | None = None,
        input: str | None = None,  # noqa: A002 (named as the command's option)
        store: bool | None = None,
        record: bool = True,
        watch: Watch | None = None,
    ) -> Run:
        """Validate a batch by the live program and (with `record`) keep the run; see `workflows.validating.run_validation`."""
        settings, options = self.pipeline(pipeline), ValidateOptions(batch, input, store)
        run = validating.run_validation(settings, self._profiler, self._history, self._programs, options, watch or Watch())
        if record:
            self.record(run)
        return run

    # Runs and feedback

    def record(self, run: Run) -> int:
        """Keep a run where the app reads it; returns its id. `DeliveryError` when it cannot be written."""
        return self._runs.add(run)

    def runs(self, pipeline: str, limit: int = RUNS) -> list[RunSummary]:
        """The newest run of each of the batches validated last, in natural order of the batches."""
        return self._runs.recent(self.pipeline(pipeline).name, limit)

    def run(self, pipeline: str, run_id: int) -> Run:
        """One kept run with its sentences; `NotFoundError`."""
        return self._runs.load(self.pipeline(pipeline).name, run_id)

    def feedback(self, pipeline: str) -> list[Feedback]:
        """Everything said of the pipeline's alarms, oldest first."""
        return self._feedback.feedback(self.pipeline(pipeline).name)

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
        """Label an alarm, or snooze what alarmed for `days`; see `workflows.labelling.give_feedback`."""
        entry, people = Feedback(batch, key, action, by or self.actor, "", why), self.config.people
        return labelling.give_feedback(self._feedback, people, self.pipeline(pipeline).name, entry, days=days, expected=expected)

    def excluded(self, pipeline: str) -> list[str]:
        """The batches that the next suggestion leaves out; see `workflows.labelling.batches_to_exclude`."""
        return labelling.batches_to_exclude(self._runs, self._feedback, self.pipeline(pipeline).name)

    def review(self, pipeline: str | None = None) -> Any:
        """The review as a Panel view, in a notebook or an app of one's own."""
        # By name: the app is a higher layer, and only who asks for a view pays for loading it.
        return importlib.import_module("avh_ui.ui.notebook").review(self, pipeline)

    def _publisher(self, pipeline: str) -> Publisher:
        return Publisher(self.pipeline(pipeline), self.config.people, self._history, self._reviews, self._programs)
