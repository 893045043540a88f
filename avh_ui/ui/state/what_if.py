"""What if: another budget, number of clauses or span of history, programmed at once from what the last suggestion run kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import param

from avh_ui.config_budget import budgets_of
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.several import columns_of
from avh_ui.errors import AvhError
from avh_ui.history.ranges import as_ranges, batches_in_range, select_many
from avh_ui.review.difference import Difference, compared
from avh_ui.review.draft import Draft
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import rate
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.expected import expected_alarms
from avh_ui.workflows.promise import Promise
from avh_ui.workflows.what_if import Programmed, WhatIf, lines_of, pattern_share, programmed, told_alone

# What the slider offers: from one false alarm of a daily column in 27 years to one in 20 days.
TARGETS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
# More clauses of one column than these, nobody reads.
MOST_CLAUSES = 10
CLAUSES = 5
COLUMN, TABLE = "column", "table"
# What can be set, beside the column looked at.
SETTINGS = ("fpr", "scope", "clauses", "since", "exclude", "own")


@dataclass(frozen=True)
class Summary:
    """One program by history: clauses, expected false alarms a year, how many of the injected issues it catches of those tried, and from
    how many batches it was learned.
    """

    clauses: int
    alarms: float
    caught: int
    tried: int
    batches: int


@dataclass(frozen=True)
class WhatIfOutcome:
    """The draft's constraints by history against those programmed anew; `kept` others of the draft have no target, and stay as they are."""

    before: Summary
    after: Summary
    difference: Difference
    kept: int


class WhatIfState(Observable):
    """`fpr` is per column and batch, or of the whole table by `scope`; `since` and `exclude` (batches and spans `A..B`) as typed.

    `column` is the one looked at ('' = all): its effect alone is programmed, in milliseconds, and it may have a target of its `own`; all
    other settings hold for every column. `outcome` is of these settings, or of the last ones that could be programmed while `busy` or
    where there is a `problem`.
    """

    fpr = param.Number(0.001)
    scope: param.Selector[str] = param.Selector(default=COLUMN, objects=[COLUMN, TABLE])
    clauses = param.Integer(CLAUSES)
    since = param.String("")
    exclude = param.String("")
    column = param.String("")
    own = param.Dict({}, doc="column -> its own target")
    outcome = param.Parameter(None)
    problem = param.String("")
    busy = param.Boolean(False)
    adopting = param.Boolean(False)
    promise = param.Parameter(None, doc="what the live program promises and what came of it; None until it is read, and without one")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._of: tuple[str, int] = ("", -1)
        self._drafted: dict[str, Any] = {}  # the settings that made the draft
        self._asked = 0
        self._quiet = False
        self.param.watch(lambda *_: self._changed(), [*SETTINGS, "column"])

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of which the draft has suggestions that are programmed anew."""
        draft = self.session.draft
        items = [item for item in draft.items if programmed(item.suggestion.constraint)] if draft else []
        found = (one.constraint.column for one in told_alone(items) if not one.constraint.of_table)
        return tuple(dict.fromkeys(found))

    @property
    def offered(self) -> dict[str, float]:
        """What the target may be, by its words, and the target as it is: of the table a budget as avh.yml has it."""
        if self.scope != TABLE:
            return {rate(target): target for target in sorted({*TARGETS, self.fpr})}
        words = {target: name for name, target in budgets_of(self.session.cadence).items()}
        now = next((target for target in words if math.isclose(target, self.fpr)), None)
        others = {} if now is not None else {self.fpr: rate(self.fpr)}
        # The slider needs the very number that is set.
        named = {self.fpr if target == now else target: name for target, name in words.items()} | others
        return {named[target]: target for target in sorted(named)}

    @property
    def changed(self) -> bool:
        """Whether there is something to adopt."""
        return self.outcome is not None and not self.busy and not self.problem and self.outcome.difference.total > 0

    @property
    def elsewhere(self) -> bool:
        """Whether the settings may change columns that are not looked at."""
        if not self.column:
            return False
        now = {name: getattr(self, name) for name in SETTINGS}
        return self.scope == TABLE or self._for_others(now) != self._for_others(self._drafted)

    def _for_others(self, settings: dict[str, Any]) -> dict[str, Any]:
        return settings | {"own": {name: target for name, target in settings["own"].items() if name != self.column}}

    @property
    def target(self) -> float:
        """The own target of the column looked at; 0 where it has that of the others."""
        return float(self.own.get(self.column, 0.0))

    def aim(self, target: float) -> None:
        """Give the column looked at a target of its own; 0 is that of the others."""
        if self.column:
            self.own = {name: own for name, own in {**self.own, self.column: target}.items() if own}

    @property
    def patterns(self) -> float:
        """What the draft's patterns take of a table's target."""
        draft = self.session.draft
        return pattern_share(draft) if draft is not None and self.scope == TABLE else 0.0

    def visit(self, address: Address | None = None) -> None:
        """The page is shown: begin with the draft's own settings, and anew whenever the draft was loaded anew."""
        seen = (self.session.pipeline, self.session.loads)
        if self.session.draft is None:
            return
        if seen != self._of:
            self._drafted = self._settings()
        if seen[0] != self._of[0]:
            self._set(**self._drafted, column="", outcome=None, problem="")
        if address is not None and (address["since"] or address["exclude"] or address["column"]):
            self._set(since=address["since"], exclude=address["exclude"], column=self._known(address["column"]))
        elif seen == self._of:
            return
        self._of = seen
        self._program()
        self._observe()

    def _observe(self) -> None:
        """Read what came of the live program, away from the event loop."""
        session, self.promise = self.session, None
        if not session.versions:
            return
        pipeline, live = session.pipeline, session.versions[0]

        def done(found: Promise | None) -> None:
            if pipeline == self.session.pipeline:
                self.promise = found

        # The page is of use without it.
        session.attempt(lambda: session.services.programs.promise(pipeline, live), done, lambda _: done(None))

    def _known(self, column: str) -> str:
        if column and column not in self.columns:
            self.session.tell("warning", f"Nothing is suggested by history for the column {column!r}.")
        return column if column in self.columns else ""

    def _settings(self) -> dict[str, Any]:
        """The settings that made the draft: those somebody took, else the pipeline's."""
        session, run = self.session, self.session.draft.run
        given, settings = session.services.pipeline(session.pipeline), run.settings
        table_fpr = given.table_fpr if settings is None else settings.table_fpr
        batches = session.history.batches if session.history is not None else ()
        clauses = CLAUSES if settings is None else settings.max_clauses or MOST_CLAUSES
        chosen = set(run.excluded) - set(session.excluded)  # those labelled as wrong are left out anyway
        return {
            "fpr": run.fpr if table_fpr is None else table_fpr,
            "scope": COLUMN if table_fpr is None else TABLE,
            "clauses": clauses,
            "since": "" if settings is None else settings.since,
            "exclude": as_ranges(chosen, batches),
            "own": {} if settings is None else dict(settings.own),
        }

    def _set(self, **values: Any) -> None:
        self._quiet = True
        try:
            self.param.update(**values)
        finally:
            self._quiet = False

    def _changed(self) -> None:
        if not self._quiet and self.session.draft is not None:
            self._program()

    def _program(self) -> None:
        """Program anew, away from the event loop; only the newest question's answer is shown."""
        self._asked += 1
        asked, draft, pipeline, services = self._asked, self.session.draft, self.session.pipeline, self.session.services
        columns = [self.column] if self.column in self.columns else None
        self.busy = True

        def done(found: tuple[Programmed, ...]) -> None:
            if asked == self._asked:
                self.param.update(busy=False, problem="", outcome=compare(draft, found, self.session.cadence, columns))

        def failed(error: AvhError) -> None:
            if asked == self._asked:
                self.param.update(busy=False, problem=str(error))

        self.session.attempt(lambda: services.suggestions.reprogram(pipeline, columns, self.change()), done, failed)

    def change(self) -> WhatIf:
        """The settings; `NotFoundError` or `UsageError` for a span that means no batches. Labelled incidents stay left out."""
        pipeline, batches = self.session.pipeline, self.session.history.batches if self.session.history is not None else ()
        out = set(self.session.services.runs.excluded(pipeline))
        if self.exclude.strip():
            out |= set(select_many(pipeline, self.exclude.strip(), batches))
        since = self.since.strip() or None
        if since:
            batches_in_range(pipeline, since, batches)
        target = {"table_fpr": self.fpr} if self.scope == TABLE else {"fpr": self.fpr}
        return WhatIf(max_clauses=self.clauses, exclude=frozenset(out), since=since, own=dict(self.own), **target)

    @property
    def refusal(self) -> str:
        """Why this person may not change the draft; '' for who may."""
        return self.session.refusal("reviewer", "change the draft")

    def adopt(self) -> None:
        """Make these settings' program the draft; what was decided of unchanged constraints stays decided."""
        if not self.changed or self.adopting or self.elsewhere:
            return
        self.adopting = True
        session, pipeline, services = self.session, self.session.pipeline, self.session.services

        def done(found: Draft) -> None:
            self.adopting = False
            session.tell("success", f"The draft of {pipeline} has {len(found.items)} suggestions now.")
            session.refresh()

        def failed(error: AvhError) -> None:
            self.param.update(adopting=False, problem=str(error))

        session.attempt(lambda: services.suggestions.adopt(pipeline, self.change(), by=session.actor), done, failed)


def compare(draft: Draft, results: tuple[Programmed, ...], cadence: str, columns: Sequence[str] | None = None) -> WhatIfOutcome:
    """What enters, leaves and moves, of the constraints that are programmed anew (of these columns, without the table's).

    Rejected ones count too, since they are suggested.
    """
    every = [item for item in draft.items if columns is None or not {*columns}.isdisjoint(columns_of([item.suggestion.constraint]))]
    items = [item for item in every if programmed(item.suggestion.constraint)]
    alone = [one for one in told_alone(items) if columns is None or one.constraint.column in columns]
    # Changes of the volume are the table's: they are tried once, with the column that the number of rows is constrained with.
    volume = max((len(r.prepared.variants) - r.variants for r in results if r.prepared is not None), default=0)
    tried = sum(result.variants for result in results) + volume
    if columns is None:
        before, after = (tuple(one.suggestion.constraint for one in items), tuple(one.constraint for one in lines_of(draft, results)))
    else:
        # What is said of several columns is looked at of the one alone.
        before = tuple(one.constraint for one in alone)
        after = tuple(s.constraint for result in results for s in result.suggestions if not s.constraint.of_table)
    caught_before = {(one.constraint.column, name) for one in alone for name in one.evidence.caught}
    caught_after = {(r.column, name) for r in results for s in r.suggestions for name in s.evidence.caught}
    learned = max((len(r.prepared.batches) for r in results if r.prepared), default=0)
    return WhatIfOutcome(
        _summary(before, len(caught_before), tried, cadence, draft.run.batches),
        _summary(after, len(caught_after), tried, cadence, learned),
        compared(before, after),
        len(every) - len(items),
    )


def _summary(constraints: tuple[Constraint, ...], caught: int, tried: int, cadence: str, batches: int) -> Summary:
    return Summary(len(constraints), expected_alarms(constraints, cadence), caught, tried, batches)
