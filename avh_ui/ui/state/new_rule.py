"""A rule that is being made: what is picked and typed, its sentence, and how it would have fared on the history, while it is typed."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.constraints.check import Check
from avh_ui.constraints.check_records import check_of
from avh_ui.errors import AvhError
from avh_ui.metrics.asked import metrics_of
from avh_ui.metrics.column import Kind
from avh_ui.review.draft import Draft
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.jobs import JobState
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.rule_form import BY_NAME, CHOICES, LABELS, RuleChoice, UnfinishedError, no_tables, record_of
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.measuring_rules import TriedRules
from avh_ui.workflows.stating import Weighed

TYPED = tuple(LABELS)


class NewRuleState(Observable):
    """`opened` shows the form. `problem` says what is wrong, `missing` what is not typed yet; `found` is the rule that would be saved, None
    while there is none. `busy` while the history is asked, `saving` while it is added.
    """

    opened = param.Boolean(False)
    columns = param.Parameter((), doc="what it is of; none: the table")
    choice = param.String("has", doc="the name of a choice")
    level: param.Selector[str] = param.Selector(default="error", objects=["error", "warning"])
    typed = param.Dict({}, doc="what stands in the fields, by name")
    known = param.Parameter({}, doc="the columns there are, with their kinds")
    problem = param.String("")
    missing = param.String("")
    found = param.Parameter(None)
    busy = param.Boolean(False)
    saving = param.Boolean(False)

    def __init__(self, session: SessionState, queue: QueueState, decisions: Decisions, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.queue, self.decisions = session, queue, decisions
        self.check: Check | None = None
        self._again = False
        session.param.watch(lambda *_: self._leave(), "pipeline")
        session.param.watch(lambda *_: self._loaded(), "loads")

    @property
    def refusal(self) -> str:
        """Why this person may not add rules; '' for who may."""
        return self.session.refusal("reviewer", "add rules")

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of the columns that are picked."""
        return [self.known[name] for name in self.columns if name in self.known]

    def choices(self) -> list[RuleChoice]:
        """What can be said of what is picked."""
        return [choice for choice in CHOICES if choice.fits(self.kinds) and (choice.name != "has" or self.metrics())]

    @property
    def tables(self) -> tuple[str, ...]:
        """The other tables that a rule can refer to."""
        return tuple(self.session.services.pipeline(self.session.pipeline).references) if self.session.pipeline else ()

    def metrics(self) -> dict[str, str]:
        """The metrics that what is picked has, by name, in words."""
        return {metric.name: metric.description for metric in metrics_of(self.kinds)}

    def open(self) -> None:
        """Show the form; of a column that is looked at, for it."""
        session, pipeline = self.session, self.session.pipeline
        item = self.queue.item

        def show(known: dict[str, Kind]) -> None:
            if pipeline != session.pipeline:
                return
            at = item.current.column if item is not None else ""
            self.param.update(known=known, columns=(at,) if at in known else (), typed={}, level="error")
            self._settle("is_complete")
            self.opened = True

        session.attempt(lambda: session.services.suggestions.columns(pipeline), show)

    def close(self) -> None:
        """Put the form away; what was typed is gone."""
        self.check = None
        self.param.update(opened=False, found=None, problem="", missing="", typed={})

    def pick(self, columns: tuple[str, ...]) -> None:
        """Of which columns it is; what cannot be said of them gives way to what can."""
        self.columns = tuple(name for name in columns if name in self.known)
        self._settle(self.choice)

    def say(self, choice: str) -> None:
        """What must hold."""
        if choice in BY_NAME:
            self._settle(choice)

    def type(self, name: str, text: str) -> None:
        """Something was typed into a field."""
        if self.typed.get(name, "") != text:
            self.typed = {**self.typed, name: text}
            self._read()

    def set_level(self, level: str) -> None:
        """How severe it is."""
        self.level = level
        self._read()

    def _settle(self, wanted: str) -> None:
        names = [choice.name for choice in self.choices()]
        choice = wanted if wanted in names else (names[0] if names else "satisfies")
        metrics = self.metrics()
        typed = dict(self.typed)
        if typed.get("metric") not in metrics:
            typed["metric"] = next(iter(metrics), "")
        self.param.update(choice=choice, typed=typed)
        self._read()

    def _read(self) -> None:
        """What was typed as a check, and that on the history."""
        self.check = None
        try:
            check = check_of(record_of(BY_NAME[self.choice], self.columns, self.known, self.typed, self.level))
        except UnfinishedError as error:
            lacking = "table" in BY_NAME[self.choice].fields and not self.tables
            self.param.update(found=None, problem="", missing=no_tables(self.session.pipeline) if lacking else str(error))
        except (ValueError, AvhError) as error:
            self.param.update(found=None, problem=str(error), missing="")
        else:
            self.check = check
            self._weigh()

    def _weigh(self) -> None:
        """Ask the history, away from the event loop: one question at a time, and the newest once that is answered."""
        if self.busy:
            self._again = True
            return
        check, session, pipeline = self.check, self.session, self.session.pipeline
        if check is None:
            return
        self.busy = True

        def done(found: list[Weighed]) -> None:
            self._answered(check, found=found[0], problem="")

        def failed(error: AvhError) -> None:
            self._answered(check, found=None, problem=str(error))

        session.attempt(lambda: session.services.suggestions.weigh(pipeline, check), done, failed)

    def _answered(self, check: Check, **answer: Any) -> None:
        self.busy = False
        if check is self.check:
            self.param.update(missing="", **answer)
        again, self._again = self._again, False
        if again:
            self._weigh()

    def _loaded(self) -> None:
        """The history was read anew, as after measuring."""
        if self.opened:
            self._read()

    def _leave(self) -> None:
        if self.opened:
            self.close()

    @property
    def ready(self) -> bool:
        """Whether it can be saved."""
        return self.found is not None and not self.problem and not self.saving

    def save(self) -> None:
        """Add it to the draft, and look at it there; what is wrong is told, and the form stays."""
        check, session, pipeline = self.check, self.session, self.session.pipeline
        if not self.ready or check is None:
            return
        rule, self.saving = self.found.constraint.key, True

        def done(draft: Draft) -> None:
            self.saving = False
            if pipeline != session.pipeline:
                return
            self.close()
            session.draft = draft
            if rule in draft.by_id:
                self.decisions.added(draft.by_id[rule], check)
                self.queue.reveal(rule)

        def failed(error: AvhError) -> None:
            self.param.update(saving=False, problem=str(error))

        session.attempt(lambda: session.services.suggestions.add(pipeline, check, by=session.actor), done, failed)


class TryingState(JobState):
    """Measuring what a rule is of in the latest batches, at their source."""

    kind = "measure batches"
    check: Check | None = None

    def begin(self, check: Check) -> None:
        """Measure for a rule; nothing while another is measured for."""
        if not self.busy:
            self.check = check
            self.start()

    def _work(self, pipeline: str, watch: Any) -> Any:
        assert self.check is not None
        return self.session.services.suggestions.try_rule(pipeline, self.check, watch=watch, by=self.session.actor)

    def _done(self, pipeline: str, outcome: TriedRules) -> None:
        text = f"{pipeline}: {count(len(outcome.measured), 'batch')} measured for the rule"
        untold = [outcome.untold[one.constraint.column] for one in outcome.rules if one.constraint.column in outcome.untold]
        if untold:
            self.session.tell("warning", f"{pipeline}: the rule cannot be measured. {untold[0]}")
        elif outcome.skipped:
            batch, why = outcome.skipped[0]
            self.session.tell("warning", f"{text}, {count(len(outcome.skipped), 'batch')} passed over: {batch}: {why}")
        else:
            self.session.tell("success", text)

    def _cancelled(self, pipeline: str) -> str:
        return f"Measuring {pipeline} was cancelled; what was finished is kept."
