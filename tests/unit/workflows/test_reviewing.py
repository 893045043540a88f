"""Decisions: who may decide, what is refused, and conflicts."""

from __future__ import annotations

import math

import pytest

from avh_ui.errors import ConflictError, ConstraintError, NotFoundError, NotPermittedError, UsageError
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace, config

A, B = CONSTRAINTS[0].key, CONSTRAINTS[1].key
PEOPLE = {"vic": "viewer", "rae": "reviewer", "app": "approver"}


def test_accept_reject_edit_reset() -> None:
    ws = FakeWorkspace(days=8).drafted()
    draft = ws.decide("orders", [A, B, A], "accept", why="fine")
    assert (draft.count("accepted"), draft.item(A).decided_by, draft.item(A).why) == (2, "ann", "fine")
    assert ws.decide("orders", [A], "reject", by="bob").item(A).status == "rejected"
    edited = ws.decide("orders", [A], "edit", lower=350.0, upper=math.inf).item(A)
    assert (edited.status, edited.current.lower, edited.current.upper) == ("edited", 350.0, None)
    assert ws.decide("orders", [A], "reset").item(A).current == CONSTRAINTS[0]
    assert [d.action for d in ws.decisions("orders")] == ["accept", "accept", "reject", "edit", "reset"]


def test_no_draft_says_how_to_make_one() -> None:
    with pytest.raises(NotFoundError, match="avh suggest orders"):
        FakeWorkspace(days=2).decide("orders", [A], "accept")


def test_an_unknown_suggestion_changes_nothing() -> None:
    ws = FakeWorkspace(days=8).drafted()
    with pytest.raises(NotFoundError):
        ws.decide("orders", [A, "nope"], "accept")
    assert ws.decisions("orders") == []


@pytest.mark.parametrize(
    ("ids", "action", "bounds", "error"),
    [
        ([], "accept", {}, UsageError),
        ([A, B], "edit", {"lower": 1.0}, UsageError),
        ([A], "accept", {"lower": 1.0}, UsageError),
        ([A], "edit", {}, ConstraintError),
        ([A], "edit", {"lower": 2.0, "upper": 1.0}, ConstraintError),
        ([A], "edit", {"lower": math.nan}, ConstraintError),
        ([A], "edit", {"lower": -math.inf, "upper": math.inf}, ConstraintError),
    ],
)
def test_decisions_that_are_refused(ids: list[str], action: str, bounds: dict[str, float], error: type[Exception]) -> None:
    ws = FakeWorkspace(days=8).drafted()
    with pytest.raises(error):
        ws.decide("orders", ids, action, **bounds)  # type: ignore[arg-type]
    assert ws.decisions("orders") == []


@pytest.mark.parametrize(
    ("place", "bounds", "can_be"),
    [
        (0, {"lower": 0.0}, "row_count of amount is always at least 0"),
        (3, {"lower": 0.0}, "js_div of country is always at least 0"),
        (4, {"upper": 1.0}, "complete_ratio of country is always at least 0% and at most 100%"),
        (4, {"lower": -1.0, "upper": 2.0}, "complete_ratio of country"),
    ],
)
def test_an_edit_after_which_no_batch_could_fail_is_refused(place: int, bounds: dict[str, float], can_be: str) -> None:
    ws, rule = FakeWorkspace(days=8).drafted(), CONSTRAINTS[place].key
    ws.decide("orders", [rule], "accept")
    with pytest.raises(ConstraintError, match=f"never alarms: {can_be}") as refused:
        ws.decide("orders", [rule], "edit", **bounds)  # type: ignore[arg-type]
    assert "or reject the suggestion" in (refused.value.hint or "")
    assert ws.draft("orders").item(rule).status == "accepted"  # type: ignore[union-attr]


@pytest.mark.parametrize(("place", "bounds"), [(0, {"lower": 1.0}), (2, {"lower": 0.0}), (4, {"upper": 0.999}), (4, {"lower": 1.0})])
def test_an_edit_that_some_batch_can_break_is_not(place: int, bounds: dict[str, float]) -> None:
    rule = CONSTRAINTS[place].key
    assert FakeWorkspace(days=8).drafted().decide("orders", [rule], "edit", **bounds).item(rule).status == "edited"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({"upper": -1.0}, "The upper bound -1, which is .100%, is no share"),
        ({"lower": 0.5, "upper": 3.0}, "The upper bound 3, which is 300%, is no share"),
        ({"lower": -0.01, "upper": 0.9}, "The lower bound"),
    ],
)
def test_an_edit_gives_no_share_below_nothing_or_above_all(bounds: dict[str, float], said: str) -> None:
    ws, rule = FakeWorkspace(days=8).drafted(), CONSTRAINTS[4].key
    with pytest.raises(UsageError, match=said) as refused:
        ws.decide("orders", [rule], "edit", **bounds)  # type: ignore[arg-type]
    assert refused.value.hint == "Give a number between 0 and 1, which are 0% and 100%."
    assert ws.draft("orders").item(rule).status == "pending"  # type: ignore[union-attr]


def test_somebody_decided_meanwhile() -> None:
    ws = FakeWorkspace(days=8).drafted()
    ws.decide("orders", [A], "reject", by="bob")
    with pytest.raises(ConflictError, match="bob"):
        ws.decide("orders", [A, B], "accept", expected={A: 0, B: 0})
    assert ws.draft("orders").item(B).status == "pending"  # type: ignore[union-attr]


@pytest.mark.parametrize(("person", "allowed"), [("vic", False), ("rae", True), ("app", True), ("eve", False)])
def test_who_may_decide(person: str, allowed: bool) -> None:
    ws = FakeWorkspace(days=8, settings=config(people=PEOPLE)).drafted()
    if allowed:
        assert ws.decide("orders", [A], "accept", by=person).count("accepted") == 1
    else:
        with pytest.raises(NotPermittedError, match=person):
            ws.decide("orders", [A], "accept", by=person)


def test_roles() -> None:
    assert FakeWorkspace(days=0).role("anybody") == "approver"
    ws = FakeWorkspace(days=0, settings=config(people=PEOPLE), actor="rae")
    assert (ws.role(), ws.role("vic"), ws.role("eve")) == ("reviewer", "viewer", None)


def test_comments_are_kept_with_who_said_them_and_decide_nothing() -> None:
    ws = FakeWorkspace(days=8).drafted()
    ws.decide("orders", [A], "accept")
    draft = ws.comment("orders", [A, B], "  why so tight?  ", by="bob")
    assert [(n.by, n.text) for n in draft.item(A).comments] == [("bob", "why so tight?")]
    assert (draft.item(A).status, draft.item(B).status) == ("accepted", "pending")
    assert len(ws.comment("orders", [A], "fine").item(A).comments) == 2
    assert draft.item(A).comments[0].at


@pytest.mark.parametrize(("ids", "text"), [([], "x"), ([A], "  "), ([A], "x" * 4_001)])
def test_comments_that_say_nothing_or_too_much(ids: list[str], text: str) -> None:
    ws = FakeWorkspace(days=8).drafted()
    with pytest.raises(UsageError):
        ws.comment("orders", ids, text)


def test_a_suggestion_is_assigned_to_somebody_who_can_decide_it() -> None:
    ws = FakeWorkspace(days=8, settings=config(people=PEOPLE)).drafted()
    assert ws.assign("orders", [A, B], "rae", by="app").item(B).assignee == "rae"
    for to in ("vic", "nobody"):
        with pytest.raises(NotPermittedError):
            ws.assign("orders", [A], to, by="app")
    with pytest.raises(NotPermittedError):
        ws.assign("orders", [A], "rae", by="vic")
    assert ws.assign("orders", [A], "", by="rae").item(A).assignee == ""
    assert ws.comment("orders", [A], "a reviewer may speak", by="rae").item(A).comments
    with pytest.raises(NotPermittedError):
        ws.comment("orders", [A], "a stranger may not", by="eve")


def test_the_later_of_two_assigners_is_told() -> None:
    ws = FakeWorkspace(days=8).drafted()
    first = ws.assign("orders", [A], "cy", by="ann", expected={A: 0}).item(A)
    with pytest.raises(ConflictError):
        ws.assign("orders", [A, B], "di", by="bob", expected={A: 0, B: 0})
    draft = ws.draft("orders")
    assert draft is not None
    assert (draft.item(A).assignee, draft.item(B).assignee) == ("cy", "")
    assert ws.assign("orders", [A], "di", by="bob", expected={A: first.assigned}).item(A).assignee == "di"
