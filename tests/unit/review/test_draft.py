"""Drafts: decisions folded over suggestions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints import checks
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory
from avh_ui.constraints.recipe import Recipe
from avh_ui.errors import ConstraintError, NotFoundError
from avh_ui.metrics.measure import Measure
from avh_ui.review.decision import STATUS_AFTER, Action, Decision, ItemStatus, with_columns_out
from avh_ui.review.draft import DraftItem, apply_decision, fold
from avh_ui.review.senseless import refuse_idle
from avh_ui.review.suggestion import Suggestion
from tests.fakes.builders import run, suggestion

IDS = ("s1", "s2", "s3")
DECISIONS = st.lists(
    st.builds(
        Decision,
        suggestion_id=st.sampled_from([*IDS, "gone"]),
        action=st.sampled_from([action for action in get_args(Action) if action != "limit"]),  # of what follows alone
        by=st.sampled_from(["ann", "bob"]),
        at=st.just("2026-01-31"),
        why=st.text(max_size=5),
        lower=st.floats(-5, 0),
        upper=st.none() | st.floats(0, 5),
    ),
    max_size=10,
).map(lambda made: [replace(d, seq=k + 1) for k, d in enumerate(made)])


def test_every_action_has_its_status() -> None:
    assert set(STATUS_AFTER) == set(get_args(Action))
    assert set(STATUS_AFTER.values()) == set(get_args(ItemStatus))


@given(DECISIONS)
def test_the_last_decision_on_an_item_stands(decisions: list[Decision]) -> None:
    draft = fold(run(*map(suggestion, IDS)), decisions)
    for item in draft.items:
        mine = [d for d in decisions if d.suggestion_id == item.suggestion.id]
        if not mine:
            assert item == DraftItem(item.suggestion)
            continue
        last = mine[-1]
        assert (item.status, item.decided_by, item.decided_at, item.why) == (STATUS_AFTER[last.action], last.by, last.at, last.why)
        assert item.revision == last.seq
        expected = (last.lower, last.upper) if last.action == "edit" else (1.0, 2.0)
        assert (item.current.lower, item.current.upper) == expected
    assert sum(draft.count(status) for status in get_args(ItemStatus)) == len(IDS)
    assert len(draft.accepted()) == draft.count("accepted") + draft.count("edited")


@given(DECISIONS)
def test_folding_in_two_steps_is_folding_in_one(decisions: list[Decision]) -> None:
    whole = fold(run(*map(suggestion, IDS)), decisions)
    half = len(decisions) // 2
    items = {i.suggestion.id: i for i in fold(run(*map(suggestion, IDS)), decisions[:half]).items}
    for decision in decisions[half:]:
        if decision.suggestion_id in items:
            items[decision.suggestion_id] = apply_decision(items[decision.suggestion_id], decision)
    assert tuple(items.values()) == whole.items


def test_items_are_in_the_order_of_the_run() -> None:
    draft = fold(run(*map(suggestion, IDS)), [Decision("s3", "accept", "ann", "now", seq=1), Decision("s1", "accept", "ann", "now", seq=2)])
    assert [i.suggestion.id for i in draft.items] == list(IDS)
    assert [c.column for c in draft.accepted()] == ["c", "c"]


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [(3.0, 2.0, "lower bound 3 is above"), (math.nan, 2.0, "not a number"), (None, math.nan, "not a number"), (None, None, "never alarms")],
)
def test_bounds_that_cannot_be_kept(lower: float | None, upper: float | None, message: str) -> None:
    with pytest.raises(ConstraintError, match=message) as caught:
        apply_decision(DraftItem(suggestion()), Decision("s1", "edit", "ann", "now", lower=lower, upper=upper))
    assert caught.value.hint


def test_bounds_open_on_both_sides_by_infinities_never_fire_either() -> None:
    with pytest.raises(ConstraintError, match="never alarms"):
        apply_decision(DraftItem(suggestion()), Decision("s1", "edit", "ann", "now", lower=-math.inf, upper=math.inf))


def test_a_rule_that_is_a_sentence_is_told_by_its_metric_where_an_edit_lets_all_pass() -> None:
    rule = checks.is_at_most("refund", "amount").constraint()
    item = DraftItem(replace(suggestion(), constraint=rule))
    with pytest.raises(ConstraintError, match="never alarms: compliance is always at least 0% and at most 100%"):
        refuse_idle(item, Decision("s1", "edit", "ann", "now", lower=0.0))
    refuse_idle(item, Decision("s1", "edit", "ann", "now", lower=0.9))


def test_bounds_count_for_edits_alone() -> None:
    item = apply_decision(DraftItem(suggestion()), Decision("s1", "accept", "ann", "now", lower=9.0, upper=10.0))
    assert (item.current.lower, item.in_program) == (1.0, True)


def test_accepting_an_edited_item_takes_the_suggestion_as_it_was() -> None:
    edited = apply_decision(DraftItem(suggestion()), Decision("s1", "edit", "ann", "now", lower=0.0))
    assert apply_decision(edited, Decision("s1", "accept", "ann", "now")).current.lower == 1.0


def test_an_unknown_item_names_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="Did you mean 'delay_max'"):
        fold(run(suggestion("delay_max")), []).item("delay_mx")


FOLLOWS = replace(
    suggestion(),
    constraint=replace(suggestion().constraint, recipe=Recipe(30, 2.0, 20, deviation=0.5, index=2.5, lowest=0.5, highest=2.5)),
)


def limited(lower: float | None, upper: float | None) -> DraftItem:
    return apply_decision(DraftItem(FOLLOWS), Decision("s1", "limit", "ann", "now", lower=lower, upper=upper, seq=1))


def test_limits_keep_that_the_bounds_follow_and_an_edit_does_not() -> None:
    item = limited(0.8, 1.7)
    assert (item.status, item.limits, item.current.limits) == ("edited", (0.8, 1.7), (0.8, 1.7))
    # What it begins with is cut to them.
    assert (item.current.lower, item.current.upper) == (1.0, 1.7)
    edited = apply_decision(item, Decision("s1", "edit", "ann", "now", lower=0.8, upper=1.7, seq=2))
    assert (edited.limits, edited.current.recipe) == (None, None)
    # Accepted limits are the suggested ones, and nobody's own.
    accepted = apply_decision(edited, Decision("s1", "accept", "ann", "now", seq=3))
    assert (accepted.limits, accepted.current.limits) == (None, (0.5, 2.5))
    made = run(FOLLOWS)
    digests = {fold(made, [Decision("s1", "limit", "ann", "now", lower=low, upper=3.0, seq=1)]).digest for low in (0.25, 0.5)}
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("lower", "upper", "message"),
    [(2.5, 3.0, "nothing of 1 to 2"), (1.7, 1.2, "nothing of 1 to 2"), (None, None, "slow loss")],
)
def test_limits_that_cannot_be(lower: float | None, upper: float | None, message: str) -> None:
    with pytest.raises(ConstraintError, match=message) as caught:
        limited(lower, upper)
    assert caught.value.hint


def test_only_what_follows_has_limits_and_only_where_it_has_bounds() -> None:
    with pytest.raises(ConstraintError, match="do not follow the history"):
        apply_decision(DraftItem(suggestion()), Decision("s1", "limit", "ann", "now", lower=0.5, seq=1))
    open_below = replace(FOLLOWS, constraint=replace(FOLLOWS.constraint, lower=None))
    assert open_below.constraint.limits == (None, 2.5)
    with pytest.raises(ConstraintError, match="no lower bound"):
        apply_decision(DraftItem(open_below), Decision("s1", "limit", "ann", "now", lower=0.5, seq=1))
    kept = apply_decision(DraftItem(open_below), Decision("s1", "limit", "ann", "now", upper=2.25, seq=1)).current
    # What lies beyond the open side by far is not learned, as before.
    assert kept.recipe is not None
    assert (kept.lower, kept.upper, kept.recipe.lowest, kept.recipe.highest) == (None, 2.0, 0.5, 2.25)


def test_of_a_rule_on_each_of_several_columns_faults_of_its_kind_are_counted() -> None:
    """Such a rule caught "48 of 385", which looked as if it missed most: 319 were changes of units and of mixes of its eleven columns."""
    measure = Measure("least_complete_ratio", ("a", "b"))
    each = Constraint(measure.subject, measure.name, "rows", 1.0, 1.0, measure=measure)
    tried = tuple(f"{name} {kind}" for name in ("a", "b") for kind in ("nulls 1%", "nulls 10%", "unit_change x10", "one_value 50%"))
    caught = ("a nulls 1%", "a nulls 10%", "b nulls 10%")
    found = Suggestion("s", "p", each, FromHistory(tried=tried, caught=caught, only_caught=caught))
    assert each.of_each
    item = DraftItem(found)
    assert (len(item.caught), item.meant, found.variants) == (3, 4, 8)
    # Of a column that a person took out nothing is asked.
    without_a = replace(item, status="edited", why=with_columns_out(["a"]))
    assert (len(without_a.caught), without_a.meant) == (1, 2)
    alone = Suggestion("s", "p", Constraint("a", "mean", "numeric", 1.0, 2.0), FromHistory(tried=("nulls 1%", "unit_change x10")))
    assert DraftItem(alone).meant == 2
