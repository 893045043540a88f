"""Where nothing is suggested yet, the first profiles and suggestions are made by one button."""

from __future__ import annotations

from avh_ui.ui.views.nothing import NothingView
from tests.fakes.workspaces import FakeWorkspace
from tests.unit.ui.conftest import sit_down


def test_profiles_and_suggestions_are_made_from_the_empty_page() -> None:
    ws = FakeWorkspace()
    session = sit_down(ws).session
    view = NothingView(session)
    assert session.phase == "nothing"
    assert "Nothing is suggested for orders yet" in view.text.object
    assert view.begin.start.visible
    view.beginning.start()
    assert (session.phase, len(session.history.batches)) == ("ready", len(ws.batches("orders")))
    assert session.draft.items
    assert f"{len(session.draft.items)} suggestions from " in session.notice.text


def test_why_it_could_not_be_done_stands_on_the_page_until_it_is_tried_anew() -> None:
    ws = FakeWorkspace()
    session = sit_down(ws).session
    view, tables = NothingView(session), dict(ws.profiler.tables["orders"])
    ws.profiler.tables["orders"].clear()
    view.beginning.start()
    assert view.beginning.problem is not None
    assert "That could not be done" in view.text.object
    assert view.beginning.problem.message.split("'")[0] in view.text.object
    ws.profiler.tables["orders"].update(tables)
    view.beginning.start()
    assert (view.beginning.problem, session.phase) == (None, "ready")
