"""Reviewing by mouse and keyboard in a real browser; outcomes are read from the workspace, not from pixels."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from avh_ui.review.draft import DraftItem
from tests.browser.conftest import App, Reviewer

pytestmark = pytest.mark.browser


def item(reviewer: Reviewer, suggestion_id: str, pipeline: str = "orders") -> DraftItem:
    draft = reviewer.workspace.draft(pipeline)
    assert draft is not None
    return draft.item(suggestion_id)


def test_suggestions_are_selected_searched_sorted_and_decided_by_keys_by_buttons_and_several_at_once(reviewer: Reviewer) -> None:
    page, ids = reviewer.page, [reviewer.id(k) for k in range(4)]
    page.keyboard.press("j")
    reviewer.looks_at(1)
    page.keyboard.press("k")
    reviewer.looks_at(0)
    page.keyboard.press("a")
    expect(reviewer.row(0)).to_contain_text("accepted")
    reviewer.looks_at(1)
    page.keyboard.press("r")
    expect(reviewer.row(1)).to_contain_text("rejected")
    reviewer.looks_at(2)
    reviewer.says("Rejected")
    assert [item(reviewer, i).status for i in ids] == ["accepted", "rejected", "pending", "pending"]
    page.keyboard.press("u")
    expect(reviewer.row(1)).to_contain_text("pending")
    reviewer.looks_at(1)
    page.keyboard.press("u")
    expect(reviewer.row(0)).to_contain_text("pending")
    reviewer.looks_at(0)
    assert item(reviewer, ids[0]).status == "pending"
    reviewer.button("Accept").click()
    expect(reviewer.row(0)).to_contain_text("accepted")
    reviewer.row(0).click()
    reviewer.button("Reopen").click()
    expect(reviewer.row(0)).to_contain_text("pending")
    reviewer.button("Reject").click()
    expect(reviewer.row(0)).to_contain_text("rejected")
    reviewer.button("Undo").click()
    expect(reviewer.row(0)).to_contain_text("pending")
    assert item(reviewer, ids[0]).status == "pending"
    reviewer.row(1).get_by_role("checkbox").click()
    reviewer.row(4).click(modifiers=["Shift"])
    expect(page.get_by_text("4 selected")).to_be_visible()
    reviewer.button("Accept 4").click()
    expect(page.get_by_text("Accepted 4 suggestions").first).to_be_visible()
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    assert draft.count("accepted") == 4
    page.keyboard.press("u")
    expect(reviewer.row(1)).to_contain_text("pending")
    reviewer.row(7).click()
    reviewer.looks_at(7)
    expect(reviewer.page.get_by_role("heading", name="customer_email")).to_be_visible()
    expect(reviewer.page.get_by_text("Would have alarmed on 2 of 365 batches")).to_be_visible()
    page.keyboard.press("/")
    search = page.get_by_placeholder("Search")
    expect(search).to_be_focused()
    search.press_sequentially("sku")
    expect(page.locator("tbody tr[data-id]")).to_have_count(3)
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    assert draft.count("pending") == 50  # typing decides nothing
    search.press("Escape")
    page.get_by_role("button", name="Rejected").click()
    expect(page.get_by_text("No rejected suggestion matches “sku”.")).to_be_visible()
    reviewer.button("Show all").click()
    expect(page.locator("tbody tr[data-id]")).to_have_count(50)
    reviewer.button("Column").click()
    expect(reviewer.row(0)).to_contain_text("amount_eur")
    reviewer.button("Column").click()
    expect(reviewer.row(0)).to_contain_text("weight_kg")


def test_bounds_are_edited_by_number_and_by_dragging_and_a_wrong_one_is_explained(reviewer: Reviewer) -> None:
    page, first = reviewer.page, reviewer.id(0)
    lower, higher = page.get_by_label("Lower bound"), page.get_by_label("Upper bound")
    expect(higher).not_to_have_value("")
    before = higher.input_value()
    lower.fill("many")
    lower.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("'many' is not a number")
    lower.fill("1e9")
    lower.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("above")
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.keyboard.press("e")
    expect(lower).to_be_focused()
    # What it would do is said while the field is not left yet, and it can be saved at once.
    lower.fill("23,000")
    expect(page.get_by_text("Would have alarmed on 92 of 365 batches")).to_be_visible()
    assert item(reviewer, first).status == "pending"
    reviewer.button("Save edit").click()
    expect(reviewer.row(0)).to_contain_text("edited")
    assert item(reviewer, first).current.lower == 23_000
    page.keyboard.press("u")
    expect(reviewer.row(0)).to_contain_text("pending")
    reviewer.row(0).click()
    reviewer.looks_at(0)
    expect(lower).not_to_have_value(re.compile("23.?000"))
    expect(higher).to_have_value(before)
    upper = item(reviewer, first).current.upper
    assert upper is not None
    # Who aims holds the button a while: longer than what Bokeh takes for a long press.
    reviewer.drag(upper, by=60, hold=500)
    expect(higher).not_to_have_value(before)
    reviewer.button("Reset").click()
    expect(higher).to_have_value(before)
    expect(reviewer.button("Save edit")).to_be_disabled()
    reviewer.drag(upper, by=70)
    expect(page.get_by_text("batches (")).to_contain_text("Would have alarmed on")
    reviewer.button("Save edit").click()
    expect(reviewer.row(0)).to_contain_text("edited")
    edited = item(reviewer, first).current
    assert edited.upper is not None
    assert edited.upper < upper
    assert edited.lower == item(reviewer, first).suggestion.constraint.lower


def test_hostile_names_are_text(app: App, page: Page) -> None:
    reviewer = app.open(page, "?pipeline=hostile")
    expect(reviewer.row(0)).to_be_visible()
    page.on("dialog", lambda dialog: app.errors.append(f"a script ran: {dialog.message}"))
    for at, name in ((0, 'he said "no"'), (3, "<script>alert('x')</script>"), (6, "two\nlines")):
        reviewer.row(at).click()
        expect(page.get_by_role("heading", level=2).first).to_have_text(name)
    x, y = reviewer.pixels(340)
    page.mouse.move(x, y)
    expect(page.get_by_text("<b>").first).to_be_attached()
    page.keyboard.press("a")
    reviewer.says("Accepted")
    expect(reviewer.row(6)).to_contain_text("accepted")
