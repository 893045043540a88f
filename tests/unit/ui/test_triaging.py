"""The piles of the review page: what is shown, decided by one key, and what comes next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.constraints.evidence import FromHistory, Record
from avh_ui.constraints.known_key import KnownKey
from avh_ui.review.suggestion import Suggestion, side_by_side
from avh_ui.ui.state.grouping import MEANING
from avh_ui.ui.state.queue import NOBODY
from avh_ui.ui.state.triaging import TriagingState
from avh_ui.ui.views.queue import _called
from avh_ui.ui.views.triage import TriageView
from tests.fakes.builders import constraint, run
from tests.fakes.demo_workspace import demo_workspace
from tests.unit.ui.conftest import Desk, sit_down


@pytest.fixture
def desk() -> Desk:
    """A draft of three facts, one of two equal rules, and one that broke."""

    def held(*caught: str, fired: tuple[str, ...] = ()) -> FromHistory:
        return FromHistory(backtest=Record(120, fired), caught=caught, untold=9)

    never = [(constraint(name, 1.0, 1.0, metric="complete_ratio"), held("nulls")) for name in ("a", "b", "c")]
    same = [(constraint("d", metric="mean"), held("x", "y")), (constraint("d", metric="median"), held("x"))]
    broke = [(constraint("e", metric="mean"), held("x", fired=("2025-12-30",)))]
    made = [Suggestion(f"s{k}", "orders", one, of) for k, (one, of) in enumerate([*never, *same, *broke])]
    workspace = demo_workspace()
    workspace.services.suggestions._reviews.save_run(replace(run(*side_by_side(made), pipeline="orders"), last_batch="2025-12-31"))
    return sit_down(workspace)


@pytest.fixture
def triaging(desk: Desk) -> TriagingState:
    return TriagingState(desk.session, desk.queue, desk.decisions)


def test_who_comes_first_sees_the_safe_pile_and_whoever_names_one_that(triaging: TriagingState) -> None:
    triaging.begin()
    queue = triaging.queue
    assert (triaging.pile, queue.group, queue.visible) == ("safe", MEANING, ("s0", "s1", "s2"))
    assert len(queue.lines) == 1  # "3 columns are never null" is one line
    triaging.choose("doubtful")
    triaging.begin()  # a second visit stays
    assert (triaging.pile, queue.lines) == ("doubtful", ("s5",))
    triaging.begin("all")
    assert (triaging.pile, queue.group, len(queue.lines)) == (None, "", 6)
    triaging.begin("nonsense")
    assert triaging.pile is None


def test_the_keys_turn_the_piles_that_have_anything(triaging: TriagingState) -> None:
    seen = []
    for _ in range(5):
        triaging.turn()
        seen.append(triaging.pile)
    assert seen == ["safe", "eyes", "redundant", "doubtful", None]


def test_one_key_accepts_what_is_safe_and_goes_on_to_what_needs_eyes(desk: Desk, triaging: TriagingState) -> None:
    triaging.begin()
    cost = triaging.cost()
    assert cost is not None
    assert (cost.now.constraints, cost.accepted.constraints) == (0, 3)
    triaging.decide()
    assert [desk.item(f"s{k}").status for k in range(6)] == ["accepted"] * 3 + ["pending"] * 3
    assert triaging.pile == "eyes"
    triaging.decide()
    assert desk.session.said == "“Needs your eyes” is decided group by group"
    desk.decisions.undo()
    assert desk.item("s0").status == "pending"


def test_the_redundant_are_rejected_as_duplicates_and_undo_and_redo_keep_the_reason(desk: Desk, triaging: TriagingState) -> None:
    triaging.choose("redundant")
    triaging.decide()
    assert (desk.item("s4").status, desk.item("s4").reason) == ("rejected", "duplicate")
    desk.decisions.undo()
    desk.decisions.redo()
    assert (desk.item("s4").status, desk.item("s4").reason) == ("rejected", "duplicate")


def test_another_reason_is_another_decision_and_the_same_one_is_none(desk: Desk) -> None:
    desk.decisions.reject(["s0"], "known")
    first = desk.item("s0").revision
    desk.decisions.reject(["s0"], "known")
    assert desk.item("s0").revision == first
    desk.decisions.reject(["s0"], "meaningless")
    assert desk.item("s0").reason == "meaningless"


def test_a_group_is_one_decision(desk: Desk, triaging: TriagingState) -> None:
    triaging.begin()
    line = desk.queue.lines[0]
    desk.decisions.reject(desk.queue.members(line), "too_loose")
    assert {desk.item(f"s{k}").reason for k in range(3)} == {"too_loose"}
    assert triaging.triage.progress.startswith("1 of 4 groups decided")


def test_a_pile_that_is_decided_leads_on_to_one_that_waits_and_the_last_to_publishing(desk: Desk, triaging: TriagingState) -> None:
    went: list[str] = []
    view = TriageView(triaging, lambda: went.append("publish"))
    triaging.choose("eyes")
    assert view.actions.actions == []
    desk.decisions.accept(["s3"])
    assert [offered["name"] for offered in view.actions.actions] == ["next"]
    view._press("next")
    assert triaging.pile == "redundant"
    desk.decisions.accept([f"s{k}" for k in range(6)])
    assert [offered["name"] for offered in view.actions.actions] == ["publish"]
    view._press("publish")
    assert went == ["publish"]
    triaging.choose(None)
    assert "What is accepted counts once it is published." in str(view.text.object)
    desk.publishing.message = "first"
    desk.publishing.approve()
    assert (view.actions.actions, "Version 1 enforces what is accepted." in str(view.text.object)) == ([], True)


def test_where_nothing_is_accepted_nothing_leads_on_to_publishing(desk: Desk, triaging: TriagingState) -> None:
    view = TriageView(triaging)
    desk.decisions.reject([f"s{k}" for k in range(6)], "known")
    triaging.choose(None)
    assert (view.actions.actions, "Nothing is accepted." in str(view.text.object)) == ([], True)


def test_a_key_that_waits_is_told_where_all_else_is_decided(desk: Desk, triaging: TriagingState) -> None:
    view = TriageView(triaging)
    desk.decisions.accept([f"s{k}" for k in range(6)])
    assert "everything is decided" in str(view.progress.object)
    draft = desk.session.draft
    assert draft is not None
    desk.session.draft = replace(draft, run=replace(draft.run, row_key=KnownKey(("id",), "it is unique")))
    assert "everything but the key is decided" in str(view.progress.object)


def test_metrics_that_are_called_alike_are_told_apart() -> None:
    found = _called("metric", ("mean", "js_div", "kl_div"))
    assert found == {"mean": "average", "js_div": "change of the distribution, js_div", "kl_div": "change of the distribution, kl_div"}
    assert _called("person", ("ann", NOBODY)) == {"ann": "ann", NOBODY: "nobody"}
