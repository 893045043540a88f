"""Publishing from the app: the difference to the live version, and what stands in the way."""

from __future__ import annotations

from tests.fakes.demo_workspace import demo_workspace
from tests.unit.ui_sessions.conftest import Desk, sit_down


def publish(desk: Desk, message: str) -> None:
    desk.publishing.message = message
    desk.publishing.approve()


def test_a_version_is_written_and_the_difference_becomes_none(desk: Desk) -> None:
    ids = desk.queue.visible
    desk.decisions.accept(ids[:3])
    assert desk.publishing.difference().summary == "3 added"
    publish(desk, "first")
    live = desk.workspace.live("orders")
    assert live is not None
    assert (live.version, live.message, live.author, len(live.constraints)) == (1, "first", "ada", 3)
    assert desk.session.live == live
    assert desk.publishing.difference().summary == "no change"
    desk.decisions.reject([ids[0]])
    desk.decisions.accept([ids[4]])
    lower, upper = desk.item(ids[1]).current.lower, desk.item(ids[1]).current.upper
    desk.decisions.edit(ids[1], None if upper is not None else lower, upper + 1 if upper is not None else None)
    assert desk.publishing.difference().summary == "1 added, 1 changed, 1 removed"
    publish(desk, "second")
    assert [p.version for p in desk.session.versions] == [2, 1]


def test_nothing_accepted_is_said_and_nothing_written(desk: Desk) -> None:
    publish(desk, "empty")
    assert desk.publishing.problem
    assert desk.workspace.live("orders") is None


def test_a_version_needs_a_message(desk: Desk) -> None:
    desk.decisions.accept()
    publish(desk, "  ")
    assert "message" in desk.publishing.problem
    assert desk.workspace.live("orders") is None


def test_a_reviewer_may_not_approve() -> None:
    desk = sit_down(demo_workspace(people={"ada": "reviewer"}))
    desk.decisions.accept()
    publish(desk, "mine")
    assert "approver" in desk.publishing.problem
    assert desk.workspace.live("orders") is None
