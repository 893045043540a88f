"""What if: another budget, number of clauses or span of history, programmed at once from what the last suggestion run kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from avh_ui.constraints.constraint import Constraint
from avh_ui.errors import AvhError
from avh_ui.history.ranges import select
from avh_ui.inference.by_history.reprogramming import ColumnResult
from avh_ui.review.draft import Draft
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.publishing import Change, Difference
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.publishing import expected_alarms
from avh_ui.workflows.reprogramming import WhatIf

# What the slider offers: from one false alarm of a daily column in 27 years to one in 20 days.
TARGETS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
# More clauses of one column than these, nobody reads.
MOST_CLAUSES = 10
CLAUSES = 5
COLUMN, TABLE = "column", "table"


@dataclass(frozen=True)
class Summary:
    """One program by history: clauses, expected false alarms a year, and how many of the injected issues it catches of those tried."""

    clauses: int
    alarms: float
    caught: int
    tried: int


@dataclass(frozen=True)
class Outcome:
    """The draft's constraints by history against those programmed anew."""

    before: Summary
    after: Summary
    difference: Difference


class WhatIfState(Observable):
    """`fpr` is per column and batch, or of the whole table by `scope`; `since` and `exclude` (a batch or span `A..B`) as typed.

    `outcome` is of these settings, or of the last ones that could be programmed while `busy` or where there is a `problem`.
    """

    fpr = param.Number(0.001)
    scope: param.Selector[str] = param.Selector(default=COLUMN, objects=[COLUMN, TABLE])
    clauses = param.Integer(CLAUSES)
    since = param.String("")
    exclude = param.String("")
    outcome = param.Parameter(None)
    problem = param.String("")
    busy = param.Boolean(False)
    adopting = param.Boolean(False)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._of: tuple[str, int] = ("", -1)
        self._asked = 0
        self._quiet = False
        self.param.watch(lambda *_: self._changed(), ["fpr", "scope", "clauses", "since", "exclude"])

    @property
    def changed(self) -> bool:
        """Whether there is something to adopt."""
        return self.outcome is not None and not self.busy and not self.problem and self.outcome.difference.total > 0

    def visit(self) -> None:
        """The page is shown: begin with the draft's own settings, and anew whenever the draft was loaded anew."""
        seen = (self.session.pipeline, self.session.loads)
        if self.session.draft is None or seen == self._of:
            return
        if seen[0] != self._of[0]:
            self._reset()
        self._of = seen
        self._program()

    def _reset(self) -> None:
        settings = self.session.door.pipeline(self.session.pipeline)
        table = settings.table_fpr is not None
        self._quiet = True
        try:
            self.param.update(
                fpr=settings.table_fpr if table else self.session.draft.run.fpr, scope=TABLE if table else COLUMN, clauses=CLAUSES,
                since="", exclude="", outcome=None, problem="",
            )  # fmt: skip
        finally:
            self._quiet = False

    def _changed(self) -> None:
        if not self._quiet and self.session.draft is not None:
            self._program()

    def _program(self) -> None:
        """Program anew, away from the event loop; only the newest question's answer is shown."""
        self._asked += 1
        asked, draft, pipeline, door = self._asked, self.session.draft, self.session.pipeline, self.session.door
        self.busy = True

        def work() -> tuple[ColumnResult, ...] | AvhError:
            try:
                return door.reprogram(pipeline, change=self.change())
            except AvhError as error:
                return error

        def done(found: tuple[ColumnResult, ...] | AvhError) -> None:
            if asked != self._asked:
                return
            if isinstance(found, AvhError):
                self.param.update(busy=False, problem=str(found))
            else:
                self.param.update(busy=False, problem="", outcome=compare(draft, found, self.session.cadence))

        self.session.run(work, done)

    def change(self) -> WhatIf:
        """The settings; `NotFoundError` or `UsageError` for a span that means no batches. Labelled incidents stay left out."""
        pipeline, batches = self.session.pipeline, self.session.history.batches if self.session.history is not None else ()
        out = set(self.session.door.excluded(pipeline))
        if self.exclude.strip():
            out |= set(select(pipeline, self.exclude.strip(), batches))
        since = self.since.strip() or None
        if since:
            select(pipeline, since, batches)
        rate = {"table_fpr": self.fpr} if self.scope == TABLE else {"fpr": self.fpr}
        return WhatIf(max_clauses=self.clauses, exclude=frozenset(out), since=since, **rate)

    def adopt(self) -> None:
        """Make these settings' program the draft; what was decided of unchanged constraints stays decided."""
        if not self.changed or self.adopting:
            return
        self.adopting = True
        session, pipeline, door = self.session, self.session.pipeline, self.session.door

        def work() -> Draft | AvhError:
            try:
                return door.adopt(pipeline, self.change(), by=session.actor)
            except AvhError as error:
                return error

        def done(found: Draft | AvhError) -> None:
            self.adopting = False
            if isinstance(found, AvhError):
                self.problem = str(found)
                return
            session.tell("success", f"The draft of {pipeline} has {len(found.items)} suggestions now.")
            session.refresh()

        session.run(work, done)


def compare(draft: Draft, results: tuple[ColumnResult, ...], cadence: str) -> Outcome:
    """What enters, leaves and moves, of the constraints by history; rejected ones are compared too, since they are suggested."""
    items = [item for item in draft.items if item.suggestion.constraint.origin == "history"]
    # Changes of the volume are the table's: they are tried once, with the column that the number of rows is constrained with.
    volume = max((len(r.prepared.variants) - r.variants for r in results if r.prepared is not None), default=0)
    tried = sum(result.variants for result in results) + volume
    before = {item.suggestion.constraint.key: item.suggestion.constraint for item in items}
    after = {s.constraint.key: s.constraint for result in results for s in result.suggestions}
    caught_before = {(i.suggestion.constraint.column, name) for i in items for name in i.suggestion.caught}
    caught_after = {(r.column, name) for r in results for s in r.suggestions for name in s.caught}
    both = [(before[key], now) for key, now in after.items() if key in before]
    moved = tuple(Change(old, now) for old, now in both if (old.lower, old.upper) != (now.lower, now.upper))
    return Outcome(
        _summary(before, len(caught_before), tried, cadence),
        _summary(after, len(caught_after), tried, cadence),
        Difference(
            tuple(Change(None, now) for key, now in after.items() if key not in before),
            moved,
            tuple(Change(old, None) for key, old in before.items() if key not in after),
            len(both) - len(moved),
        ),
    )


def _summary(constraints: dict[str, Constraint], caught: int, tried: int, cadence: str) -> Summary:
    return Summary(len(constraints), expected_alarms(tuple(constraints.values()), cadence), caught, tried)
