"""The coverage page: which faults are noticed, columns by classes, and what would close the hole looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from avh_ui.issues.faults import CLASSES, SEVERITIES, TABLE
from avh_ui.issues.variants import IN_MILES
from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.fault_grid import FaultGrid
from avh_ui.ui.components.markup import Markup, empty, failure, join, loading, table, tag
from avh_ui.ui.components.panes import FILLING, GROWING, PaneView, button, card, column, html, row, side_by_side
from avh_ui.ui.state.coverage import ALL, DRAFT, OF, PUBLISHED, ROWS, CoverageState, codes, words
from avh_ui.ui.state.reading import count
from avh_ui.ui.views.page import LINES, Page, Shortcut
from avh_ui.workflows.coverage import Cell, Closing, Coverage, FaultFinding

_NO_RULES = {
    PUBLISHED: "It has no rule: on {} no fault is noticed.",
    DRAFT: "Nothing is accepted in the draft yet: on {} no fault would be noticed.",
    ALL: "Every suggestion is rejected, so that no rule is left: on {} no fault would be noticed.",
}
# Rules that notice a fault of whole rows may be as many as the program has.
_NAMED = 2
# What happens to numbers, in words; what is said of other faults needs none.
_WAYS = {"x10": "times 10", IN_MILES: "miles as kilometres"}
# So many rules that would close a cell's holes are offered at once, the best first: with the next ones after these are taken.
_OFFERED = 4


class CoverageView(PaneView):
    """Draws the grid and the cell looked at; `on_suggestion` is called with the id of one that would close a hole, `on_trial` to break a
    batch by the fault of the cell.
    """

    def __init__(self, state: CoverageState, on_suggestion: Callable[[str], None], on_trial: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self.state, self._on_suggestion = state, on_suggestion
        self.of = ChoiceBar(state.tell, choices=self._choices(), label="Of which rules", value=state.of)
        # Narrower it stands below the choices, not in a column of five lines beside them.
        self.heading = html(styles={"flex": "1 1 420px", "min-width": "0"})
        self.title, self.detail, self.blank = html(), html(), html()
        self.grid = FaultGrid(
            state.look, classes=list(CLASSES), severities=[f"{100 * s:g}" for s in SEVERITIES], label="Faults that are noticed", **FILLING
        )
        self.open = button("Open its suggestion", self._open)
        top = column(row(self.of, self.heading), padding="10px 14px 6px")
        left = card(top, self.grid, sizing_mode="stretch_both", flex="1.6 1 0", overflow="hidden")
        self.trial = button("Try it on a batch", on_trial, variant="text")
        self.refusal = state.session.refusal("reviewer", "decide")
        self.close = ActionBar(lambda place: state.close(int(place)), label="Close the hole")
        inner = column(self.title, self.close, row(self.open, self.trial), self.detail, gap=12, padding="14px 16px", **GROWING)
        right = card(inner, sizing_mode="stretch_both", overflow_y="auto", flex="1 1 0")
        self.panes = side_by_side(left, right)
        self.empty = card(self.blank, padding_bottom="36px")
        self.body = column(self.panes, self.empty, sizing_mode="stretch_both")
        state.param.watch(lambda *_: self._fill(), ["coverage", "problem", "busy", "of"])
        state.param.watch(lambda *_: self._wait(), "note")
        state.param.watch(lambda *_: self._mark(), ["column", "cls"])
        state.session.param.watch(lambda *_: self.of.param.update(choices=self._choices()), ["versions", "loads"])
        self._fill()

    def _choices(self) -> list[dict[str, str]]:
        live = self.state.session.live
        return [{"value": value, "label": label} for value, label in OF.items() if live is not None or value != PUBLISHED]

    def _fill(self) -> None:
        state, found = self.state, self.state.coverage
        self.of.value = state.of
        self.panes.visible, self.empty.visible = found is not None, found is None
        if found is None:
            self._wait()
            return
        rows = [
            {"label": name or ROWS, "cells": [[codes(cell), words(cell)] for cell in (found.by_place[name, cls] for cls in CLASSES)]}
            for name in (TABLE, *found.columns)
        ]
        self.grid.rows = rows
        self.heading.object = heading_text(found, state)
        self._mark()

    def _wait(self) -> None:
        state = self.state
        if state.coverage is None:
            what = f"{state.note[:1].upper()}{state.note[1:]} …" if state.note else "Trying faults …"
            self.blank.object = (
                failure("The coverage cannot be told", state.problem, state.session.place) if state.problem is not None else loading(what)
            )

    def _mark(self) -> None:
        cell = self.state.cell
        self.grid.cursor = list(self.state.cursor)
        self.title.object = cell_title(cell) if cell is not None else empty("Nothing selected", tag("p", "Choose a cell of the grid."))
        self.detail.object = cell_text(cell) if cell is not None else ""
        closing = self.state.closing
        self.open.visible = closing is not None
        self.trial.visible = cell is not None and bool(cell.findings) and self.state.session.live is not None
        self.close.actions = withheld([_button(place, one) for place, one in enumerate(self.state.closings[:_OFFERED])], self.refusal)

    def _open(self) -> None:
        found = self.state.closing
        if found is not None:
            self._on_suggestion(found.suggestion)


def heading_text(found: Coverage, state: CoverageState) -> Markup:
    """What is in force, what of it (or would be) noticed, and what to do about the rest; what it was told on is folded."""
    live = state.session.live
    what = {PUBLISHED: found.of, DRAFT: "the draft", ALL: "all suggestions together"}[state.of]
    if live is None:
        force = f"Nothing is enforced yet: this is what {what} would notice."
    else:
        force = f"Version {live.version} is enforced" + ("." if state.of == PUBLISHED else f"; this is what {what} would notice.")
    noticed, of = found.share(0.5)
    line = f"{count(found.rules, 'rule')} on {found.batch}: a fault in half of the rows is noticed in {noticed} of {of} cells."
    if not found.rules:
        line = _NO_RULES[state.of].format(found.batch)
    missing = count(len(found.holes), "cell")
    holes = f" Something is missed, at one share of the rows or another, in {missing}: choose one to see what would close it."
    again = " Telling anew …" if state.busy else ""
    notes = (
        tag("details", tag("summary", "What it is told on"), tag("p", " ".join(found.notes), cls="wrap"), cls="quiet")
        if found.notes
        else None
    )
    return join(
        tag("h2", "Faults that are noticed", cls="heard"),
        tag("p", tag("b", force), cls="wrap"),
        tag("p", line, holes if found.holes else "", again, cls="wrap"),
        notes,
    )


def _button(place: int, closing: Closing) -> dict[str, Any]:
    """Puts a rule into the draft; what the budget pays for stands out."""
    label = f"{'Accept' if closing.suggestion else 'Add'} {closing.words} · {closing.cost}"
    why = "" if closing.affordable else "more than the budget of a column"
    look = {"filled": True} if closing.affordable else {"outlined": True}
    return action(str(place), label, icon=icons.ACCEPT, tone="success", title=why, long=True, **look)


def cell_title(cell: Cell) -> Markup:
    """What a cell is of, and what is noticed of it."""
    title = tag("h2", f"{cell.cls}: {cell.column or ROWS}", cls="wrap", style="font-size: 16px")
    line = f"{words(cell).capitalize()}." if cell.findings else "Such faults cannot happen here, or would change nothing."
    return join(title, tag("p", line, cls="quiet"))


def cell_text(cell: Cell) -> Markup:
    """What happens in which shares of the rows, with who notices it or what would: once for shares of which the same is to be said."""
    if not cell.findings:
        return join()
    shares: dict[tuple[str, str], list[FaultFinding]] = {}
    for one in cell.findings:
        shares.setdefault((one.fault.way, str(_told(one))), []).append(one)
    # What is missed first, since that is looked for; the ways as they come, and of one the largest share first.
    ways = list(dict.fromkeys(way for way, _ in shares))
    found = sorted(
        shares.values(),
        key=lambda some: (bool(some[0].by), ways.index(some[0].fault.way), -max(one.fault.severity for one in some)),
    )
    rows = [
        tag(
            "tr",
            tag("td", _WAYS.get(some[0].fault.way, some[0].fault.way), cls="wrap"),
            tag("td", _shares_of(some)),
            tag("td", _told(some[0]), cls="wrap"),
        )
        for some in found
    ]
    return table(("What happens", "Of the rows", "Who notices it, or what would"), rows, "plain wide", label="The faults of the cell")


def _shares_of(findings: Sequence[FaultFinding]) -> str:
    """`1, 10, 50%`: in which shares of the rows."""
    return ", ".join(f"{100 * severity:g}" for severity in sorted(one.fault.severity for one in findings)) + "%"


def _told(one: FaultFinding) -> Markup:
    if one.by:
        more = [f"{len(one.by) - _NAMED} more"] if len(one.by) > _NAMED else []
        # Sentences, of which some begin with a capital and some with a column's name as it is written.
        return join(tag("span", "✔ ", aria_hidden="true"), ". ".join([*one.by[:_NAMED], *more]))
    advice = one.advice
    return join(tag("b", "✖ missed"), f": {advice[:1].lower()}{advice[1:]}" if advice else "")


class CoveragePage(Page):
    """Which faults are noticed; from a hole it leads on to the suggestion that would close it."""

    name = "coverage"
    made_of, drawn_by = CoverageState, CoverageView
    address = {"of": "of", "column": "column", "fault": "cls"}
    keys = (
        *LINES,
        Shortcut(("h", "ArrowLeft"), "earlier", "class of fault before"),
        Shortcut(("l", "ArrowRight"), "later", "next class of fault"),
    )
    needs_draft = True

    def view(self) -> CoverageView:
        """Its holes lead on to the review."""
        return CoverageView(self.state, lambda suggestion: self.go("review", suggestion=suggestion), self._to_trial)

    def _to_trial(self) -> None:
        self.go("trial", column=self.state.column, fault=self.state.cls)

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        move = self.state.move
        return {"next": lambda: move(1, 0), "previous": lambda: move(-1, 0), "earlier": lambda: move(0, -1), "later": lambda: move(0, 1)}
