"""Limits of bounds that follow the history: typed, refused, kept, undone, and said beside the bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.constraints.recipe import Recipe
from avh_ui.review.draft import Draft
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.ui.state.limits import LimitsState
from avh_ui.ui.views.evidence import EvidenceView
from avh_ui.ui.views.evidence_facts import facts
from avh_ui.ui.views.evidence_text import verdict
from avh_ui.ui.views.limits import LimitsView
from tests.fakes.demo_workspace import demo_workspace
from tests.unit.ui.conftest import Desk, sit_down

RECIPE = Recipe(window=60, width=2.0, batches=60, deviation=8_000.0, index=3.0, lowest=5_000.0, highest=50_000.0, whole=True)


def following(draft: Draft | None) -> SuggestionRun:
    """The draft's run, with a first suggestion whose bounds follow the history."""
    assert draft is not None
    first, *others = draft.run.suggestions
    return replace(draft.run, suggestions=(replace(first, constraint=replace(first.constraint, recipe=RECIPE)), *others))


@pytest.fixture
def desk() -> Desk:
    """A session that looks at a suggestion with two limits."""
    workspace = demo_workspace()
    workspace.services.suggestions._reviews.amend("orders", following)
    found = sit_down(workspace)
    draft = found.session.draft
    assert draft is not None
    found.queue.go(draft.items[0].suggestion.id)
    return found


@pytest.fixture
def limits(desk: Desk) -> LimitsState:
    """Of what the session looks at."""
    return LimitsState(desk.evidence)


def test_limits_are_typed_kept_and_undone(desk: Desk, limits: LimitsState) -> None:
    item = desk.evidence.item
    assert item is not None
    (low, high), (lower, upper) = limits.standing, (item.current.lower, item.current.upper)
    assert f"within {limits.evidence.reader.texts(low, high)[0]} to" in facts(desk.evidence)
    assert not limits.dirty
    limits.save()
    assert "those that stand" in desk.session.said
    limits.type(f"{lower}", limits.text(1), of=item.suggestion.id)
    assert limits.dirty
    limits.save()
    kept = desk.item(item.suggestion.id)
    assert (kept.status, kept.limits, kept.current.fpr) == ("edited", (lower, high), item.current.fpr)
    assert (kept.current.lower, kept.current.upper) == (lower, upper)
    desk.decisions.undo()
    assert desk.item(item.suggestion.id).status == "pending"
    desk.decisions.redo()
    assert desk.item(item.suggestion.id).limits == (lower, high)
    desk.queue.go(item.suggestion.id)
    # Those that were suggested are an acceptance.
    limits.type(f"{low!r}", f"{high!r}", of=item.suggestion.id)
    limits.save()
    assert (desk.item(item.suggestion.id).status, desk.item(item.suggestion.id).limits) == ("accepted", None)


def test_limits_that_cannot_be_are_told_and_not_kept(desk: Desk, limits: LimitsState) -> None:
    item = desk.evidence.item
    assert item is not None
    for texts, said in ((("abc", "1"), "not a number"), (("", ""), "slow loss"), (("1", "2"), "leave nothing of")):
        limits.type(*texts, of=item.suggestion.id)
        assert said in limits.problem
        assert not limits.dirty
    limits.type("1", "2", of="another")
    assert "another suggestion" in desk.session.said
    # Limits that most of the newest batches are outside of are kept when they are saved again.
    lower, upper = item.current.lower, item.current.upper
    assert lower is not None
    assert upper is not None
    limits.type("", f"{lower + (upper - lower) / 50}", of=item.suggestion.id)
    limits.save()
    assert "exclude what is normal today" in limits.problem
    assert desk.item(item.suggestion.id).status == "pending"
    limits.save()
    assert desk.item(item.suggestion.id).status == "edited"


def test_an_edit_says_that_the_bounds_follow_no_more(desk: Desk, limits: LimitsState) -> None:
    item = desk.evidence.item
    assert item is not None
    lower, upper = desk.evidence.bounds
    assert lower is not None
    assert "no longer follow" not in verdict(desk.evidence, desk.evidence.trial())
    desk.evidence.drag(lower * 0.9, upper)
    assert "no longer follow the history" in verdict(desk.evidence, desk.evidence.trial())
    desk.evidence.save()
    desk.queue.go(item.suggestion.id)
    assert "stay as they are" in facts(desk.evidence)
    # Limits bring it back to following.
    assert limits.dirty
    limits.save()
    assert desk.item(item.suggestion.id).current.recipe is not None


def test_the_line_of_the_limits_is_there_once_it_is_asked_for(desk: Desk, limits: LimitsState) -> None:
    class Nothing:
        busy = False

    view = EvidenceView(desk.evidence, Nothing())  # type: ignore[arg-type]
    names = [one["name"] for one in view.form_actions.actions]
    assert "limits" in names
    view._act("limits")
    assert isinstance(view.limits, LimitsView)
    assert view.limits.body.visible
    assert "limits" not in [one["name"] for one in view.form_actions.actions]
    draft = desk.session.draft
    assert draft is not None
    desk.queue.go(next(i.suggestion.id for i in draft.items if i.current.recipe is None))
    assert not view.limits.body.visible
