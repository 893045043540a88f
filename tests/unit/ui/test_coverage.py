"""The state and the words of the coverage page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.check import Check
from avh_ui.issues.faults import CLASSES, SEVERITIES, Fault
from avh_ui.metrics.measure import Measure
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.coverage import ALL, DRAFT, CoverageState, codes, words
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.coverage import CoverageView, cell_text, cell_title, heading_text
from avh_ui.workflows.coverage import Cell, Closing, FaultFinding
from tests.fakes.workspaces import FakeWorkspace


@pytest.fixture(scope="module")
def workspace() -> FakeWorkspace:
    ws = FakeWorkspace(days=9).profiled()
    ws.suggest("orders")
    return ws


def opened(workspace: FakeWorkspace, **about: str) -> CoverageState:
    session = SessionState(workspace.services)
    session.open(Address("orders", "coverage"))
    state = CoverageState(session)
    state.visit(Address("orders", "coverage", **about))
    return state


def test_all_suggestions_are_told_of_while_nothing_is_accepted(workspace: FakeWorkspace) -> None:
    state = opened(workspace)
    assert (state.of, state.busy, state.problem) == (ALL, False, None)
    assert state.coverage.of == "all suggestions"
    assert state.cell is state.coverage.holes[0]
    state.tell(DRAFT)
    assert (state.coverage.of, state.coverage.rules) == ("the draft", 0)
    assert "Nothing is accepted in the draft yet: on 2024-01-09 no fault would be noticed." in heading_text(state.coverage, state)


def test_without_a_rule_it_says_why() -> None:
    made = FakeWorkspace(days=9).profiled()
    made.decide("orders", [item.suggestion.id for item in made.suggest("orders").items], "reject")
    state = opened(made, of="all")
    assert "Every suggestion is rejected, so that no rule is left" in heading_text(state.coverage, state)


def test_an_address_names_a_cell(workspace: FakeWorkspace) -> None:
    state = opened(workspace, column="amount", fault="unit or range", of="draft")
    assert (state.of, state.column, state.cls) == ("draft", "amount", "unit or range")
    assert state.cursor == (2, CLASSES.index("unit or range"))
    unknown = opened(workspace, column="nothing", fault="no class", of="no such")
    assert unknown.cell is unknown.coverage.holes[0]


def test_moving_stops_at_the_edges(workspace: FakeWorkspace) -> None:
    state = opened(workspace, column="", fault="rows lost")
    state.move(-1, -1)
    assert state.cursor == (0, 0)
    state.move(1, 1)
    assert (state.column, state.cls) == ("id", "rows doubled")
    for _ in range(20):
        state.move(1, 1)
    assert (state.column, state.cls) == ("paid", CLASSES[-1])
    state.look(99, 0)
    assert state.column == "paid"


def test_marks_and_words(workspace: FakeWorkspace) -> None:
    found = opened(workspace, of="all").coverage
    assert {len(codes(cell)) for cell in found.cells} == {len(SEVERITIES)}
    assert (codes(found.by_place["id", "rows lost"]), words(found.by_place["id", "rows lost"])) == ("    ", "no such faults")
    typed = found.by_place["amount", "type or format"]
    assert (codes(typed), words(typed)) == ("nnnn", "noticed from 1% of the rows on")
    none = opened(workspace, of="draft").coverage.by_place["amount", "nulls"]
    assert (codes(none), words(none)) == ("mmmm", "missed at 1%, 10%, 50%, 100% of the rows")
    partly = replace(none, findings=tuple(replace(one, by=("a rule",) if one.fault.severity > 0.1 else ()) for one in none.findings))
    assert words(partly) == "missed at 1%, 10%; noticed at 50%, 100% of the rows"
    text = cell_text(none)
    assert "missed" in text
    assert "accept “id, amount, country and paid are never null”" in text
    assert "cannot happen here" in cell_title(found.by_place["id", "rows lost"])
    assert not cell_text(found.by_place["id", "rows lost"])


def test_the_view_draws_grid_and_cell_and_leads_to_the_suggestion(workspace: FakeWorkspace) -> None:
    state, gone = opened(workspace, of="draft", column="amount", fault="nulls"), list[str]()
    view = CoverageView(state, gone.append)
    assert [row["label"] for row in view.grid.rows] == ["whole rows", "id", "amount", "country", "paid"]
    assert view.grid.cursor == [2, CLASSES.index("nulls")]
    assert view.open.visible
    view._open()
    assert "amount" in workspace.draft("orders").item(gone[0]).current.measure.columns
    view.grid._handle_msg({"row": 0, "class": 0})
    assert (state.column, state.cls) == ("", "rows lost")
    view.grid._handle_msg({"row": 99, "class": 0})
    assert state.cls == "rows lost"


def test_what_cannot_be_told_is_said(workspace: FakeWorkspace) -> None:
    broken = FakeWorkspace(days=8).profiled()
    broken.suggest("orders")
    broken.profiler.tables["orders"].clear()
    state = opened(broken)
    assert state.coverage is None
    view = CoverageView(state, lambda _: None)
    assert "The coverage cannot be told" in view.blank.object
    assert not view.panes.visible


def test_a_hole_is_closed_in_place_and_the_draft_is_told_of_anew() -> None:
    ws = FakeWorkspace(days=9).profiled()
    ws.suggest("orders")
    state = opened(ws, of="draft")
    hole = next(cell for cell in state.coverage.holes if cell.worst and cell.worst.closing and cell.worst.closing.suggestion)
    state.param.update(column=hole.column, cls=hole.cls)
    view = CoverageView(state, lambda _: None)
    closing = state.closing
    assert closing is not None
    assert state.closings.index(closing) == 0
    assert view.close.actions[0]["label"] == f"Accept {closing.words} · {closing.cost}"
    view.close._handle_msg("0")
    draft = ws.draft("orders")
    assert draft is not None
    assert draft.item(closing.suggestion).status == "accepted"
    assert (state.of, state.coverage.rules) == (DRAFT, 1)
    assert state.cell is not None
    assert len(state.cell.missed) < len(hole.missed)


def test_a_hole_that_no_suggestion_closes_is_closed_by_a_rule_that_is_added() -> None:
    ws = FakeWorkspace(days=12).profiled()
    ws.suggest("orders")
    ws.decide("orders", [item.suggestion.id for item in ws.draft("orders").items], "accept")  # type: ignore[union-attr]
    state = opened(ws, of="draft")
    hole = next(cell for cell in state.coverage.holes if cell.closings and not cell.closings[0].suggestion)
    state.param.update(column=hole.column, cls=hole.cls)
    view, before = CoverageView(state, lambda _: None), state.coverage.rules
    assert not view.open.visible
    assert view.close.actions[0]["label"].startswith("Add “")
    view.close._handle_msg("0")
    assert (state.coverage.rules, state.cell is not None) == (before + 1, True)
    assert len(state.cell.missed) < len(hole.missed)  # type: ignore[union-attr]
    added = next(item for item in ws.draft("orders").items if item.current.origin == "manual")  # type: ignore[union-attr]
    assert added.status == "accepted"


def test_each_hole_can_be_closed_or_says_why_not() -> None:
    ws = FakeWorkspace(days=12).profiled()
    ws.suggest("orders")
    for of in (DRAFT, ALL):
        for cell in opened(ws, of=of).coverage.holes:
            said = all(one.why or "cannot be added" in one.advice for one in cell.missed)
            assert cell.closings or said, (of, cell.column, cell.cls)
            assert cell.closings == tuple(sorted(cell.closings, key=lambda one: not one.affordable))


def test_of_one_rule_at_several_bounds_the_tightest_that_the_budget_pays_for_is_offered() -> None:
    check = Check(Measure("max", ("a",)), Bounds(upper=5.0))
    said = (("2.4", 0.03, True), ("1.8", 0.1, True), ("1.4", 0.4, False))
    several = [Closing(f"“At most {share}% of a are the same one”", price, paid, check=check) for share, price, paid in said]
    other = Closing("“a is never above 5”", 0.5, affordable=False, check=check)

    def offered(*closings: Closing) -> tuple[Closing, ...]:
        fault = Fault("a", "unit or range", 0.5, "x10")
        return Cell("a", "unit or range", tuple(FaultFinding(fault, (), one) for one in closings)).closings

    assert offered(*several, other) == (several[1], other)
    assert offered(other, *several[::-1]) == (several[1], other)
    dear = [replace(one, affordable=False) for one in several]
    assert offered(*dear) == (dear[0],)
    suggested = [replace(one, suggestion=f"s{k}") for k, one in enumerate(several)]
    assert offered(*suggested) == tuple(suggested), "suggestions are each a decision of their own"


def test_what_is_missed_stands_first_and_once_for_all_shares_of_which_the_same_is_to_be_said() -> None:
    def finding(severity: float, way: str, *by: str) -> FaultFinding:
        return FaultFinding(Fault("a", "unit or range", severity, way), by, why="" if by else "no bound tells it apart")

    findings = [finding(0.01, "x10"), finding(0.1, "x10"), finding(0.5, "x10", "a is never above 5"), finding(0.5, "a tenth", "b")]
    said = str(cell_text(Cell("a", "unit or range", tuple(findings))))
    rows = [row.split("</td>") for row in said.split("<tr>")[2:]]
    told = [[cell.rpartition(">")[2] for cell in row[:2]] for row in rows]
    assert told == [
        ["times 10", "1, 10%"],
        ["times 10", "50%"],
        ["a tenth", "50%"],
    ]
    assert "missed" in rows[0][2]
    assert "a is never above 5" in rows[1][2]
