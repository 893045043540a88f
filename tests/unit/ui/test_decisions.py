from __future__ import annotations

from typing import Any

import pytest

from avh_ui.errors import HistoryError
from avh_ui.review.plain import plain
from avh_ui.workspace import Workspace
from tests.fakes.demo_workspace import demo_workspace
from tests.unit.ui.conftest import Desk, sit_down


@pytest.fixture
def workspace(desk: Desk) -> Workspace:
    return desk.workspace


def statuses(desk: Desk, *places: int) -> list[str]:
    """What stands decided of the items at these places of the draft, as it is stored."""
    draft = desk.workspace.draft("orders")
    assert draft is not None
    return [draft.items[at].status for at in places]


def test_the_cursor_moves_on_to_the_next_pending_item(desk: Desk) -> None:
    ids = desk.queue.visible
    desk.decisions.reject([ids[1]])
    desk.queue.go(ids[0])
    desk.decisions.accept()
    assert desk.queue.cursor == ids[2]
    assert statuses(desk, 0, 1, 2) == ["accepted", "rejected", "pending"]
    line = plain(desk.session.draft.by_id[ids[0]].current)
    assert desk.session.said == f"Accepted “{line.removesuffix('.')}” · u undoes", "in the words of its line"


def test_the_last_one_wraps_around_and_then_stays(desk: Desk) -> None:
    ids = desk.queue.visible
    desk.decisions.accept(ids[1:-1])
    desk.queue.go(ids[-1])
    desk.decisions.accept()
    assert desk.queue.cursor == ids[0]
    desk.decisions.reject()
    assert desk.queue.cursor == ids[0]
    assert "everything is decided" in desk.session.said


def test_undo_restores_whatever_was(desk: Desk) -> None:
    ids = desk.queue.visible
    desk.decisions.edit(ids[0], 1.0, 2.0)
    desk.decisions.accept([ids[1]])
    desk.decisions.reject([ids[2]])
    desk.decisions.reject(ids[:4])
    assert statuses(desk, 0, 1, 2, 3) == ["rejected"] * 4
    desk.decisions.undo()
    assert statuses(desk, 0, 1, 2, 3) == ["edited", "accepted", "rejected", "pending"]
    assert desk.session.draft.items[0].current.upper == 2.0
    for _ in range(3):
        desk.decisions.undo()
    assert statuses(desk, 0, 1, 2, 3) == ["pending"] * 4
    assert not desk.decisions.can_undo
    desk.decisions.undo()
    assert "Nothing to undo" in desk.session.said


def test_accepting_an_edited_item_keeps_its_bounds(desk: Desk) -> None:
    first = desk.queue.cursor
    desk.decisions.edit(first, 1.0, 2.0)
    desk.decisions.accept([first])
    assert statuses(desk, 0) == ["edited"]


def test_an_edit_to_the_suggested_bounds_is_an_acceptance(desk: Desk) -> None:
    suggested = desk.queue.item.suggestion.constraint
    desk.decisions.edit(desk.queue.cursor, suggested.lower, suggested.upper)
    assert statuses(desk, 0) == ["accepted"]


def test_a_decision_of_somebody_else_is_not_overwritten(desk: Desk, workspace: Workspace) -> None:
    first = desk.queue.cursor
    workspace.decide("orders", [first], "accept", by="grace")
    desk.decisions.reject()
    assert desk.session.notice.tone == "warning"
    assert "grace" in desk.session.notice.text
    assert statuses(desk, 0) == ["accepted"]
    assert desk.session.draft.items[0].status == "accepted"  # the list was refreshed
    desk.decisions.reject([first])
    assert statuses(desk, 0) == ["rejected"]


def test_undo_does_not_overwrite_either(desk: Desk, workspace: Workspace) -> None:
    first = desk.queue.cursor
    desk.decisions.accept()
    workspace.decide("orders", [first], "reject", by="grace")
    desk.decisions.undo()
    assert desk.session.notice.tone == "warning"
    assert statuses(desk, 0) == ["rejected"]


def test_a_viewer_is_told() -> None:
    desk = sit_down(demo_workspace(people={"ada": "viewer", "grace": "approver"}))
    desk.decisions.accept()
    assert desk.session.notice.tone == "error"
    assert "Ask grace" in desk.session.notice.text
    assert statuses(desk, 0) == ["pending"]


def test_a_broken_history_hides_nothing_else(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise HistoryError("The file of 2025-03-04 is cut short.", hint="Profile it again.")

    monkeypatch.setattr(workspace.services.batches, "history", broken)
    desk = sit_down(workspace)
    assert desk.session.phase == "ready"
    assert desk.evidence.trial() is None
    desk.decisions.accept()
    assert statuses(desk, 0) == ["accepted"]


def test_publishing(desk: Desk, workspace: Workspace) -> None:
    desk.decisions.accept(desk.queue.visible[:3])
    assert desk.publishing.difference().summary == "3 added"
    desk.publishing.approve()
    assert "Say what changes" in desk.publishing.problem
    desk.publishing.message = "First"
    desk.publishing.approve()
    assert (desk.publishing.problem, desk.publishing.message, desk.session.live.version) == ("", "", 1)
    desk.decisions.edit(desk.queue.visible[0], 1.0, 2.0)
    desk.decisions.reject([desk.queue.visible[1]])
    desk.decisions.accept([desk.queue.visible[4]])
    found = desk.publishing.difference()
    assert (found.summary, found.unchanged) == ("1 added, 1 changed, 1 removed", 1)


def test_publishing_errors_are_kept(desk: Desk) -> None:
    desk.publishing.message = "Nothing"
    desk.publishing.approve()
    assert "Nothing is accepted" in desk.publishing.problem
    other = sit_down(demo_workspace(people={"ada": "reviewer"}))
    other.decisions.accept()
    other.publishing.message = "First"
    other.publishing.approve()
    assert "may not publish" in other.publishing.problem
