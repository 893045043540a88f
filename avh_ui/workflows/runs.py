"""Validation runs: reaching and delivering verdicts, the runs so far, what people say of their alarms, and what that changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pyarrow as pa

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.errors import AvhError, DeliveryError, NotFoundError, ProgramNotFoundError, UsageError, sentence_of
from avh_ui.history.regimes import TABLE
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.profiler import ProfileTable, Watch
from avh_ui.review.feedback import EXCLUDING, Feedback, FeedbackAction, FeedbackRepository, LastingChange, excluded_batches, standing_labels
from avh_ui.validator.rejecting import EMPTY, empty_status
from avh_ui.validator.row_table import Engine, RowTable
from avh_ui.validator.run import Run, RunStore, RunSummary
from avh_ui.workflows import validating
from avh_ui.workflows.changes import changes_told, whole_changes
from avh_ui.workflows.incidents import LOOKS_BACK, with_incidents
from avh_ui.workflows.ingesting import Ingest, given, ingest, stated_rules
from avh_ui.workflows.measuring_rules import NOTHING_ASKED, RuleMeasures
from avh_ui.workflows.people import People
from avh_ui.workflows.results import results_table
from avh_ui.workflows.stating import file_checks
from avh_ui.workflows.telling import Notify, hears_nothing, tells_nobody, unpassed_before
from avh_ui.workflows.validating import Judgement, Stores, ValidateOptions
from avh_ui.workflows.withholding import silent_table


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
        asked: Callable[[str], RuleMeasures] = lambda _: NOTHING_ASKED,
        profile_table: ProfileTable | None = None,
        notify: Notify = tells_nobody,
    ) -> None:
        self._config, self._people, self._asked, self._notify = config, people, asked, notify
        self._profiler, self._history, self._programs = profiler, history, programs
        self._runs, self._feedback, self._tables = runs, feedback, tables
        self._profile_table = None if profile_table is None else silent_table(profile_table, config)

    def validate(  # noqa: PLR0913 (the command's options)
        self,
        pipeline: str,
        *,
        batch: str | None = None,
        input: str | None = None,  # noqa: A002 (named as the command's option)
        store: bool | None = None, quarantine: str | None = None,
        record: bool = True, snoozes: bool = True, notify: bool = True, watch: Watch | None = None,
    ) -> Run:  # fmt: skip
        """Judge a batch by the live program, keep its profile and (with `record`) the run; see `workflows.validating`. May start Spark.

        With `quarantine` the rows that break rules of the level error are kept in a folder of that one (see `workflows.bad_rows`).
        With `snoozes`, what people have snoozed warns and does not fail. Without these two, the program store and the history are all that
        is read beside the batch. Without `notify` nobody is told. `DeliveryError` carries the run when something could not be kept.
        """
        judgement = self.judge(pipeline, ValidateOptions(batch, input, store, quarantine), snoozes=snoozes, watch=watch)
        self.deliver(judgement, record=record, notify=notify)
        return judgement.run

    def ingest(
        self,
        pipeline: str,
        rules: Any = None,
        *,
        batch: str,
        input: Any = None,  # noqa: A002 (named as in `validate`)
        by: str | None = None,
        record: bool = True, notify: bool = True, watch: Watch | None = None,
    ) -> Run:  # fmt: skip
        """Keep a new or replaced batch only if it keeps the live program and the whole table keeps that and the `rules` with it, from
        states alone: `workflows.ingesting`. An `input` (a path, a Spark or pandas DataFrame, a pyarrow Table) stands for its rows at the
        source; a table may stand in the place of the rules, too: `ws.ingest("flights", df, batch="2013-12-31")`.

        Without `rules` those of avh.yml that are not in the program; `UsageError` where there is neither. Takes a reviewer, as `profile`
        does. The run says whether the batch was kept (`accepted`) and how it lies in the table (`partition`); with `record` it is kept as
        that of a validation is, and with `notify` people are told as of one; who could not be told is in its notes. `DeliveryError` carries
        the run when the batch is kept and the run could not be.
        """
        settings, (rules, input) = self._config.pipeline(pipeline), given(rules, input)  # noqa: A001
        self._people.reviewer_or_machine(by, "ingest")
        goes_by = self._ingest_by(settings, rules, snoozes=record)
        run = ingest(
            settings, self._profiler, self._history, goes_by, batch=batch, input=input, profile_table=self._profile_table, watch=watch
        )
        before = unpassed_before(run, self._runs, self._config)
        run = replace(run, tables=self._tables, contacts=settings.contacts, quiet=hears_nothing(run, self._config, notify=notify))
        untold: tuple[str, ...] = ()
        try:
            if record:
                run = with_incidents(run, self._runs, self._feedback)
                self._record_ingest(run)
        finally:
            untold = self._notify(run, lambda: before) if notify else ()
        return replace(run, notes=(*run.notes, *untold))

    def _ingest_by(self, pipeline: Pipeline, rules: Any, *, snoozes: bool) -> Ingest:
        try:
            program: Program | None = self._programs.load(pipeline.name)
        except ProgramNotFoundError:
            program = None
        if rules is not None or program is None:
            checks = stated_rules(pipeline, rules)
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
        run = with_incidents(judgement.run, self._runs, self._feedback) if snoozes else judgement.run
        return replace(judgement, run=replace(run, tables=self._tables, contacts=settings.contacts))

    def deliver(
        self, judgement: Judgement, *, record: bool = True, notify: bool = True, report: Callable[[Run], None] | None = None
    ) -> tuple[str, ...]:
        """Write the report, keep the profile and (with `record`) the run; `DeliveryError` names all that failed and carries the run.

        Then (with `notify`) whom `notify:` of avh.yml names is told, whatever failed; of those who could not be told a sentence each is
        given back.
        """
        run = judgement.run
        before = unpassed_before(run, self._runs, self._config)
        quiet = hears_nothing(run, self._config, notify=notify)
        try:
            validating.deliver(replace(judgement, run=replace(run, quiet=quiet)), self._stores(record=record, snoozes=False), report)
        finally:
            untold = self._notify(run, lambda: before) if notify else ()
        return untold

    def is_empty_still(self, run: Run) -> bool:
        """Whether its batch has no rows and may be so (`severities: {empty: ...}`), as the newest run of it that was kept says already."""
        if (status := empty_status(run)) in (None, "fail"):
            return False
        with suppress(AvhError):  # where it cannot be read, the run is told once more
            return any((o.name, o.status) == (EMPTY, status) for kept in self.recent(run.pipeline, 1, [run.batch]) for o in kept.outcomes)
        return False

    def _stores(self, *, record: bool, snoozes: bool) -> Stores:
        return Stores(self._programs, self._history, self._runs if record else None, self._feedback if snoozes else None)

    def snoozes(self, pipeline: str) -> dict[str, str]:
        """What is snoozed now, in words by what alarmed; nothing where the review database cannot be read: then everything counts."""
        return validating.snoozes(self._feedback, self._config.pipeline(pipeline).name)

    def record(self, run: Run) -> int:
        """Keep a run where the app reads it; returns its id. `DeliveryError` when it cannot be written."""
        return self._runs.add(run)

    def recent(self, pipeline: str, limit: int = LOOKS_BACK, batches: Sequence[str] | None = None) -> list[RunSummary]:
        """The newest run of each of the batches validated last (of `batches`, where given), in natural order of the batches."""
        return self._runs.recent(self._config.pipeline(pipeline).name, limit, batches)

    def results(self, pipeline: str, limit: int = LOOKS_BACK) -> pa.Table:
        """The results of the newest run of each of the batches validated last, as a table for reports: `workflows.results`."""
        return results_table(self.newest(pipeline, limit))

    def newest(self, pipeline: str, limit: int) -> Iterator[Run]:
        """The newest run of each of the batches validated last, in natural order of the batches."""
        return (self._runs.load(pipeline, kept.id) for kept in self.recent(pipeline, limit))

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
        """Label an alarm, or snooze what alarmed for `days` from now. With an expected change the history of what changed begins anew, with
        the first of the batches that alarmed of it one after the other (`Feedback.change`). The key '' is all of a
        batch, also of one without a run.

        `NotFoundError` for a batch that is not in the history, where all of it is labelled; `ConflictError` when somebody said otherwise
        meanwhile (`expected`), `NotPermittedError` unless its author is reviewer or approver, `UsageError` for an unknown action, and a
        snooze that would end before it begins or be longer than the pipeline's `longest_snooze`.
        """
        return self.label(pipeline, [(batch, key)], action, by=by, why=why, days=days, expected=expected)[0]

    def label(
        self, pipeline: str, alarms: Sequence[tuple[str, str]], action: FeedbackAction, *, by: str | None = None, why: str = "",
        days: float = 0, expected: int | None = None,
    ) -> list[Feedback]:  # fmt: skip
        """`give_feedback` for several alarms, (batch, key) each, as those of one incident. A change is expected of all the batches that
        alarm of it, and taken back of all: those not named come last.
        """
        settings = self._config.pipeline(pipeline)
        who, now = self._people.require(by, "reviewer", "label alarms"), datetime.now(UTC)
        _check(settings, action, days)
        for batch in (batch for batch, key in alarms if not key):
            self._check_batch(settings.name, batch, action)
        until = (now + timedelta(days=days)).isoformat(timespec="seconds") if action == "snooze" else ""
        log, known = self._feedback.feedback(settings.name), self._history.batches(settings.name)
        change = changes_told(self._runs, settings.name, known, log) if action == "expected_change" else None
        whole = whole_changes(self._runs, settings.name, log, alarms, action)
        given: list[Feedback] = []
        try:
            for batch, key in whole:
                found = None if change is None else change(batch, key)
                told = until if found is None else found.text
                entry = Feedback(batch, key, action, who, now.isoformat(timespec="seconds"), why.strip(), told)
                given.append(self._feedback.give(settings.name, entry, expected if (batch, key) in alarms else None))
        finally:
            # What was given before one failed counts.
            if given:
                validating.tell_history(self._feedback, self._history, settings.name)
        return given

    def expect(
        self, pipeline: str, column: str | None, since: str, *, by: str | None = None, why: str = "", back: bool = False
    ) -> Feedback:
        """Say that a lasting change of a column (None: of the number of rows) that begins with the batch `since` is expected, alarm or not;
        with `back` take that back. Takes a reviewer; `NotFoundError` for a batch or a column that is not in the history.
        """
        name = self._config.pipeline(pipeline).name
        if since not in (known := self._history.batches(name)):
            raise NotFoundError(f"batch in the history of {name!r}", since, known)
        if column is not None:
            self._history.history(name).column(column)
        change = LastingChange(TABLE if column is None else column, since)
        return self.give_feedback(name, since, change.key, "unlabel" if back else "expected_change", by=by, why=why)

    def _check_batch(self, pipeline: str, batch: str, action: str) -> None:
        """All of a batch can be labelled where it is known."""
        if action in ("snooze", "wake"):
            raise UsageError("A whole batch cannot be snoozed.", hint="Snooze what alarms.")
        known = self._history.batches(pipeline)
        if batch not in known and not self._runs.recent(pipeline, 1, [batch]):
            raise NotFoundError(f"batch of {pipeline!r}", batch, known)

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
        return excluded_batches(log, ((run.batch, o.key) for run in latest for o in run.outcomes if o.status == "pass"))


def _check(pipeline: Pipeline, action: str, days: float) -> None:
    if action not in get_args(FeedbackAction):
        raise UsageError(f"There is no label {action!r}.", hint=f"Labels are {', '.join(get_args(FeedbackAction))}.")
    if action == "snooze" and days <= 0:
        raise UsageError(f"A snooze of {days:g} days would be over already.", hint="Give a number of days above 0.")
    if action == "snooze" and not days <= pipeline.longest_snooze:
        longest = f"{pipeline.longest_snooze:g} days, the longest_snooze of {pipeline.name!r} in avh.yml"
        raise UsageError(f"A snooze of {days:g} days is longer than {longest}.", hint="Snooze it again when it ends.")
