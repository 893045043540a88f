"""The incidents of a pipeline, the one looked at, what is known of its cause, and what people do with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param

from avh_ui.errors import AvhError
from avh_ui.history.series import batch_order
from avh_ui.metrics.contributions import Contribution
from avh_ui.metrics.group_means import means_moved
from avh_ui.metrics.moved import Moved
from avh_ui.review.feedback import EXCLUDING, Feedback, FeedbackAction, Label, standing_labels
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.incident_story import Story, story_of
from avh_ui.ui.state.moved_rows import drawn
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.stories_ahead import NEWEST, StoriesAhead
from avh_ui.validator.alarms import Alarm
from avh_ui.validator.incidents import Incident

# Of each batch: their averages are told to a hundredth, and they are read within a second.
_ROWS = 20_000


def _tells(rows: Moved) -> bool:
    """Whether these rows are others than all, or did what can be said."""
    return bool(rows.alike) or rows.group is not None or rows.count < rows.among


class IncidentsState(Observable):
    """`incidents` are the newest first, `chosen` the id of the one looked at, `story` what is known of it (None while it is read).

    `column` is whose distribution is shown; `unresolved` lists those alone that ask for somebody. `carried` is whose average of that column
    changed, told from the rows of both batches once somebody asks (None: nobody did), which are read while `reading`.
    """

    phase: param.Selector[str] = param.Selector(default="idle", objects=["idle", "loading", "ready", "nothing", "failed"])
    incidents = param.Parameter(())
    chosen = param.String("")
    column = param.String("")
    story = param.Parameter(None)
    unresolved = param.Boolean(False)
    carried = param.Parameter(None)
    reading = param.Boolean(False)
    begun = param.Dict({}, doc="by incident the sentence that its page begins with, of those whose story was read")
    problem = param.Parameter(None)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._of: tuple[Any, ...] = ()
        self.ahead = StoriesAhead(session, self._unread, lambda name, said: setattr(self, "begun", {**self.begun, name: said}))
        self._wanted: Address | None = None
        self.param.watch(lambda *_: setattr(self, "carried", None), "column")

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
            self.param.update(phase="loading", problem=None, begun={})
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
        self.param.update(chosen=name, story=None, carried=None)
        session = self.session
        services, pipeline, history = session.services, session.pipeline, session.history

        def adopt(found: Story) -> None:
            if (self.session.pipeline, self.chosen) == (pipeline, name):
                columns = [column for cluster in found.clusters for column in cluster.columns if column]
                first = found.mover.column if found.mover is not None else columns[0] if columns else ""
                self.param.update(column=first, story=found, begun={**self.begun, name: found.begun})
                self.ahead.read()

        session.attempt(lambda: story_of(services, pipeline, name, history), adopt)

    def _unread(self) -> list[str]:
        """The newest incidents whose stories were not read."""
        return [one.id for one in self.incidents[:NEWEST] if one.id not in self.begun]

    @property
    def askable(self) -> bool:
        """Whether the rows have more to say of the column looked at: numbers on both sides, that no key matches nor rule of rows tells."""
        story, name = self.story, self.column
        if story is None or story.comparison is None or story.contributions or any(one.moved or one.shared for one in story.clusters):
            return False
        sides = (story.comparison.ours.columns.get(name), story.comparison.theirs.columns.get(name))
        return self.carried is None and all(side is not None and side.kind == "numeric" for side in sides)

    def ask_rows(self) -> None:
        """Whose average of the column looked at changed: rows of both batches are read at their source, away from the event loop."""
        session, story, column, name = self.session, self.story, self.column, self.chosen
        if not self.askable or self.reading:
            return
        batches, pipeline = session.services.batches, session.pipeline

        def work() -> tuple[Contribution, ...]:
            ours, theirs = (batches.sample(pipeline, batch, _ROWS) for batch in (story.incident.told_by, story.against))
            return tuple(means_moved(ours, theirs, column))

        def adopt(found: tuple[Contribution, ...]) -> None:
            there = (self.chosen, self.column) == (name, column)
            self.param.update(reading=False, **({"carried": found} if there else {}))
            session.said = f"{count(len(found), 'value')} {'carries' if len(found) == 1 else 'carry'} the change of {column}"

        def refuse(error: AvhError) -> None:
            self.reading = False
            session.tell("error", str(error))

        self.reading = True
        session.attempt(work, adopt, refuse)

    def move(self, step: int) -> None:
        """To the next incident of the list."""
        names = [one.id for one in self.listed]
        if self.chosen in names:
            self.look(names[min(max(names.index(self.chosen) + step, 0), len(names) - 1)])

    @property
    def moved(self) -> dict[str, Any]:
        """The rows behind the first cluster, else those of the column that moved farthest, as the table shows them."""
        story = self.story
        found = (*(one.moved for one in story.clusters), story.mover_rows) if story is not None else ()
        # That all rows changed, as counts do each day, says nothing of what an incident begins with.
        rows = next((one for k, one in enumerate(found) if one is not None and one.rows and (not k or _tells(one))), None)
        return {} if story is None or rows is None else drawn(rows, story.incident.told_by, story.against)

    @property
    def unlabelled(self) -> tuple[Alarm, ...]:
        """The alarms of the incident looked at without a label."""
        found, said = self.incident, standing_labels(self.session.log)
        return () if found is None else tuple(a for a in found.alarms if (a.batch, a.key) not in said)

    @property
    def standing(self) -> dict[tuple[str, str], Feedback]:
        """The labels that hold of the alarms of the incident looked at, and of all of their batches."""
        found = self.incident
        about = set() if found is None else {*((a.batch, a.key) for a in found.alarms), *((batch, "") for batch in found.batches)}
        return {which: entry for which, entry in standing_labels(self.session.log).items() if which in about}

    @property
    def first_key(self) -> str:
        """Of the rule that the incident looked at begins with: the most surprising one, once its story is read."""
        found = self.story.clusters if self.story is not None else ()
        return found[0].alarms[0].key if found else ""

    @property
    def ruled(self) -> bool:
        """Whether that rule is a suggestion of the draft, whose bounds can be changed there."""
        return self.session.draft is not None and self.first_key in self.session.draft.by_rule

    def label_of(self, incident: Incident) -> str:
        """What people said an incident was, last; '' where nobody did."""
        about = {*((a.batch, a.key) for a in incident.alarms), *((batch, "") for batch in incident.batches)}
        said = [entry for which, entry in standing_labels(self.session.log).items() if which in about]
        return max(said, key=lambda entry: entry.seq).action if said else ""

    def untold(self, incident: Incident) -> bool:
        """Whether it is over by itself: it passes again, and nobody labelled an alarm or a batch of it, or resolved it."""
        if incident.ended is None or incident.state != "resolved":
            return False
        log = self.session.log
        labelled = {batch for batch, key in standing_labels(log) if not key or key in incident.keys}
        return labelled.isdisjoint(incident.batches) and not any(
            entry.action == "resolve" and entry.key in incident.keys and entry.batch == incident.last for entry in log
        )

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
            self.session.tell("info", "Every alarm of this incident has a label: take it back to give another.")
            return False

        kept = self.session.record(lambda: self._give([(alarm.batch, alarm.key) for alarm in alarms], label, why))
        return self._said(f"Labelled {count(len(alarms), 'alarm')}") if kept else False

    def take_back(self, why: str = "") -> bool:
        """Take back every label of the incident, and of its batches as a whole; whether it was recorded."""
        return self._take_back(list(self.standing), "this incident", why)

    def say_of_batch(self, batch: str, label: Label | None, why: str = "") -> bool:
        """Label all of a batch, also of one that was never validated; None takes every label of it back. Whether it was recorded."""
        batch = batch.strip()
        if not batch:
            self.session.tell("info", "Which batch? Name it.")
            return False
        if label is None:
            return self._take_back([which for which in standing_labels(self.session.log) if which[0] == batch], f"batch {batch}", why)
        kept = self.session.record(lambda: self._give([(batch, "")], label, why))
        learned = "nothing is learned from it" if label in EXCLUDING else "it is learned from"
        return self._said(f"Labelled batch {batch}: {learned}") if kept else False

    @property
    def labelled_whole(self) -> tuple[Feedback, ...]:
        """The labels that hold of all of a batch that is of no incident, the newest batch first: nothing else here tells of them."""
        there = {batch for one in self.incidents for batch in one.batches}
        found = [entry for (batch, key), entry in standing_labels(self.session.log).items() if not key and batch not in there]
        return tuple(sorted(found, key=lambda entry: batch_order(entry.batch), reverse=True))

    def _take_back(self, labelled: Sequence[tuple[str, str]], of: str, why: str) -> bool:
        if not labelled:
            self.session.tell("info", f"Nothing is labelled of {of}.")
            return False
        kept = self.session.record(lambda: self._give(labelled, "unlabel", why))
        return self._said(f"Took {count(len(labelled), 'label')} of {of} back") if kept else False

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
