"""What the coverage page is about: the faults that a program, the draft or all suggestions notice, and the cell looked at."""

from __future__ import annotations

import time
from typing import Any

import param

from avh_ui.errors import AvhError
from avh_ui.issues.faults import CLASSES, SEVERITIES, TABLE
from avh_ui.metrics.profiler import Progress, Watch
from avh_ui.review.plain import plain
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import TOLD_EVERY, SessionState
from avh_ui.workflows.coverage import Cell, Closing, Coverage, percent_of

PUBLISHED, DRAFT, ALL = "published", "draft", "all"
OF = {PUBLISHED: "The published program", DRAFT: "The draft", ALL: "All suggestions"}
NOTICED, PARTLY, MISSED, NONE = "n", "p", "m", " "
ROWS = "whole rows"


class CoverageState(Observable):
    """`coverage` is of what `of` names; `cls` of `column` ('' = whole rows) is looked at, '' where nothing is."""

    coverage = param.Parameter(None)
    of = param.String("")
    column = param.String("")
    cls = param.String("")
    busy = param.Boolean(False)
    note = param.String("", doc="how far telling it is")
    problem = param.Parameter(None)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._asked: tuple[Any, ...] = ()
        self._told = 0.0
        self._watch = Watch()

    def visit(self, address: Address | None = None) -> None:
        """The page is shown: tell what an address names, else the draft, or all where nothing is accepted; anew once it was loaded anew."""
        pipeline = self.session.pipeline
        if self._asked[:1] != (pipeline,):
            self.param.update(coverage=None, of="", column="", cls="")
        if address is not None and (address["of"] or address["fault"] or address["column"]):
            cls = address["fault"] if address["fault"] in CLASSES else CLASSES[0] if address["column"] in ("", TABLE) else "nulls"
            self.param.update(of=address["of"] if address["of"] in OF else self.of, column=address["column"], cls=cls)
        draft = self.session.draft
        # Of a draft that nobody decided on yet, what it would be worth says more than that nothing is in force.
        self.tell(self.of or (DRAFT if draft is not None and draft.accepted() else ALL))

    def tell(self, of: str) -> None:
        """Tell the coverage of the program, the draft or all suggestions, away from the event loop; at once where it is known."""
        session, pipeline = self.session, self.session.pipeline
        asked = pipeline, of, session.loads
        self.of = of
        if asked == self._asked and self.problem is None:
            return
        self._watch.cancelled.set()
        self._asked, self._watch = asked, Watch(self._heard)
        watch, services = self._watch, session.services
        self.param.update(busy=True, problem=None, note="", **({} if self.coverage is not None else {"coverage": None}))
        session.attempt(
            lambda: services.coverages.coverage(pipeline, of, watch=watch),  # type: ignore[arg-type]
            lambda found: self._adopt(asked, found),
            lambda error: self._refused(asked, error),
        )

    @property
    def closing(self) -> Closing | None:
        """The first suggestion that would close something of the cell looked at; None where none would."""
        return next((found for found in self.closings if found.suggestion), None)

    @property
    def closings(self) -> tuple[Closing, ...]:
        """What would close something of the cell looked at and can be put into the draft, the best first."""
        return self.cell.closings if self.cell is not None else ()

    def close(self, place: int = 0) -> None:
        """Put one of `closings` into the draft, accepted, and tell of the draft with it."""
        if place >= len(self.closings):
            return
        session, found, done = self.session, self.closings[place], list[str]()

        def write() -> None:
            change, pipeline, rule = session.services.suggestions, session.pipeline, found.suggestion
            if found.check is not None and not rule:
                rule = found.check.constraint().key
                session.draft = change.add(pipeline, found.check, by=session.actor)
            item = session.draft.by_id[rule]
            session.draft = change.decide(pipeline, [rule], "accept", by=session.actor, expected={rule: item.revision})
            done.append(plain(item.current))

        if session.record(write):
            session.tell("success", f"{'Accepted' if found.suggestion else 'Added and accepted'}: {done[0]}")
            self._asked = ()  # what was told is of the draft before
            self.tell(DRAFT)

    def _heard(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._told >= TOLD_EVERY:
            self._told = now
            text = f"{progress.note} ({progress.done} of {progress.total})" if progress.total > 1 else progress.note
            self.session.soon(lambda: self.param.update(note=text))

    def _adopt(self, asked: tuple[Any, ...], found: Coverage) -> None:
        if asked != self._asked:
            return
        known = (self.column, self.cls) in found.by_place
        worst = found.holes[0] if found.holes else found.cells[0]
        place = {} if known else {"column": worst.column, "cls": worst.cls}
        self.param.update(busy=False, coverage=found, note="", **place)

    def _refused(self, asked: tuple[Any, ...], error: AvhError) -> None:
        if asked == self._asked:
            self.param.update(busy=False, problem=error, coverage=None)

    @property
    def cell(self) -> Cell | None:
        """The cell looked at."""
        return None if self.coverage is None else self.coverage.by_place.get((self.column, self.cls))

    @property
    def columns(self) -> tuple[str, ...]:
        """The rows of the grid: whole rows, then the columns."""
        return () if self.coverage is None else (TABLE, *self.coverage.columns)

    @property
    def cursor(self) -> tuple[int, int]:
        """The row and the class looked at; -1 where nothing is."""
        known = self.cell is not None
        return (self.columns.index(self.column), CLASSES.index(self.cls)) if known else (-1, -1)

    def look(self, row: int, at: int) -> None:
        """At a cell by its place."""
        if 0 <= row < len(self.columns) and 0 <= at < len(CLASSES):
            self.param.update(column=self.columns[row], cls=CLASSES[at])

    def move(self, rows: int, classes: int) -> None:
        """To a neighbouring cell, from one edge no further."""
        row, at = self.cursor
        if self.columns:
            self.look(min(max(row + rows, 0), len(self.columns) - 1), min(max(at + classes, 0), len(CLASSES) - 1))


def codes(cell: Cell) -> str:
    """A character for each severity: noticed, partly (some ways), missed, or none of the column's faults."""
    shares = [cell.noticed(severity) for severity in SEVERITIES]
    return "".join(NONE if share is None else NOTICED if share == 1 else PARTLY if share else MISSED for share in shares)


def words(cell: Cell) -> str:
    """What is noticed of a cell, in a sentence."""
    if not cell.findings:
        return "no such faults"
    missed = sorted({one.fault.severity for one in cell.missed})
    if not missed:
        return f"noticed from {percent_of(cell.findings[0].fault.severity)} of the rows on"
    shares: dict[str, list[str]] = {}
    for severity in SEVERITIES:
        if (share := cell.noticed(severity)) is not None:
            shares.setdefault("noticed" if share == 1 else "missed in some ways" if share else "missed", []).append(percent_of(severity))
    # What is missed first: that is looked for.
    told = [f"{outcome} at {', '.join(those)}" for outcome, those in sorted(shares.items())]
    return f"{'; '.join(told)} of the rows"
