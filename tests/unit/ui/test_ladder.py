"""The ladder of a suggested pattern: taking rungs, trying a regex, saving and undoing it; and that every place shows it."""

from __future__ import annotations

import pytest
from panel.io.state import state as panel_state

from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.errors import ConstraintError
from avh_ui.ui.state.ladder import LadderState
from avh_ui.ui.state.new_rule import TryingState
from avh_ui.ui.state.publishing import difference
from avh_ui.ui.state.rows import table_row
from avh_ui.ui.views.evidence import EvidenceView
from tests.fakes.patterns import HOSTILE, coded, coded_workspace
from tests.fakes.workspaces import FakeWorkspace
from tests.unit.ui.conftest import Desk, sit_down


@pytest.fixture
def seat() -> tuple[Desk, LadderState, str]:
    """A session that looks at the pattern of `code`."""
    ws, item = coded_workspace()
    desk = sit_down(ws, f"?pipeline=orders&suggestion={item}")
    return desk, LadderState(desk.evidence), item


def pattern(desk: Desk, item: str) -> PatternConstraint:
    found = desk.item(item).current
    assert isinstance(found, PatternConstraint)
    return found


def test_the_row_and_the_chart_show_the_pattern(seat: tuple[Desk, LadderState, str]) -> None:
    desk, _, item = seat
    row = table_row(desk.item(item), desk.session.history)
    assert row["bounds"].startswith(pattern(desk, item).pattern.text)
    assert row["spark"]["fires"] == 0
    trial = desk.evidence.trial()
    assert trial is not None
    assert trial.result.observed[5] == pytest.approx(1 / 300)
    assert desk.evidence.reader.unit == "ratio"


def test_taking_another_rung_is_an_edit_and_can_be_undone(seat: tuple[Desk, LadderState, str]) -> None:
    desk, ladder, item = seat
    at = next(k for k, rung in enumerate(ladder.rungs) if not rung.chosen)
    wanted = ladder.rungs[at].pattern
    ladder.choose(at)
    assert (desk.item(item).status, pattern(desk, item).pattern) == ("edited", wanted)
    assert pattern(desk, item).significance > 0
    # Its series is that of the rung.
    desk.queue.go(item)
    assert desk.evidence.series is not None
    desk.evidence.drag(None, 0.4)
    desk.evidence.save()
    assert (pattern(desk, item).pattern, pattern(desk, item).upper, pattern(desk, item).significance) == (wanted, 0.4, 0.0)
    desk.decisions.undo()
    assert (pattern(desk, item).pattern, pattern(desk, item).significance) == (wanted, 0.001)
    desk.decisions.undo()
    assert (desk.item(item).status, pattern(desk, item).pattern) == ("pending", desk.item(item).suggestion.constraint.pattern)  # type: ignore[attr-defined]


def test_taking_the_suggested_rung_accepts_it(seat: tuple[Desk, LadderState, str]) -> None:
    desk, ladder, item = seat
    ladder.choose(next(k for k, rung in enumerate(ladder.rungs) if rung.chosen))
    assert desk.item(item).status == "accepted"


def test_a_regex_is_tried_on_the_history_at_once(seat: tuple[Desk, LadderState, str]) -> None:
    desk, ladder, item = seat
    ladder.type("[AB]\\d{3}")
    assert ladder.problem == ""
    trial = ladder.trial
    assert (trial.pattern.values, trial.whole) == (14 * 300, True)
    by_hand = sum(v[0] not in "AB" for k in range(14) for v in coded(k).column("code").to_pylist())
    assert trial.pattern.bad == by_hand
    assert all(v[0] in "AB" for v in trial.matching)
    ladder.save()
    assert (desk.item(item).status, pattern(desk, item).pattern.text) == ("edited", "[AB][0-9]{3}")
    desk.queue.go(item)
    series = desk.evidence.series
    assert series is not None
    assert round(float(series.sum()) * 300) == by_hand
    found = desk.evidence.trial()
    assert found is not None
    assert found.result.judged.all()


def test_a_regex_that_cannot_be_used_says_why(seat: tuple[Desk, LadderState, str]) -> None:
    desk, ladder, item = seat
    ladder.type("(A+)+")
    assert "exponential time" in ladder.problem
    assert ladder.trial is None
    ladder.save()
    assert desk.item(item).status == "pending"


def test_only_patterns_have_patterns() -> None:
    ws = FakeWorkspace().drafted()
    desk = sit_down(ws, "?pipeline=orders")
    item = desk.queue.visible[0]
    ladder = LadderState(desk.evidence)
    assert (ladder.rungs, ladder.current) == ((), None)
    ladder.type("A")
    assert "has no pattern" in ladder.problem
    with pytest.raises(ConstraintError, match="has no pattern"):
        ws.decide("orders", [item], "edit", pattern=_pattern())


def _pattern() -> object:
    ws, item = coded_workspace()
    draft = ws.draft("orders")
    assert draft is not None
    found = draft.item(item).current
    assert isinstance(found, PatternConstraint)
    return found.pattern


def test_the_pane_draws_it_as_plain_texts(seat: tuple[Desk, LadderState, str]) -> None:
    desk, _, _ = seat
    try:
        view = EvidenceView(desk.evidence, TryingState(desk.session))
        view.__panel__().get_root()
        table = view.ladder.table
        assert [rung["used"] for rung in table.shown["rungs"]].count(True) == 1
        # Its own component sets texts as texts, so it is handed what the data hold.
        assert any(HOSTILE in sample["values"] for rung in table.shown["rungs"] for sample in rung["samples"])
        table._handle_msg({"do": "type", "regex": "[A-C]\\d+"})
        assert "conform" in table.shown["tried"]["facts"]
        assert table.shown["ready"]
        table._handle_msg({"do": "type", "regex": "["})
        assert table.shown["problem"]
        assert not table.shown["ready"]
    finally:
        panel_state.reset()


def test_the_ladder_trusts_no_message(seat: tuple[Desk, LadderState, str]) -> None:
    desk, ladder, item = seat
    try:
        table = EvidenceView(desk.evidence, TryingState(desk.session)).ladder.table
        for message in (
            "save",
            {},
            {"do": "use", "at": 99},
            {"do": "use", "at": "0"},
            {"do": "use", "at": -1},
            {"do": "type", "regex": 3},
            {"do": "save"},
        ):
            table._handle_msg(message)
        assert desk.item(item).status == "pending"
        table._handle_msg({"do": "use", "at": next(k for k, rung in enumerate(ladder.rungs) if not rung.chosen)})
        assert desk.item(item).status == "edited"
    finally:
        panel_state.reset()


def test_the_page_of_publishing_tells_another_pattern(seat: tuple[Desk, LadderState, str]) -> None:
    desk, ladder, item = seat
    ladder.choose(next(k for k, rung in enumerate(ladder.rungs) if rung.chosen))
    first = desk.workspace.publish("orders", message="first")
    desk.queue.go(item)
    ladder.choose(next(k for k, rung in enumerate(ladder.rungs) if not rung.chosen))
    found = difference(desk.workspace.draft("orders"), first)
    (change,) = found.changed
    assert change.words[1].startswith(pattern(desk, item).pattern.text)
    assert change.words[1].endswith("%")
