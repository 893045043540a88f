"""The incidents of a pipeline, the one looked at, what is known of its cause, and what people do with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import param

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import AvhError
from avh_ui.history.series import History
from avh_ui.metrics.contributions import Contribution, of_numbers, of_rows
from avh_ui.metrics.moved import Moved
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.review.feedback import FeedbackAction, Label, standing_labels
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.comparison import Comparison
from avh_ui.ui.state.moved_rows import drawn
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.validator.incidents import Alarm, Incident, clusters
from avh_ui.validator.moved_rows import headline
from avh_ui.validator.run import Outcome, RuleResult
from avh_ui.workflows.incidents import ToldIncident
from avh_ui.workflows.services import Services

# Of more clusters nobody reads the rows.
_EXPLAINED = 3


@dataclass(frozen=True)
class Cluster:
    """Alarms of the first batch that have something in common, the most surprising result of them, and its rows."""

    alarms: tuple[Alarm, ...]
    result: RuleResult | Verdict
    moved: Moved | None = None

    @property
    def fact(self) -> str:
        """What happened: to which rows where that is known, else what the result says."""
        if len(self.columns) > 1 and isinstance(self.result, RuleResult):
            return f"{count(len(self.columns), 'column')} alike: {self.result.message}"
        first = headline(self.result.constraint, self.moved) if isinstance(self.result, Verdict) else ""
        return first or self.result.message

    @property
    def measured(self) -> str:
        """What the result says beside the fact, without the rows that it names: they stand in a table."""
        said = self.result.message.removeprefix(self.fact)
        for told in (self.moved.said, self.moved.listed.partition(":")[0]) if self.moved is not None else ():
            said = said.partition(told)[0] if told else said
        return said.strip()

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns; '' is the table."""
        return tuple(dict.fromkeys(alarm.column for alarm in self.alarms))

    @property
    def places(self) -> tuple[str, ...]:
        """The same for people: rules of several columns, and queries, in words."""
        return tuple(dict.fromkeys(alarm.place for alarm in self.alarms))


@dataclass(frozen=True)
class Story:
    """What is known of an incident: its first batch beside `against` ('' where there is none before), by clusters, and who carries it."""

    told: ToldIncident
    against: str = ""
    clusters: tuple[Cluster, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    comparison: Comparison | None = None

    @property
    def incident(self) -> Incident:
        """The incident."""
        return self.told.incident


def story_of(services: Services, pipeline: str, name: str, history: History | None) -> Story:
    """Read all that is known of an incident; what a history or a sample of rows lacks is left out."""
    told = services.incidents.incident(pipeline, name)
    first = told.incident.since
    baselines = dict(zip(history.batches, history.baselines, strict=False)) if history is not None else {}
    at = history.batches.index(first) if history is not None and first in history.batches else 0
    against = (baselines.get(first) or (history.batches[at - 1] if at else "")) if history is not None else ""
    by_key = {Outcome.of(result).key: result for result in told.results}
    places = {key: place for place, key in enumerate(by_key)}
    alarms = sorted((alarm for alarm in told.incident.on(first) if alarm.key in by_key), key=lambda alarm: places[alarm.key])
    found = [Cluster(some, by_key[some[0].key]) for some in clusters(alarms)]
    if not against:
        return Story(told, "", tuple(found))
    sides = [services.batches.view(pipeline, span=batch) for batch in (first, against)]
    comparison = Comparison(sides[0], sides[1], history)
    ours, theirs = (sample_in(side.columns) for side in sides)
    if ours is not None and theirs is not None:
        found = [_with_rows(services, pipeline, one, first, against) if k < _EXPLAINED else one for k, one in enumerate(found)]
    carried: list[Contribution] = []
    if found and any(alarm.of_rows and not alarm.column for alarm in found[0].alarms):
        carried = of_rows(sides[0].columns, sides[1].columns)
    elif found and ours is not None and theirs is not None:
        carried = of_numbers(ours, theirs, found[0].alarms[0].column.partition(" by ")[0])
    return Story(told, against, tuple(found), tuple(carried), comparison)


def _with_rows(services: Services, pipeline: str, one: Cluster, batch: str, against: str) -> Cluster:
    if not isinstance(one.result, Verdict) or declaration_of(one.result.constraint.metric, one.result.constraint.kind) is None:
        return one
    constraint = one.result.constraint
    moved = services.batches.moved_rows(pipeline, batch, against, column=constraint.column, metric=constraint.metric)
    return Cluster(one.alarms, one.result, moved)


class IncidentsState(Observable):
    """`incidents` are the newest first, `chosen` the id of the one looked at, `story` what is known of it (None while it is read).

    `column` is whose distribution is shown; `unresolved` lists those alone that ask for somebody.
    """

    phase: param.Selector[str] = param.Selector(default="idle", objects=["idle", "loading", "ready", "nothing", "failed"])
    incidents = param.Parameter(())
    chosen = param.String("")
    column = param.String("")
    story = param.Parameter(None)
    unresolved = param.Boolean(False)
    problem = param.Parameter(None)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._of: tuple[Any, ...] = ()
        self._wanted: Address | None = None

    def visit(self, address: Address | None = None) -> None:
        """The page is shown: read the incidents unless they are there; an address names one, or a batch and a column of one."""
        wanted = address is not None and (address["incident"] or address["batch"])
        self._wanted = address if wanted else self._wanted
        session = self.session
        of = (session.pipeline, session.loads, session.log)
        if not session.pipeline:
            self.phase = "nothing"
        elif of != self._of:
            self._of = of
            self.param.update(phase="loading", problem=None)
            pipeline, services = session.pipeline, session.services
            session.attempt(lambda: services.incidents.incidents(pipeline), self._adopt, self._refused)
        elif self._wanted is not None:
            self._look_at_wanted()

    def _adopt(self, found: list[Incident]) -> None:
        self.param.update(incidents=tuple(found), phase="ready" if found else "nothing", story=None)
        if self._wanted is not None or self.chosen not in {one.id for one in found}:
            self._look_at_wanted()
        else:
            self.look(self.chosen)

    def _refused(self, error: AvhError) -> None:
        self.param.update(phase="failed", problem=error)

    def _look_at_wanted(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            found = self.find(wanted["incident"], wanted["batch"], wanted["column"])
            if found is not None:
                self.look(found.id)
                return
            what = f"incident {wanted['incident']!r}" if wanted["incident"] else f"incident on batch {wanted['batch']!r}"
            self.session.tell("warning", f"There is no {what}.")
        first = next((one for one in self.incidents if one.state != "resolved"), self.incidents[0] if self.incidents else None)
        if first is not None:
            self.look(first.id)

    def find(self, name: str = "", batch: str = "", column: str = "") -> Incident | None:
        """An incident by its id, else one with alarms on a batch: of a column where one is named and has some."""
        if name:
            return next((one for one in self.incidents if one.id == name), None)
        there = [one for one in self.incidents if batch in one.batches]
        return next((one for one in there if any(a.column == column for a in one.on(batch))), there[0] if there else None)

    @property
    def listed(self) -> tuple[Incident, ...]:
        """Those in the list."""
        return tuple(one for one in self.incidents if not self.unresolved or one.state != "resolved" or one.id == self.chosen)

    @property
    def incident(self) -> Incident | None:
        """The one looked at."""
        return next((one for one in self.incidents if one.id == self.chosen), None)

    @property
    def open(self) -> int:
        """How many ask for somebody."""
        return sum(one.state != "resolved" for one in self.incidents)

    def look(self, name: str) -> None:
        """At an incident by its id: what is known of it is read away from the event loop."""
        self.param.update(chosen=name, story=None)
        session = self.session
        services, pipeline, history = session.services, session.pipeline, session.history

        def adopt(found: Story) -> None:
            if (self.session.pipeline, self.chosen) == (pipeline, name):
                columns = [column for cluster in found.clusters for column in cluster.columns if column]
                self.param.update(column=columns[0] if columns else "", story=found)

        session.attempt(lambda: story_of(services, pipeline, name, history), adopt)

    def move(self, step: int) -> None:
        """To the next incident of the list."""
        names = [one.id for one in self.listed]
        if self.chosen in names:
            self.look(names[min(max(names.index(self.chosen) + step, 0), len(names) - 1)])

    @property
    def moved(self) -> dict[str, Any]:
        """The rows behind the first cluster, as the table shows them."""
        story = self.story
        rows = next((one.moved for one in story.clusters if one.moved is not None and one.moved.rows), None) if story is not None else None
        return {} if rows is None else drawn(rows, story.incident.since, story.against)

    @property
    def unlabelled(self) -> tuple[Alarm, ...]:
        """The alarms of the incident looked at without a label."""
        found, said = self.incident, standing_labels(self.session.log)
        return () if found is None else tuple(a for a in found.alarms if (a.batch, a.key) not in said)

    # Saying

    def tell(self, done: str, **said: Any) -> bool:
        """Say whose it is, close it, open it again or comment on it; whether it was recorded. `done` is what is told then."""
        session, name = self.session, self.chosen
        if self.incident is None:
            return False
        kept = session.record(lambda: session.services.incidents.tell_incident(session.pipeline, name, by=session.actor, **said))
        return self._said(done) if kept else False

    def say(self, label: Label, why: str = "") -> bool:
        """Label all alarms of the incident that have no label; whether it was recorded."""
        alarms = self.unlabelled
        if not alarms:
            self.session.tell("info", "Every alarm of this incident has a label: take it back on the page of runs to give another.")
            return False

        kept = self.session.record(lambda: self._give([(alarm.batch, alarm.key) for alarm in alarms], label, why))
        return self._said(f"Labelled {count(len(alarms), 'alarm')}") if kept else False

    def say_of_batch(self, batch: str, label: FeedbackAction, why: str = "") -> bool:
        """Label all of a batch, also of one that was never validated; whether it was recorded."""
        batch = batch.strip()
        if not batch:
            self.session.tell("info", "Which batch? Name it.")
            return False
        kept = self.session.record(lambda: self._give([(batch, "")], label, why))
        return self._said(f"Labelled batch {batch}") if kept else False

    def _give(self, alarms: Sequence[tuple[str, str]], label: FeedbackAction, why: str) -> None:
        session = self.session
        session.services.runs.label(session.pipeline, alarms, label, by=session.actor, why=why)

    def _said(self, done: str) -> bool:
        """Read anew what it changed."""
        session = self.session
        session.said = done
        session.tell("success", done)
        runs, pipeline = session.services.runs, session.pipeline
        session.param.update(log=tuple(runs.feedback(pipeline)), excluded=tuple(runs.excluded(pipeline)))
        self.visit()
        return True
