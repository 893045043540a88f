"""Runs and alarms: what each validation found, the alarm looked at, and what people say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import param

from avh_ui.constraints.constraint import Verdict
from avh_ui.errors import AvhError
from avh_ui.review.feedback import Feedback, FeedbackAction, last_entry, snoozed, standing_labels
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.alarm_grid import WHOLE, AlarmGrid, alarm_grid
from avh_ui.ui.state.exports import csv_text
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.spoken import named, spoken
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.run import Run, RunSummary
from avh_ui.workflows.services import Services
from avh_ui.workflows.what_if import NextBounds

SNOOZES = {"a day": 1.0, "a week": 7.0, "a month": 30.0}
DONE: dict[FeedbackAction, str] = {
    "false_alarm": "Labelled as a false alarm",
    "expected_change": "Labelled as an expected change",
    "known_error": "Labelled as a known error",
    "real_issue": "Labelled as a real issue",
    "unlabel": "The label is taken back",
    "snooze": "Snoozed",
    "wake": "Not snoozed any more",
}


@dataclass(frozen=True)
class LoadedRuns:
    """What was read of one pipeline; `problem` when it could not be."""

    pipeline: str
    runs: tuple[RunSummary, ...] = ()
    log: tuple[Feedback, ...] = ()
    excluded: tuple[str, ...] = ()
    profiled: tuple[str, ...] = ()
    problem: AvhError | None = None


class RunsState(Observable):
    """`runs` are the newest of each batch in batch order, `batch` and `key` the alarm looked at (key '' = the whole run).

    `run` is the run of `batch` with its sentences, None while it is read.
    """

    phase: param.Selector[str] = param.Selector(default="idle", objects=["idle", "loading", "ready", "nothing", "failed"])
    runs = param.Parameter(())
    log = param.Parameter(())
    excluded = param.Parameter(())
    profiled = param.Parameter((), doc="the batches whose profile is kept; a session's history may be older than a run")
    batch = param.String("")
    key = param.String("")
    run = param.Parameter(None)
    problem = param.Parameter(None)
    next_bounds = param.Parameter(
        None, doc="the bounds of the next suggestion with and without the batch, None where nothing is known of them"
    )

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._of = ("", -1)  # which pipeline was read, and after which load of the session
        self._wanted: Address | None = None
        self._grid: AlarmGrid | None = None
        self.param.watch(self._forget_grid, ["runs", "log"])
        self.param.watch(lambda *_: self._look_ahead(), ["key", "run", "excluded"])

    def _forget_grid(self, *_: Any) -> None:
        self._grid = None

    def visit(self, address: Address | None = None) -> None:
        """The tab is shown: read the runs unless they are there; an address names the alarm to look at."""
        self._wanted = address if address and (address["batch"] or address["alarm"]) else self._wanted
        of = (self.session.pipeline, self.session.loads)
        if not self.session.pipeline:
            self.phase = "nothing"
        elif of != self._of:
            self._of = of
            self.param.update(phase="loading", problem=None)
            pipeline, services = self.session.pipeline, self.session.services
            self.session.run(lambda: _load(services, pipeline), self._adopt)
        elif self._wanted:
            self._look_at_wanted()

    def _adopt(self, loaded: LoadedRuns) -> None:
        if loaded.pipeline != self.session.pipeline:
            return
        phase = "failed" if loaded.problem else "ready" if loaded.runs else "nothing"
        read = {"runs": loaded.runs, "log": loaded.log, "excluded": loaded.excluded, "profiled": loaded.profiled}
        self.param.update(**read, problem=loaded.problem, phase=phase, run=None)
        if not loaded.runs:
            self.param.update(batch="", key="")
            return
        if self._wanted or self.batch not in {run.batch for run in loaded.runs}:
            self._look_at_wanted()
        else:
            self.go(self.batch, self.key)

    def _look_at_wanted(self) -> None:
        wanted, self._wanted = self._wanted, None
        batches = [run.batch for run in self.runs]
        if wanted and wanted["batch"] in batches:
            self.go(wanted["batch"], wanted["alarm"])
            return
        if wanted and wanted["batch"]:
            self.session.tell("warning", f"There is no run of batch {wanted['batch']!r}.")
        batch = next((run.batch for run in reversed(self.runs) if run.alarms), batches[-1] if batches else "")
        self.go(batch, "")

    # What is seen

    @property
    def grid(self) -> AlarmGrid:
        """Constraints over runs, those with open alarms first."""
        if self._grid is None:
            self._grid = alarm_grid(self.runs, self.log, _now())
        return self._grid

    @property
    def summary(self) -> RunSummary | None:
        """The run of the batch looked at."""
        return next((run for run in self.runs if run.batch == self.batch), None)

    @property
    def outcome(self) -> Outcome | None:
        """The result looked at; None for the whole run, and where the run did not judge it."""
        summary = self.summary
        return None if summary is None else next((o for o in summary.outcomes if o.key == self.key), None)

    @property
    def result(self) -> RuleResult | Verdict | None:
        """The result looked at with its sentence, once the run is read."""
        if self.run is None or self.run.batch != self.batch:
            return None
        found: Sequence[RuleResult | Verdict] = self.run.results
        return next((r for r in found if Outcome.of(r).key == self.key), None)

    @property
    def label(self) -> Feedback | None:
        """The label that stands on the alarm looked at."""
        return standing_labels(self.log).get((self.batch, self.key))

    @property
    def snooze(self) -> Feedback | None:
        """The snooze that holds for what alarmed."""
        return snoozed(self.log, _now()).get(self.key)

    @property
    def open_alarms(self) -> int:
        """How many alarms nobody has labelled or snoozed."""
        return self.grid.open

    @property
    def labelled_here(self) -> bool:
        """Whether there is something to say of the result looked at: it alarms, or has a label that was not settled by passing since."""
        outcome, summary = self.outcome, self.summary
        if outcome is None or summary is None:
            return False
        return outcome.alarms(summary.rows) or (self.label is not None and outcome.status != "pass")

    # Moving

    def go(self, batch: str, key: str) -> None:
        """Look at an alarm; with key '' the first alarm of the run."""
        summary = next((run for run in self.runs if run.batch == batch), None)
        if summary is None:
            return
        if not key or all(key != o.key for o in summary.outcomes):
            key = key if key in self.grid.places and key != WHOLE else next((o.key for o in summary.alarms), "")
        self.param.update(batch=batch, key=key)
        if self.run is None or self.run.batch != batch:
            self._read(summary)

    def pick(self, row: int, column: int) -> None:
        """A cell of the grid was chosen; of a row's name, its newest alarm."""
        grid = self.grid
        key = grid.rows[row].key
        if column < 0:
            column = max(grid.alarms_of(row), default=len(grid.batches) - 1)
        self.go(grid.batches[column], "" if key == WHOLE else key)

    def move(self, step: int) -> None:
        """To the alarm (or result) of the next row, in the order of the grid, on the same batch."""
        places = self.grid.places
        at = places.get(self.key, 0) + step
        keys = list(places)
        if keys and 0 <= at < len(keys):
            self.param.update(key="" if keys[at] == WHOLE else keys[at])

    def turn(self, step: int) -> None:
        """To the next run."""
        batches = [run.batch for run in self.runs]
        if self.batch in batches:
            at = min(max(batches.index(self.batch) + step, 0), len(batches) - 1)
            if batches[at] != self.batch:
                self.param.update(batch=batches[at])
                self._read(self.runs[at])

    def _read(self, summary: RunSummary) -> None:
        services, pipeline = self.session.services, self.session.pipeline

        def adopt(found: Run) -> None:
            if found.batch == self.batch:
                self.run = found

        self.session.attempt(lambda: services.runs.load(pipeline, summary.id), adopt)

    def _look_ahead(self) -> None:
        """What the next suggestion would have for the alarm looked at, away from the event loop."""
        result, (pipeline, batch, key) = self.result, (self.session.pipeline, self.batch, self.key)
        self.next_bounds = None
        if not isinstance(result, Verdict) or result.status == "pass":
            return
        constraint, services = result.constraint, self.session.services

        def adopt(found: NextBounds | None) -> None:
            if (self.session.pipeline, self.batch, self.key) == (pipeline, batch, key):
                self.next_bounds = found

        # Nothing is known where no suggestion run was kept, or not of this column.
        self.session.attempt(lambda: services.suggestions.next_bounds(pipeline, constraint, batch), adopt, lambda _: adopt(None))

    def results_csv(self) -> str:
        """The results of the run looked at as CSV, with what was said of its alarms."""
        header = ("batch", "column", "name", "status", "observed", "lower", "upper", "message", "label", "by", "why")
        labels, rows = standing_labels(self.log), []
        for result in self.run.results if self.run is not None else ():
            about, said = Outcome.of(result), labels.get((self.batch, Outcome.of(result).key))
            numbers = (result.observed, result.lower, result.upper) if isinstance(result, Verdict) else (None, None, None)
            words = (said.action, said.by, said.why) if said else ("", "", "")
            rows.append((self.batch, about.column, about.name, about.status, *numbers, result.message, *words))
        return csv_text(header, rows)

    # Saying

    @property
    def unlabelled(self) -> tuple[str, ...]:
        """What alarms in the run looked at and has no label yet."""
        said = standing_labels(self.log)
        return tuple(o.key for o in self.summary.alarms if (self.batch, o.key) not in said) if self.summary is not None else ()

    def say(self, action: FeedbackAction, why: str = "", days: float = 0, *, every: bool = False) -> bool:
        """Label or snooze the alarm looked at, or with `every` also those of the run that have no label. Whether it was recorded."""
        if self.outcome is None or not self.labelled_here:
            self.session.tell("info", "There is no alarm here to label.")
            return False
        session, about = self.session, self.outcome
        keys = dict.fromkeys((about.key, *(self.unlabelled if every else ())))

        def write() -> None:
            for key in keys:
                self._record(key, action, why, days)

        kept = session.record(write, again=lambda: None)
        self._reread()
        if not kept:
            return False
        others = f" and {count(len(keys) - 1, 'other')}" if len(keys) > 1 else ""
        called, metric = named(about, spoken(session))
        session.said = f"{DONE[action]}: {called}{f' ({metric})' if metric else ''}{others} on {self.batch}"
        session.tell("success", session.said)
        return True

    def _record(self, key: str, action: FeedbackAction, why: str, days: float) -> None:
        session = self.session
        last = last_entry(self.log, self.batch, key, label=action not in ("snooze", "wake"))
        give, seen = session.services.runs.give_feedback, last.seq if last else 0
        give(session.pipeline, self.batch, key, action, by=session.actor, why=why, days=days, expected=seen)

    def _reread(self) -> None:
        services, pipeline = self.session.services, self.session.pipeline
        self.param.update(log=tuple(services.runs.feedback(pipeline)), excluded=tuple(services.runs.excluded(pipeline)))
        self.session.param.update(log=self.log, excluded=self.excluded)


def _load(services: Services, pipeline: str) -> LoadedRuns:
    try:
        runs, profiled = services.runs, tuple(services.batches.names(pipeline))
        return LoadedRuns(pipeline, tuple(runs.recent(pipeline)), tuple(runs.feedback(pipeline)), tuple(runs.excluded(pipeline)), profiled)
    except AvhError as error:
        return LoadedRuns(pipeline, problem=error)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
