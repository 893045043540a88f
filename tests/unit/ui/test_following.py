"""Two people and one draft: what one does appears to the other with the name, and takes nothing of what they are doing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.review.plain import plain
from avh_ui.ui.state.following import Following
from avh_ui.ui.state.session import Toast
from tests.fakes.demo_workspace import demo_workspace
from tests.unit.ui.conftest import Desk, sit_down


@pytest.fixture
def two() -> tuple[Desk, Desk, Following]:
    """Ada's and Bob's sessions of one workspace, and what follows for Ada."""
    ada, bob = (sit_down(workspace) for workspace in [demo_workspace(people={"ada": "approver", "bob": "approver"})] * 2)
    bob.session.actor = "bob"
    following = Following(ada.session)
    following.look()
    return ada, bob, following


def widen(desk: Desk) -> None:
    """Drag both bounds outwards: all that is normal today stays inside."""
    lower, upper = desk.evidence.suggested
    assert lower is not None
    assert upper is not None
    desk.evidence.drag(lower - 3.0, upper + 5.0)


def told(desk: Desk) -> str:
    notice: Toast | None = desk.session.notice
    return notice.text if notice is not None else ""


def test_what_another_decides_and_says_appears_with_the_name(two: tuple[Desk, Desk, Following]) -> None:
    ada, bob, following = two
    first, second, third = ada.queue.visible[:3]
    ada.queue.go(second)
    ada.queue.check(third)
    bob.decisions.reject([first])
    following.look()
    assert ada.session.draft.by_id[first].status == "rejected"
    assert told(ada).startswith(f"bob rejected “{plain(ada.session.draft.by_id[first].current).rstrip('.')}”")
    # Where Ada was, and what she had ticked.
    assert (ada.queue.cursor, ada.queue.checked) == (second, (third,))
    bob.decisions.accept([second, third])
    ada.workspace.comment("orders", [first], "really?", by="bob")
    following.look()
    assert told(ada) == "bob decided on 2 suggestions. bob commented: “really?”"


def test_what_one_does_oneself_is_not_told(two: tuple[Desk, Desk, Following]) -> None:
    ada, _, following = two
    ada.decisions.accept(ada.queue.visible[:1])
    before = ada.session.notice
    following.look()
    assert ada.session.notice is before


def test_an_edit_that_was_begun_before_another_decided_is_a_conflict_and_is_not_lost(two: tuple[Desk, Desk, Following]) -> None:
    ada, bob, following = two
    chosen = ada.queue.visible[0]
    ada.queue.go(chosen)
    widen(ada)
    typed = ada.evidence.bounds
    bob.decisions.reject([chosen])
    following.look()
    assert (ada.evidence.bounds, ada.evidence.item.status) == (typed, "rejected")
    ada.evidence.save()
    assert told(ada).startswith("Not recorded: bob has meanwhile")
    assert ada.item(chosen).status == "rejected"
    assert ada.evidence.bounds == typed
    # Looked at again, it can be saved.
    ada.evidence.save()
    assert (ada.item(chosen).status, ada.item(chosen).decided_by) == ("edited", "ada")


def test_ones_own_decision_while_one_edits_is_no_conflict(two: tuple[Desk, Desk, Following]) -> None:
    ada, _, following = two
    chosen = ada.queue.visible[0]
    ada.queue.go(chosen)
    widen(ada)
    ada.decisions.reject([chosen])
    following.look()
    ada.queue.go(chosen)
    ada.evidence.save()
    assert ada.item(chosen).status == "edited"


def test_a_new_version_appears(two: tuple[Desk, Desk, Following]) -> None:
    ada, bob, following = two
    bob.decisions.accept(bob.queue.visible[:2])
    bob.workspace.publish("orders", by="bob", message="first <b>")
    following.look()
    assert told(ada) == "bob decided on 2 suggestions. bob published version 1: first <b>"
    assert ada.session.live.version == 1


def test_what_makes_the_page_stale_is_said_until_it_is_read_anew(two: tuple[Desk, Desk, Following]) -> None:
    ada, bob, following = two
    chosen = ada.queue.visible[0]
    ada.queue.go(chosen)
    widen(ada)
    typed = ada.evidence.bounds
    run = replace(ada.session.draft.run, stated_by="bob", said_key="id", created_at="2027-01-01T10:15:00+00:00")
    bob.session.services.suggestions._reviews.save_run(run)
    following.look()
    assert ada.session.stale == "bob changed what the draft is made of at 10:15 UTC: this page shows the one before."
    # Nothing that is seen changed under her hands.
    assert ada.evidence.bounds == typed
    ada.session.refresh()
    assert ada.session.stale == ""
    assert ada.evidence.bounds == typed
    following.look()
    assert ada.session.stale == ""


def test_an_older_answer_takes_nothing_back(two: tuple[Desk, Desk, Following]) -> None:
    ada, bob, following = two
    first, second = ada.queue.visible[:2]
    bob.decisions.accept([first])
    answers: list[tuple[object, object]] = []
    ada.session.run = lambda work, done: answers.append((work(), done))
    following.look()
    following.look()  # the last answer is still out
    ((found, adopt),) = answers
    ada.decisions.accept([second])
    adopt(found)  # type: ignore[operator]
    assert ada.session.draft.by_id[second].status == "accepted"
    ada.session.run = lambda work, done: done(work())
    following.look()
    assert told(ada).startswith("bob accepted")
