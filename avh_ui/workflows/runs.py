"""Validation runs: reaching and delivering verdicts, the runs so far, what people say of their alarms, and what that changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.check_records import check_of
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.errors import DeliveryError, ProgramNotFoundError, UsageError, sentence_of
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.profiler import ProfileTable, Watch
from avh_ui.review.feedback import EXCLUDING, Feedback, FeedbackAction, FeedbackRepository, excluded_batches, standing_labels
from avh_ui.validator.checking import checks_of
from avh_ui.validator.row_table import Engine, RowTable
from avh_ui.validator.run import Run, RunStore, RunSummary
from avh_ui.workflows import validating
from avh_ui.workflows.ingesting import Ingest, ingest
from avh_ui.workflows.measuring_rules import NOTHING_ASKED, Asked
from avh_ui.workflows.people import People
from avh_ui.workflows.stating import file_checks
from avh_ui.workflows.validating import Judgement, Stores, ValidateOptions
from avh_ui.workflows.withholding import silent_table

# A year of a daily table.
RUNS = 365


class Runs:
    """The validations of each pipeline, and what people say of their alarms."""

    def __init__(  # noqa: PLR0913 (these are its ports)
        self,
        config: Config,
        people: People,
        *,
        profiler: Engine,
        history: HistoryRepository,
        programs: ProgramStore,
        runs: RunStore,
        feedback: FeedbackRepository,
        tables: Callable[[Any], RowTable] | None = None,
        asked: Callable[[str], Asked] = lambda _: NOTHING_ASKED,
        profile_table: ProfileTable | None = None,
    ) -> None:
        self._config, self._people, self._asked = config, people, asked
        self._profiler, self._history, self._programs = profiler, history, programs
        self._runs, self._feedback, self._tables = runs, feedback, tables
        self._profile_table = None if profile_table is None else silent_table(profile_table, config)

    def validate(
        self,
        pipeline: str,
        *,
        batch: str | None = None,
        input: str | None = None,  # noqa: A002 (named as the command's option)
        store: bool | None = None,
        quarantine: str | None = None,
        record: bool = True,
        snoozes: bool = True,
        watch: Watch | None = None,
    ) -> Run:
        """Judge a batch by the live program, keep its profile and (with `record`) the run; see `workflows.validating`. May start Spark.

        With `quarantine` the rows that break rules of the level error are kept in a folder of that one (see `workflows.bad_rows`).
        With `snoozes`, what people have snoozed warns and does not fail. Without both, the program store and the history are all that
        is read beside the batch. `DeliveryError` carries the run when something could not be kept.
        """
        judgement = self.judge(pipeline, ValidateOptions(batch, input, store, quarantine), snoozes=snoozes, watch=watch)
        self.deliver(judgement, record=record)
        return judgement.run

    def ingest(
        self,
        pipeline: str,
        rules: Any = None,
        *,
        batch: str,
        input: Any = None,  # noqa: A002 (named as in `validate`)
        by: str | None = None,
        record: bool = True,
        watch: Watch | None = None,
    ) -> Run:
        """Keep a new or replaced batch only if it keeps the live program and the whole table keeps that and the `rules` with it, from
        states alone: `workflows.ingesting`. An `input` (a path, a Spark or pandas DataFrame, a pyarrow Table) stands for its rows at the
        source.

        Without `rules` those of avh.yml that are not in the program; `UsageError` where there is neither. Takes a reviewer, as `profile`
        does. The run says whether the batch was kept (`accepted`) and how it lies in the table (`partition`); with `record` it is kept as
        that of a validation is. `DeliveryError` carries the run when the batch is kept and the run could not be.
        """
        settings = self._config.pipeline(pipeline)
        self._people.require_of_person(by, "reviewer", "ingest")
        goes_by = self._ingest_by(settings, rules, snoozes=record)
        run = ingest(
            settings, self._profiler, self._history, goes_by, batch=batch, input=input, profile_table=self._profile_table, watch=watch
        )
        run = replace(run, tables=self._tables)
        if record:
            self._record_ingest(run)
        return run

    def _ingest_by(self, pipeline: Pipeline, rules: Any, *, snoozes: bool) -> Ingest:
        try:
            program: Program | None = self._programs.load(pipeline.name)
        except ProgramNotFoundError:
            program = None
        if rules is not None or program is None:
            checks = checks_of([check_of(record) for record in pipeline.rules] if rules is None else rules)
        else:
            checks = tuple(check for check in file_checks(pipeline) if check.constraint("rows").key not in program.by_key)
        if snoozes:
            validating.tell_history(self._feedback, self._history, pipeline.name)
        return Ingest(program, checks, self._asked(pipeline.name), self.snoozes(pipeline.name) if snoozes else {})

    def _record_ingest(self, run: Run) -> None:
        try:
            self._runs.add(run)
        except Exception as error:
            kept = "is kept" if run.accepted else "is not kept"
            text = f"Batch {run.batch!r} {kept}. The run was not recorded: {sentence_of(error)}"
            raise DeliveryError(text, run=run) from error

    def judge(self, pipeline: str, options: ValidateOptions, *, snoozes: bool = True, watch: Watch | None = None) -> Judgement:
        """The verdict alone, as `validate` reaches it; nothing is kept until `deliver`."""
        settings, stores = self._config.pipeline(pipeline), self._stores(record=False, snoozes=snoozes)
        judgement = validating.judge_at_source(settings, self._profiler, stores, options, watch or Watch())
        return replace(judgement, run=replace(judgement.run, tables=self._tables))

    def deliver(self, judgement: Judgement, *, record: bool = True, report: Callable[[Run], None] | None = None) -> None:
        """Write the report, keep the profile and (with `record`) the run; `DeliveryError` names all that failed and carries the run."""
        validating.deliver(judgement, self._stores(record=record, snoozes=False), report)

    def _stores(self, *, record: bool, snoozes: bool) -> Stores:
        return Stores(self._programs, self._history, self._runs if record else None, self._feedback if snoozes else None)

    def snoozes(self, pipeline: str) -> dict[str, str]:
        """What is snoozed now, in words by what alarmed; nothing where the review database cannot be read: then everything counts."""
        return validating.snoozes(self._feedback, self._config.pipeline(pipeline).name)

    def record(self, run: Run) -> int:
        """Keep a run where the app reads it; returns its id. `DeliveryError` when it cannot be written."""
        return self._runs.add(run)

    def recent(self, pipeline: str, limit: int = RUNS) -> list[RunSummary]:
        """The newest run of each of the batches validated last, in natural order of the batches."""
        return self._runs.recent(self._config.pipeline(pipeline).name, limit)

    def load(self, pipeline: str, run_id: int) -> Run:
        """One kept run with its sentences; `NotFoundError`."""
        return self._runs.load(self._config.pipeline(pipeline).name, run_id)

    def feedback(self, pipeline: str) -> list[Feedback]:
        """Everything said of the pipeline's alarms, oldest first."""
        return self._feedback.feedback(self._config.pipeline(pipeline).name)

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
        """Label an alarm, or snooze what alarmed for `days` from now.

        `ConflictError` when somebody said otherwise meanwhile (`expected`), `NotPermittedError` unless its author is reviewer or approver,
        `UsageError` for an unknown action, and a snooze that would end before it begins or be longer than the pipeline's `longest_snooze`.
        """
        settings = self._config.pipeline(pipeline)
        who, now = self._people.require(by, "reviewer", "label alarms"), datetime.now(UTC)
        _check(settings, action, days)
        until = (now + timedelta(days=days)).isoformat(timespec="seconds") if action == "snooze" else ""
        entry = Feedback(batch, key, action, who, now.isoformat(timespec="seconds"), why.strip(), until)
        given = self._feedback.give(settings.name, entry, expected)
        validating.tell_history(self._feedback, self._history, settings.name)
        return given

    def excluded(self, pipeline: str) -> list[str]:
        """The batches that the next suggestion must not learn from, in the order they were labelled.

        Those with an alarm labelled known error or real issue, unless what alarmed passed when the batch was last validated: then the
        data were mended.
        """
        name = self._config.pipeline(pipeline).name
        log = self._feedback.feedback(name)
        batches = sorted({batch for (batch, _), entry in standing_labels(log).items() if entry.action in EXCLUDING})
        if not batches:
            return []
        latest = self._runs.recent(name, len(batches), batches)
        return excluded_batches(log, ((run.batch, o.key) for run in latest for o in run.outcomes if not o.alarm))


def _check(pipeline: Pipeline, action: str, days: float) -> None:
    if action not in get_args(FeedbackAction):
        raise UsageError(f"There is no label {action!r}.", hint=f"Labels are {', '.join(get_args(FeedbackAction))}.")
    if action == "snooze" and days <= 0:
        raise UsageError(f"A snooze of {days:g} days would be over already.", hint="Give a number of days above 0.")
    if action == "snooze" and not days <= pipeline.longest_snooze:
        longest = f"{pipeline.longest_snooze:g} days, the longest_snooze of {pipeline.name!r} in avh.yml"
        raise UsageError(f"A snooze of {days:g} days is longer than {longest}.", hint="Snooze it again when it ends.")
