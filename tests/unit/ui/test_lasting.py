"""Lasting changes above the suggestions: told, and answered with one button."""

from __future__ import annotations

from avh_ui.ui.state.lasting import LastingState
from avh_ui.ui.views.lasting import LastingView
from tests.fakes.workspaces import FakeWorkspace, day
from tests.unit.ui.conftest import sit_down
from tests.unit.workflows.test_lasting_changes import stepped


def view_of(workspace: FakeWorkspace) -> LastingView:
    workspace.suggest("orders")
    return LastingView(LastingState(sit_down(workspace).session))


def test_a_change_is_told_and_answered() -> None:
    workspace = stepped()
    view = view_of(workspace)
    assert view.body.visible
    assert "the average of amount is about 30% higher" in view.texts[0].object
    assert [one.visible for one in view.rows] == [True, False]
    view._answer(0)
    assert workspace.profiles.begins["orders"] == {day(40): ["amount"]}
    assert view.state.session.notice.text == f"The history begins anew with {day(40)}. Suggest anew to go by it."
    assert not view.body.visible


def test_nothing_is_shown_where_nothing_changed() -> None:
    assert not view_of(FakeWorkspace(days=40).profiled()).body.visible
