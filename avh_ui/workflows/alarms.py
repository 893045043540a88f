"""The part of a workspace that is about validation runs: they are kept, their alarms labelled and snoozed."""

from __future__ import annotations

from collections.abc import Callable

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.review.feedback import Feedback, FeedbackAction, FeedbackRepository
from avh_ui.validator.run import Run
from avh_ui.validator.run_store import RunStore, RunSummary
from avh_ui.workflows import labelling, validating
from avh_ui.workflows.validating import Judgement, Stores, ValidateOptions

# A year of a daily table.
RUNS = 365


class RunsOfWorkspace:
    """Validating, the runs so far, and what people say of their alarms."""

    config: Config
    actor: str
    _profiler: Profiler
    _history: HistoryRepository
    _programs: ProgramStore
    _runs: RunStore
    _feedback: FeedbackRepository

    def pipeline(self, name: str) -> Pipeline:
        """One pipeline's settings; `NotFoundError` names the nearest."""
        return self.config.pipeline(name)

    def validate(
        self,
        pipeline: str,
        *,
        batch: str | None = None,
        input: str | None = None,  # noqa: A002 (named as the command's option)
        store: bool | None = None,
        record: bool = True,
        snoozes: bool = True,
        watch: Watch | None = None,
    ) -> Run:
        """Judge a batch by the live program, keep its profile and (with `record`) the run; see `workflows.validating`.

        With `snoozes`, what people have snoozed warns and does not fail. Without both, the program store and the history are all that
        is read beside the batch. `DeliveryError` carries the run when something could not be kept.
        """
        judgement = self.judge(pipeline, batch=batch, input=input, store=store, snoozes=snoozes, watch=watch)
        self.deliver(judgement, record=record)
        return judgement.run

    def judge(
        self,
        pipeline: str,
        *,
        batch: str | None = None,
        input: str | None = None,  # noqa: A002 (named as the command's option)
        store: bool | None = None,
        snoozes: bool = True,
        watch: Watch | None = None,
    ) -> Judgement:
        """The verdict alone, as `validate` reaches it; nothing is kept until `deliver`."""
        settings, options = self.pipeline(pipeline), ValidateOptions(batch, input, store)
        stores = self._stores(record=False, snoozes=snoozes)
        return validating.judge_at_source(settings, self._profiler, stores, options, watch or Watch())

    def deliver(self, judgement: Judgement, *, record: bool = True, report: Callable[[Run], None] | None = None) -> None:
        """Write the report, keep the profile and (with `record`) the run; `DeliveryError` names all that failed and carries the run."""
        validating.deliver(judgement, self._stores(record=record, snoozes=False), report)

    def _stores(self, *, record: bool, snoozes: bool) -> Stores:
        return Stores(self._programs, self._history, self._runs if record else None, self._feedback if snoozes else None)

    def snoozes(self, pipeline: str) -> dict[str, str]:
        """What is snoozed now, in words by what alarmed; nothing where the review database cannot be read: then everything counts."""
        return validating.snoozes(self._feedback, self.pipeline(pipeline).name)

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
        entry, settings = Feedback(batch, key, action, by or self.actor, "", why), self.pipeline(pipeline)
        given = labelling.give_feedback(self._feedback, self.config.people, settings, entry, days=days, expected=expected)
        labelling.tell_history(self._feedback, self._history, pipeline)
        return given

    def excluded(self, pipeline: str) -> list[str]:
        """The batches that the next suggestion leaves out; see `workflows.labelling.batches_to_exclude`."""
        return labelling.batches_to_exclude(self._runs, self._feedback, self.pipeline(pipeline).name)
