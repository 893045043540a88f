"""What `avh.open` gives: the services of a workspace under short names, and the pages of the app as views for notebooks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from avh_ui.bootstrap import open_services
from avh_ui.config import Config
from avh_ui.constraints.check import Check
from avh_ui.extras import require
from avh_ui.review.draft import Draft
from avh_ui.validator.checking import each_check
from avh_ui.workflows.batches import Batches
from avh_ui.workflows.covering import Coverages
from avh_ui.workflows.incidents import Incidents
from avh_ui.workflows.people import People
from avh_ui.workflows.piles import Piles
from avh_ui.workflows.programs import Programs
from avh_ui.workflows.runs import Runs
from avh_ui.workflows.services import Services
from avh_ui.workflows.suggestions import Suggestions
from avh_ui.workflows.trials import Trials

P = ParamSpec("P")
R = TypeVar("R")


class _Of(Generic[P, R]):
    """A call of one of the services, as it is: with its own arguments, types and documentation."""

    def __init__(self, service: str, call: Callable[Concatenate[Any, P], R]) -> None:
        self.service, self.call = service, call
        self.__doc__ = call.__doc__

    def __get__(self, workspace: Workspace | None, owner: type[Workspace]) -> Callable[P, R]:
        if workspace is None:
            return self.call  # type: ignore[return-value]  # of the class, the plain function: `help(Workspace)` shows it
        service = getattr(workspace.services, self.service) if self.service else workspace.services
        bound: Callable[P, R] = getattr(service, self.call.__name__)
        return bound


class Workspace:
    """The pipelines of a folder, their batches, suggestions, programs and runs. Calls that take a pipeline raise `NotFoundError` for an
    unknown one.

    `profile`, `suggest`, `validate`, `sample` and `available` may start Spark and take long; the rest reads stores. `actor` acts where no
    `by` is given. `services` holds the same calls by noun.
    """

    def __init__(self, services: Services) -> None:
        self.services = services

    def __repr__(self) -> str:
        return f"<Workspace {self.root}: {', '.join(self.pipelines()) or 'no pipelines'}>"

    @property
    def root(self) -> Path:
        """The workspace's folder."""
        return self.services.root

    @property
    def config(self) -> Config:
        """What avh.yml says."""
        return self.services.config

    @property
    def actor(self) -> str:
        """Who acts where no `by` is given."""
        return self.services.people.actor

    @property
    def read_only(self) -> str:
        """Why nothing can be decided or recorded here, in a sentence; '' where it can."""
        return self.services.suggestions.read_only

    pipelines = _Of("", Services.pipelines)
    pipeline = _Of("", Services.pipeline)

    role = _Of("people", People.role)
    refusal = _Of("people", People.refusal)
    deciders = _Of("people", People.deciders)

    batches = _Of("batches", Batches.names)
    available = _Of("batches", Batches.available)
    waiting = _Of("batches", Batches.waiting)
    profile = _Of("batches", Batches.profile)
    history = _Of("batches", Batches.history)
    segments = _Of("batches", Batches.segments)
    view = _Of("batches", Batches.view)
    batch = _Of("batches", Batches.load)
    notes = _Of("batches", Batches.notes)
    moved_rows = _Of("batches", Batches.moved_rows)
    sample = _Of("batches", Batches.sample)

    suggest = _Of("suggestions", Suggestions.suggest)
    remove = _Of("suggestions", Suggestions.remove)
    say_kind = _Of("suggestions", Suggestions.say_kind)
    say_key = _Of("suggestions", Suggestions.say_key)
    weigh = _Of("suggestions", Suggestions.weigh)
    try_rule = _Of("suggestions", Suggestions.try_rule)
    draft = _Of("suggestions", Suggestions.draft)
    decisions = _Of("suggestions", Suggestions.decisions)
    decide = _Of("suggestions", Suggestions.decide)
    comment = _Of("suggestions", Suggestions.comment)
    assign = _Of("suggestions", Suggestions.assign)
    try_pattern = _Of("suggestions", Suggestions.try_pattern)
    reprogram = _Of("suggestions", Suggestions.reprogram)
    adopt = _Of("suggestions", Suggestions.adopt)
    next_bounds = _Of("suggestions", Suggestions.next_bounds)
    caught = _Of("suggestions", Suggestions.caught)

    triage = _Of("piles", Piles.triage)
    pile_budget = _Of("piles", Piles.budget)
    decide_pile = _Of("piles", Piles.decide_pile)

    publish = _Of("programs", Programs.publish)
    preview = _Of("programs", Programs.preview)
    compare = _Of("programs", Programs.compare)
    other_changes = _Of("programs", Programs.other_changes)
    rollback = _Of("programs", Programs.rollback)
    live = _Of("programs", Programs.live)
    program = _Of("programs", Programs.load)
    programs = _Of("programs", Programs.versions)
    coverage = _Of("coverages", Coverages.coverage)
    trial = _Of("trials", Trials.trial)
    verify_programs = _Of("programs", Programs.verify)
    program_notes = _Of("programs", Programs.notes)
    audit = _Of("programs", Programs.audit)
    check_audit = _Of("programs", Programs.check_audit)

    validate = _Of("runs", Runs.validate)
    ingest = _Of("runs", Runs.ingest)
    judge = _Of("runs", Runs.judge)
    deliver = _Of("runs", Runs.deliver)
    snoozes = _Of("runs", Runs.snoozes)
    record = _Of("runs", Runs.record)
    runs = _Of("runs", Runs.recent)
    run = _Of("runs", Runs.load)
    results = _Of("runs", Runs.results)
    feedback = _Of("runs", Runs.feedback)
    give_feedback = _Of("runs", Runs.give_feedback)
    excluded = _Of("runs", Runs.excluded)
    incidents = _Of("incidents", Incidents.incidents)
    incident = _Of("incidents", Incidents.incident)
    tell_incident = _Of("incidents", Incidents.tell_incident)

    def add(self, pipeline: str, rules: Check | Iterable[Any] = (), *, by: str | None = None) -> Draft:
        """As of `services.suggestions`; a rule whose condition compares otherwise than it seems is warned of.

        Put rules (of `avh.checks`) into the draft, where they wait for a decision like any suggestion; those of avh.yml come along.
        All or none: see there for the errors.
        """
        given = list(each_check(rules))
        draft = self.services.suggestions.add(pipeline, given, by=by)
        for remark in self.services.suggestions.remarks(pipeline, given):
            warnings.warn(remark, stacklevel=2)
        return draft

    # The pages of the app, each by itself: of a pipeline, the first one by default.

    def review(self, pipeline: str | None = None) -> Any:
        """The whole app: its pages behind tabs."""
        return self._shown("review", pipeline, alone=False)

    def overview(self, pipeline: str | None = None) -> Any:
        """All pipelines with their health, and one of them as columns over batches."""
        return self._shown("overview", pipeline)

    def what_if(self, pipeline: str | None = None) -> Any:
        """What another target, number of clauses or span of history would suggest."""
        return self._shown("what-if", pipeline)

    def alarms(self, pipeline: str | None = None, batch: str = "") -> Any:
        """The validation runs, at one batch where one is named."""
        return self._shown("runs", pipeline, batch=batch)

    def drift(self, pipeline: str | None = None, batch: str = "", against: str = "", column: str = "") -> Any:
        """A batch or span against another (the newest against the one before by default)."""
        return self._shown("drift", pipeline, batch=batch, against=against, column=column)

    def publishing(self, pipeline: str | None = None) -> Any:
        """The draft against the live version, the versions so far, and the audit log."""
        return self._shown("publish", pipeline)

    def _shown(self, page: str, pipeline: str | None, *, alone: bool = True, **about: str) -> Any:
        # Only who asks for a page pays for loading the app.
        require("app", "A page of the app")
        from avh_ui.ui.notebook import show
        from avh_ui.ui.state.address import Address

        return show(self.services, Address(pipeline or "", page, **about), alone=alone)


def open_workspace(root: str | Path = ".", *, programs: str | None = None, history: str | None = None) -> Workspace:
    """The workspace in a folder; `ConfigError` when it has no valid avh.yml. Starts no Spark and opens no database.

    `programs` and `history` are URLs that take the place of those in avh.yml.
    """
    return Workspace(open_services(root, programs=programs, history=history))
