"""What the trial page is about: which fault a batch is broken by, the job that judges it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import param

from avh_ui.constraints.constraint import Verdict
from avh_ui.errors import AvhError
from avh_ui.issues.faults import CLASSES, SEVERITIES, TABLE, Fault
from avh_ui.metrics.profiler import Watch
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.incident_story import Cluster, Story
from avh_ui.ui.state.jobs import JobState
from avh_ui.ui.state.moved_rows import drawn
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import SessionState
from avh_ui.validator.alarms import judged
from avh_ui.validator.incidents import clusters, incidents_of
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.workflows.breaking import ways_of
from avh_ui.workflows.incidents import ToldIncident
from avh_ui.workflows.trials import Trial

# What most people fear first, and what a program should notice.
_FIRST = 0.5
# Older batches are rarely at the source any more; a year of a daily table is enough to choose from.
_BATCHES = 365


class TrialState(Observable):
    """`column` ('' = whole rows) of `batch` is broken by `fault` (`class: way`) in `share` of its rows. `trial` is the last one of the
    pipeline, None before the first; `problem` why one could not be made.
    """

    batch = param.String("")
    column = param.String("")
    fault = param.String("")
    share = param.String(f"{_FIRST:g}")
    trial = param.Parameter(None)
    problem = param.Parameter(None)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._of = ""
        self.job = TrialJob(session, lambda: (self.batch, self.chosen), self._adopt, lambda error: self.param.update(problem=error))

    def visit(self, address: Address | None = None) -> None:
        """The page is shown: the newest batch and the first fault, or what an address names."""
        session = self.session
        if self._of != session.pipeline:
            self._of = session.pipeline
            self.param.update(batch="", column="", fault="", problem=None, trial=None)
        if address is not None:
            self.param.update(
                batch=address["batch"] or self.batch, column=address["column"] or self.column, share=address["share"] or self.share
            )
            wanted = address["fault"]
            if wanted in CLASSES:
                # A cell of the coverage names a class: its first way stands for it.
                wanted = next((name for name in self.faults if name.startswith(f"{wanted}: ")), "")
            self.fault = wanted or self.fault
        self.settle()
        self.trial = session.services.trials.last(session.pipeline) if session.pipeline else None

    def settle(self) -> None:
        """Choose what there is in the place of what there is not."""
        batches = self.batches
        column = self.column if self.column in self.columns else TABLE
        self.param.update(batch=self.batch if self.batch in batches else batches[0] if batches else "", column=column)
        faults = self.faults
        self.param.update(
            fault=self.fault if self.fault in faults else faults[0],
            share=self.share if self.share in self.shares else f"{_FIRST:g}",
        )

    def choose(self, **what: str) -> None:
        """Take another batch, column, fault or share."""
        self.param.update(**what)
        self.settle()

    @property
    def batches(self) -> list[str]:
        """Those to choose from, the newest first."""
        history = self.session.history
        return list(history.batches[-_BATCHES:][::-1]) if history is not None else []

    @property
    def columns(self) -> list[str]:
        """Whole rows, then the columns of the data."""
        history = self.session.history
        found = history.columns.items() if history is not None else ()
        return [TABLE, *(name for name, column in found if column.kind not in ("skipped", "rows"))]

    @property
    def faults(self) -> list[str]:
        """The faults of the column chosen."""
        history = self.session.history
        found = history.columns.get(self.column) if history is not None and self.column else None
        return [f"{cls}: {way}" for cls, way in ways_of(None if found is None else found.kind)]

    @property
    def shares(self) -> list[str]:
        """The shares of the rows, as texts."""
        return [f"{severity:g}" for severity in SEVERITIES]

    @property
    def chosen(self) -> Fault:
        """The fault as it is chosen."""
        cls, _, way = self.fault.partition(": ")
        return Fault(self.column, next(one for one in CLASSES if one == cls), float(self.share), way)

    @property
    def moved(self) -> dict[str, Any]:
        """The rows that the fault changed, as the table shows them; of whole rows those that the sentence above counts."""
        found = self.trial
        if found is None:
            return {}
        changed = found.changed
        made = drawn(changed.moved, f"{found.batch} with the fault", changed.against or f"{found.batch} as it is")
        if made and changed.against:
            made["note"] += f" Without the fault it would be {f'{changed.without:,}' if changed.without else 'none'}."
        return made

    def start(self) -> None:
        """Break the batch and judge it, away from the event loop."""
        if self.batch:
            self.problem = None
            self.job.start()

    def _adopt(self, found: Trial) -> None:
        if found.pipeline == self.session.pipeline:
            self.param.update(trial=found, problem=None)


def story_of(found: Trial) -> Story | None:
    """What an incident of the trial's alarms would tell; None where nothing alarms."""
    this = judged(found.batch, found.run.row_count, found.alarms)
    incident = next(iter(incidents_of([this])), None)
    if incident is None:
        return None
    by_key = {Outcome.of(result).key: _bare(result, found) for result in found.alarms}
    places = {key: place for place, key in enumerate(by_key)}
    alarms = sorted(this.alarms, key=lambda alarm: places[alarm.key])
    told = tuple(Cluster(some, by_key[some[0].key]) for some in clusters(alarms))
    return Story(ToldIncident(incident, results=found.alarms, rows=found.rows), clusters=told, contributions=found.changed.carried)


def _bare(result: RuleResult | Verdict, found: Trial) -> RuleResult | Verdict:
    """What alarms without the rows that moved since the batch before: the table tells those that the fault changed, beside the batch as it
    is. Both together named a row twice, with two values before.
    """
    if not isinstance(result, Verdict) or result.moved is None or found.fault.column == TABLE or found.changed.moved is None:
        return result
    message = result.message
    for told in filter(None, (result.moved.listed, result.moved.said)):
        message = message.replace(f" {told}", "")
    return replace(result, message=message, moved=None)


class TrialJob(JobState):
    """Breaking a batch and judging it."""

    kind = "try faults"
    changes = False

    def __init__(
        self,
        session: SessionState,
        chosen: Callable[[], tuple[str, Fault]],
        adopt: Callable[[Trial], None],
        failed: Callable[[AvhError], object],
        **params: Any,
    ) -> None:
        super().__init__(session, **params)
        self._chosen, self._adopt, self._failed = chosen, adopt, failed

    def _begun(self) -> Callable[[str, Watch], Any]:
        # What is chosen when it begins is tried, whatever is chosen meanwhile.
        batch, fault = self._chosen()
        session = self.session
        return lambda pipeline, watch: session.services.trials.trial(pipeline, batch, fault, by=session.actor, watch=watch)

    def _done(self, pipeline: str, outcome: Any) -> None:  # noqa: ARG002 (of another pipeline it is kept there)
        self._adopt(outcome)

    def _refused(self, error: AvhError) -> None:
        self._failed(error)

    def _cancelled(self, pipeline: str) -> str:
        return f"The trial on {pipeline} was cancelled; nothing was kept."
