"""Publishing from the app: the difference to the live version, and what stands in the way."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from avh_ui.review.difference import ConstraintChange
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.exports import changes_csv
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.chart_data import change_chart
from avh_ui.ui.views.publish import PublishPage, PublishView
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.workspaces import FakeWorkspace
from tests.unit.ui.conftest import Desk, sit_down


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
    desk.decisions.edit(ids[1], 0.99, 1.0)
    assert desk.publishing.difference().summary == "1 added, 1 changed, 1 removed"
    publish(desk, "second")
    assert [p.version for p in desk.session.versions] == [2, 1]


def test_what_stands_in_the_way_is_said_before_anything_is_pressed(desk: Desk) -> None:
    assert "Nothing is accepted" in desk.publishing.obstacle
    view = PublishView(desk.publishing, str)
    assert view.approve.disabled
    desk.decisions.accept(desk.queue.visible[:1])
    assert desk.publishing.obstacle == ""
    assert not view.approve.disabled
    publish(desk, "first")
    assert "live version 1" in desk.publishing.obstacle
    assert view.approve.disabled
    # What waits is decided first; then a batch is broken.
    assert (view.review.visible, view.trial.visible) == (True, False)
    desk.decisions.reject(desk.queue.visible[1:])
    assert (view.review.visible, view.trial.visible) == (False, True)
    assert "Version 1 enforces all that is accepted." in view.heading.object


def test_what_changes_besides_constraints_can_be_published_alone(desk: Desk) -> None:
    desk.decisions.accept(desk.queue.visible[:1])
    publish(desk, "first")
    desk.publishing.visit()
    desk.publishing.preview = replace(desk.publishing.preview, others=("Column 'a <b>' is missing.",))
    assert desk.publishing.obstacle == ""
    assert "a &lt;b&gt;" in PublishView(desk.publishing, str).heading.object


def test_a_version_that_the_look_at_others_saw_first_is_listed_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    session = desk.session

    def seen_meanwhile(work: Callable[[], Any], done: Callable[[Any], object], failed: object = None) -> None:
        found = work()
        session.versions = tuple(session.services.programs.versions("orders"))
        done(found)

    desk.decisions.accept(desk.queue.visible[:1])
    monkeypatch.setattr(session, "attempt", seen_meanwhile)
    publish(desk, "first")
    assert [program.version for program in session.versions] == [1]


def test_who_may_not_publish_reads_why_beside_the_button(desk: Desk) -> None:
    desk.decisions.accept(desk.queue.visible[:1])
    desk.publishing.visit()
    view = PublishView(desk.publishing, str)
    assert not view.obstacle.visible
    refusal = "bob is a reviewer: to publish takes an approver."
    with patch.object(type(desk.publishing), "refusal", refusal):
        view = PublishView(desk.publishing, str)
    assert refusal in view.obstacle.object
    assert view.obstacle.visible
    assert view.approve.disabled


def test_nothing_accepted_is_said_and_nothing_written(desk: Desk) -> None:
    publish(desk, "empty")
    assert desk.publishing.problem
    assert desk.workspace.live("orders") is None


def test_what_was_edited_meanwhile_is_shown_and_not_published(desk: Desk) -> None:
    ids = desk.queue.visible
    desk.decisions.accept(ids[:3])
    view = PublishView(desk.publishing, str)
    # Another reviewer, in another session.
    desk.workspace.decide("orders", [ids[0]], "reject", by="bob <b>")
    publish(desk, "as seen")
    assert desk.workspace.live("orders") is None
    assert "no longer the one that was shown" in desk.publishing.problem
    assert len(desk.publishing.moved) == 1
    assert desk.publishing.moved[0].startswith("bob <b> rejected")
    assert "<li" in view.alert.object
    assert "bob &lt;b&gt; rejected" in view.alert.object
    # The page shows the draft as it is now, and the message is still there: looked at again, it can be published.
    assert desk.publishing.difference().summary == "2 added"
    assert desk.publishing.message == "as seen"
    desk.publishing.approve()
    live = desk.workspace.live("orders")
    assert live is not None
    assert (len(live.constraints), desk.publishing.moved) == (2, ())


def test_who_is_second_to_publish_is_told(desk: Desk) -> None:
    desk.decisions.accept(desk.queue.visible[:3])
    desk.workspace.publish("orders", by="bob", message="mine")
    publish(desk, "as seen")
    assert "next one is 2" in desk.publishing.problem
    assert desk.publishing.next_version == 2


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


def test_a_version_is_rolled_back_to_with_a_reason(desk: Desk) -> None:
    ids = desk.queue.visible
    desk.decisions.accept(ids[:3])
    publish(desk, "first")
    desk.decisions.accept(ids[3:5])
    publish(desk, "second")
    desk.publishing.version = 1
    desk.publishing.roll_back()
    assert "Say why version 1" in desk.publishing.problem
    desk.publishing.reason = "too loud"
    desk.publishing.roll_back()
    live = desk.workspace.live("orders")
    assert live is not None
    assert (live.version, live.message, len(live.constraints)) == (3, "too loud", 3)
    assert [p.version for p in desk.session.versions] == [3, 2, 1]
    assert (desk.publishing.version, desk.publishing.reason, desk.publishing.problem) == (0, "", "")
    assert desk.publishing.difference().summary == "2 added"
    # Without a chain, decisions stand among them by the second: before the first publication only where that was a second later.
    assert [e.did for e in desk.publishing.trail if e.log == "program"] == ["rolled back to version 1", "published", "published"]
    assert "rolled back to version 1" in desk.publishing.audit_csv()


def test_whoever_decided_is_barred_by_four_eyes() -> None:
    desk = sit_down(demo_workspace(four_eyes=True))
    view = PublishView(desk.publishing, str)
    assert (desk.publishing.four_eyes, desk.publishing.barred) == (True, False)
    desk.decisions.accept()
    assert desk.publishing.barred
    assert view.eyes.visible
    assert "another approver has to publish it" in str(view.eyes.object)
    assert "Approver" not in str(view.facts.object), "who may not publish it approves nothing"
    publish(desk, "mine")
    assert "four_eyes" in desk.publishing.problem
    assert desk.workspace.live("orders") is None


def test_changes_are_walked_and_an_address_names_one(desk: Desk) -> None:
    ids = desk.queue.visible
    desk.decisions.accept(ids[:3])
    state = desk.publishing
    assert state.change.either.key == state.difference().changes[0].either.key
    state.move(1)
    assert state.chosen == state.difference().changes[1].either.key
    state.visit(Address("orders", "publish", suggestion=ids[2], version="x"))
    assert (state.change.either.key, state.version) == (ids[2], 0)
    rows = list(csv.reader(io.StringIO(changes_csv(state.difference().changes))))
    assert [row[0] for row in rows[1:]] == ["added"] * 3


def test_both_bands_of_a_change_are_drawn(desk: Desk) -> None:
    item = next(i for i in desk.session.draft.items if i.current.upper is not None and i.current.transform.relative)
    moved = item.current.with_bounds(item.current.lower, item.current.upper + 1)
    history = desk.session.history
    both = change_chart(ConstraintChange(item.current, moved), history)
    assert both is not None
    assert np.nanmax(both.area[1]) > np.nanmax(both.reference[1])
    assert both.reference[1].shape == both.y.shape
    added, removed = change_chart(ConstraintChange(None, moved), history), change_chart(ConstraintChange(moved, None), history)
    assert added.reference is None
    assert not np.isfinite(removed.area[1]).any()
    assert not removed.fired.any()


def test_the_days_that_would_have_failed_lead_on(desk: Desk) -> None:
    desk.decisions.accept(desk.queue.visible)
    went: list[tuple[str, dict[str, str]]] = []
    page = PublishPage(desk.session, lambda name, **about: went.append((name, about)))
    view = page.view()
    assert "Trying the program" in view.tried.object
    page.visit(None)
    days = [line["value"] for line in view.days.lines]
    preview = desk.workspace.preview("orders")
    assert days == [group[0].batch for group in preview.backtest.groups][::-1]
    stretch = next(group for group in preview.backtest.groups if len(group) > 1)
    line = next(line for line in view.days.lines if line["value"] == stretch[0].batch)
    assert line["label"] == f"{stretch[0].batch} to {stretch[-1].batch}"
    assert line["note"].startswith(f"{len(stretch)} batches in a row. On the first: ")
    for words in (preview.backtest.words, preview.taught_words, preview.backtest.stretch_words):
        assert words in view.tried.object
    assert "None of these days has a label" in view.told.object
    blamed = preview.backtest.blamed
    assert [(line["value"], line["tag"]) for line in view.blamed.lines] == [(b.constraint.key, f"{b.alone} days") for b in blamed]
    assert "50 rules were accepted together" in view.unseen.object
    page.state.validated = frozenset(days[:1])
    view.days._handle_msg(days[0])
    view.days._handle_msg(days[1])
    view.blamed._handle_msg(blamed[0].constraint.key)
    assert went[2:] == [("review", {"suggestion": blamed[0].constraint.key})]
    assert went[:2] == [("runs", {"batch": days[0]}), ("drift", {"batch": days[1]})]
    # Somebody else decides while the page is seen: what it says is of the draft as it is now.
    desk.session.tab = "publish"
    desk.session.draft = desk.workspace.decide("orders", desk.queue.visible[:49], "reject", by="bob")
    assert page.state.seen is not None
    assert len(page.state.seen.unseen) <= 1


def test_what_stays_open_is_told_where_something_is_to_be_published() -> None:
    workspace = FakeWorkspace(days=9).profiled()
    workspace.suggest("orders")
    session = SessionState(workspace.services)
    session.open(Address("orders", "publish"))
    went: list[tuple[str, dict[str, str]]] = []
    page = PublishPage(session, lambda name, **about: went.append((name, about)))
    view = page.view()
    page.visit(None)
    assert not view.covered.visible
    ids = list(session.draft.by_id)
    session.draft = workspace.decide("orders", ids[:2], "accept", by="ada")
    found = workspace.coverage("orders", "draft")
    noticed, of = found.share(0.5)
    assert view.covered.visible
    assert f"noticed in {noticed} of {of} places" in view.left_open.object
    assert f"In {len(found.holes)} something stays unnoticed" in view.left_open.object
    worst, line = found.holes[0], view.open.lines[0]
    assert line["label"] == f"{worst.column or 'whole rows'}: {worst.cls}"
    assert f". To notice it: {worst.closings[0].sentence}" in line["note"]
    view.open._handle_msg(line["value"])
    assert went == [("coverage", {"of": "draft", "fault": worst.cls, "column": worst.column})]
    # Of a draft that changes nothing any more nothing is told.
    session.draft = workspace.decide("orders", ids[:2], "reset", by="bob")
    assert not view.covered.visible
