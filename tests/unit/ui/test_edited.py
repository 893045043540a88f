"""Edited bounds: what they cost and catch is told of them, and no key saves a form that nobody saw."""

from __future__ import annotations

import pytest

from avh_ui.ui.components.theme_keeper import chosen_dark
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.runs import RunsState
from avh_ui.ui.views.evidence_facts import facts
from avh_ui.ui.views.runs import RunsView
from tests.fakes.demo_runs import publish_and_validate
from tests.fakes.demo_workspace import demo_workspace
from tests.unit.ui.conftest import Desk, sit_down


def test_tighter_bounds_cost_more_and_wider_ones_no_more_than_suggested(desk: Desk) -> None:
    item = desk.queue.item
    assert item is not None
    suggested, (lower, upper) = item.current, desk.evidence.bounds
    assert desk.evidence.priced() is item
    desk.evidence.drag(23_000.0, upper)
    tight = desk.evidence.priced()
    trial = desk.evidence.trial()
    assert tight is not None
    assert trial is not None
    assert trial.result.fires > 50  # of 365: the history itself breaks these bounds
    assert tight.current.fpr > 0.1 > suggested.fpr
    assert "1 in" in facts(desk.evidence)
    desk.decisions.edit(item.suggestion.id, 23_000.0, upper)
    kept = desk.item(item.suggestion.id)
    assert kept.current.fpr == tight.current.fpr
    desk.decisions.edit(item.suggestion.id, lower / 2, upper * 2)
    wide = desk.item(item.suggestion.id)
    assert 0 < wide.current.fpr <= suggested.fpr
    desk.decisions.edit(item.suggestion.id, lower, upper)
    assert desk.item(item.suggestion.id).current.fpr == suggested.fpr


def test_what_is_published_says_what_the_edited_bounds_cost(desk: Desk) -> None:
    item = desk.queue.item
    assert item is not None
    desk.decisions.edit(item.suggestion.id, 23_000.0, desk.evidence.bounds[1])
    program = desk.workspace.publish("orders", message="tight")
    assert program.constraints[0].fpr == desk.item(item.suggestion.id).current.fpr > 0.1


def test_a_key_saves_no_form_that_it_was_not_pressed_before(desk: Desk) -> None:
    first, second = desk.queue.visible[:2]
    desk.evidence.drag(23_000.0, 38_000.0)
    desk.queue.move(1)
    desk.evidence.accept(first, second)  # the list shows the first again, the form still the second
    assert desk.item(first).status == "pending"
    assert "not saved: look at them" in desk.session.notice.text
    assert desk.queue.cursor == first
    desk.evidence.accept(first, first)
    assert (desk.item(first).status, desk.item(first).current.lower) == ("edited", 23_000.0)
    desk.evidence.accept("gone", "gone")
    assert "not in the list any more" in desk.session.notice.text
    assert desk.item(second).status == "pending"


def test_a_batch_that_was_profiled_after_the_page_was_read_is_kept() -> None:
    workspace = demo_workspace()
    publish_and_validate(workspace)
    session = sit_down(workspace).session
    session.history = None  # as it was read before the newest batches came
    runs = RunsState(session)
    view = RunsView(runs, *([lambda *_: None] * 3))
    runs.visit(Address("orders", "runs"))
    assert "was not kept" not in view.effect.object
    assert not view.drift.disabled


@pytest.mark.parametrize(("chosen", "system", "dark"), [("", "dark", True), ("light", "dark", False), ("dark", "", True), ("", "", False)])
def test_the_system_counts_until_somebody_chooses(chosen: str, system: str, dark: bool) -> None:
    assert chosen_dark({"avh_theme": chosen, "avh_system": system}) is dark
