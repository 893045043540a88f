"""The queue: filter, sort, move, tick; what is decided is stored, and nobody's decision is overwritten."""

from __future__ import annotations

import csv
import io

from avh_ui.ui.state.exports import csv_text, suggestions_csv
from avh_ui.ui.state.queue import FILTERS, PAGE_SIZE
from tests.fakes.demo_workspace import demo_workspace
from tests.unit.ui.conftest import Desk, sit_down


def test_everything_is_shown_and_the_first_one_looked_at(desk: Desk) -> None:
    draft = desk.session.draft
    assert desk.queue.visible == tuple(i.suggestion.id for i in draft.items)
    assert desk.queue.cursor == desk.queue.visible[0]
    assert len(desk.queue.on_page) == min(PAGE_SIZE, len(draft.items))


def test_words_filter_columns_and_metrics(desk: Desk) -> None:
    desk.queue.query = "CUSTOMER complete"
    shown = [desk.item(i).current for i in desk.queue.visible]
    assert shown
    assert all(c.column.startswith("customer") and c.metric == "complete_ratio" for c in shown)
    desk.queue.query = "no such thing"
    assert desk.queue.visible == ()
    assert desk.queue.item is None
    desk.queue.clear()
    assert len(desk.queue.visible) == len(desk.session.draft.items)


def test_one_key_goes_through_the_statuses(desk: Desk) -> None:
    desk.decisions.accept()
    seen = []
    for _ in FILTERS:
        desk.queue.next_status()
        seen.append((desk.queue.status, len(desk.queue.visible)))
    everything = len(desk.session.draft.items)
    assert seen == [("pending", everything - 1), ("accepted", 1), ("edited", 0), ("rejected", 0), ("all", everything)]


def test_sorting_turns_from_ascending_to_descending_to_as_suggested(desk: Desk) -> None:
    as_suggested = desk.queue.visible
    desk.queue.sort_by("caught")
    caught = [len(desk.item(i).suggestion.caught) for i in desk.queue.visible]
    assert caught == sorted(caught)
    desk.queue.sort_by("caught")
    assert [len(desk.item(i).suggestion.caught) for i in desk.queue.visible] == sorted(caught, reverse=True)
    desk.queue.sort_by("caught")
    assert desk.queue.visible == as_suggested


def test_the_cursor_stops_at_both_ends_and_pages_follow_it(desk: Desk) -> None:
    desk.queue.move(-1)
    assert desk.queue.cursor == desk.queue.visible[0]
    desk.queue.move(10_000)
    assert desk.queue.cursor == desk.queue.visible[-1]
    assert desk.queue.page == desk.queue.pages - 1
    desk.queue.turn(0)
    assert desk.queue.cursor == desk.queue.visible[0]


def test_accepting_is_stored_and_moves_on_to_the_next_pending_one(desk: Desk) -> None:
    first, second, third = desk.queue.visible[:3]
    desk.decisions.accept()
    assert desk.item(first).status == "accepted"
    assert desk.item(first).decided_by == "ada"
    assert desk.queue.cursor == second
    desk.decisions.reject()
    assert desk.item(second).status == "rejected"
    assert desk.queue.cursor == third


def test_a_filter_on_pending_keeps_the_place_in_the_list(desk: Desk) -> None:
    desk.queue.status = "pending"
    _, second, third = desk.queue.visible[:3]
    desk.queue.go(second)
    desk.decisions.accept()
    assert second not in desk.queue.visible
    assert desk.queue.cursor == third


def test_ticked_ones_are_decided_together_and_undone_together(desk: Desk) -> None:
    ids = desk.queue.visible
    desk.queue.check(ids[1])
    desk.queue.check(ids[3], through=True)
    assert set(desk.queue.checked) == set(ids[1:4])
    desk.decisions.reject()
    assert [desk.item(i).status for i in ids[:5]] == ["pending", "rejected", "rejected", "rejected", "pending"]
    assert desk.queue.checked == ()
    desk.decisions.undo()
    assert {desk.item(i).status for i in ids} == {"pending"}
    assert not desk.decisions.can_undo


def test_undo_brings_edited_bounds_back(desk: Desk) -> None:
    first = desk.queue.cursor
    lower, upper = desk.item(first).current.lower, desk.item(first).current.upper
    assert lower is not None
    assert upper is not None
    assert desk.decisions.edit(first, lower, upper + 1)
    desk.decisions.reject([first])
    desk.decisions.undo()
    assert desk.item(first).status == "edited"
    assert desk.item(first).current.upper == upper + 1
    desk.decisions.undo()
    assert desk.item(first).status == "pending"
    assert desk.item(first).current.upper == upper


def test_saving_the_suggested_bounds_is_an_acceptance(desk: Desk) -> None:
    first = desk.queue.cursor
    constraint = desk.item(first).suggestion.constraint
    assert desk.decisions.edit(first, constraint.lower, constraint.upper)
    assert desk.item(first).status == "accepted"


def test_the_later_of_two_people_is_told_and_loses_nothing() -> None:
    workspace = demo_workspace()
    ada, bob = sit_down(workspace), sit_down(workspace)
    first = ada.queue.cursor
    ada.decisions.accept()
    bob.decisions.reject()
    assert ada.item(first).status == "accepted"
    assert bob.session.notice.tone == "warning"
    assert "ada" in bob.session.notice.text
    # The list was refreshed: bob now decides on what ada left.
    bob.decisions.reject([first])
    assert ada.item(first).status == "rejected"


def test_a_viewer_is_told_why_nothing_was_recorded() -> None:
    desk = sit_down(demo_workspace(people={"ada": "viewer"}))
    first = desk.queue.cursor
    desk.decisions.accept()
    assert desk.item(first).status == "pending"
    assert desk.session.notice.tone == "error"


def test_an_address_reopens_what_it_names() -> None:
    workspace = demo_workspace()
    wanted = sit_down(workspace).queue.visible[4]
    desk = sit_down(workspace, f"?pipeline=orders&suggestion={wanted}")
    assert desk.queue.cursor == wanted
    assert sit_down(workspace, "?pipeline=order").session.notice.text == "There is no pipeline 'order'. Did you mean 'orders'?"
    gone = sit_down(workspace, "?pipeline=orders&suggestion=nothing")
    assert "no suggestion" in gone.session.notice.text
    assert gone.queue.cursor == gone.queue.visible[0]


def test_a_pipeline_without_suggestions_says_so() -> None:
    desk = sit_down(demo_workspace(), "?pipeline=returns")
    assert desk.session.phase == "nothing"
    assert desk.queue.visible == ()


def test_the_table_is_saved_as_filtered_and_sorted(desk: Desk) -> None:
    desk.queue.query = "customer"
    desk.decisions.accept([desk.queue.visible[0]])
    lines = list(csv.reader(io.StringIO(suggestions_csv(desk.queue.shown, desk.session.history))))
    assert [line[0] for line in lines[1:]] == list(desk.queue.visible)
    assert lines[1][lines[0].index("status")] == "accepted"
    assert csv_text(["a"], [["=1+1"], [-1.5], ["\ud800"]]).splitlines() == ["a", "'=1+1", "-1.5", "?"]
