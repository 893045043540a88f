"""The review queue in a real browser, by mouse and by keyboard: groups, filters, bulk, redo, skip, notes, suggesting anew."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from avh_ui.errors import CancelledError
from avh_ui.metrics.profiler import Watch
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.workflows.suggestions import Suggestions
from tests.browser.conftest import App, Reviewer, serving
from tests.fakes.demo_workspace import demo_run, demo_workspace

pytestmark = pytest.mark.browser


def draft(reviewer: Reviewer) -> Draft:
    found = reviewer.workspace.draft("orders")
    assert found is not None
    return found


def item(reviewer: Reviewer, suggestion_id: str) -> DraftItem:
    return draft(reviewer).item(suggestion_id)


def choose(page: Page, field: str, value: str) -> None:
    """Choose a filter, a grouping or an order."""
    page.get_by_role("group", name="Filter, group and sort").get_by_label(field, exact=True).select_option(value)


# Filters and order, several at once


def test_filters_narrow_the_list_order_it_and_the_budget_is_shown_before_it_is_applied(reviewer: Reviewer) -> None:
    def value(one: DraftItem) -> float:
        return len(one.suggestion.only_caught) / max(one.current.fpr, 1e-4)

    def values() -> list[float]:
        return [value(item(reviewer, reviewer.id(k))) for k in range(5)]

    page = reviewer.page
    choose(page, "Metric", "complete_ratio")
    expect(page.locator("tbody tr[data-id]")).to_have_count(7)
    choose(page, "Column", "note")
    expect(page.locator("tbody tr[data-id]")).to_have_count(1)
    page.keyboard.press("j")  # the keys are the page's again
    page.get_by_role("button", name="Rejected").click()
    expect(page.get_by_text("No rejected suggestion matches “complete_ratio” and “note”.")).to_be_visible()
    reviewer.button("Show all").click()
    expect(page.locator("tbody tr[data-id]")).to_have_count(50)
    reviewer.page.keyboard.press("v")
    expect(reviewer.page.get_by_label("Sort", exact=True)).to_have_value("value")
    suggested = draft(reviewer).items
    moves = next(k for k, most in enumerate(sorted(map(value, suggested), reverse=True)) if value(suggested[k]) < most)
    expect(reviewer.row(moves)).not_to_have_attribute("data-id", suggested[moves].suggestion.id)
    assert values() == sorted(values(), reverse=True)
    choose(reviewer.page, "Sort", "")
    expect(reviewer.row(0)).to_have_attribute("data-id", draft(reviewer).items[0].suggestion.id)
    reviewer.row(0).click()
    reviewer.looks_at(0)
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("2 selected")).to_be_visible()
    told = page.get_by_text(re.compile("if accepted 0 → 2 rules"))
    expect(told).to_be_visible()
    promised = re.search("→ (≤ [0-9.]+) false", told.inner_text())
    assert promised is not None
    assert not draft(reviewer).count("accepted")
    page.keyboard.press("a")
    expect(page.get_by_text("2 rules in the program")).to_be_visible()
    expect(page.get_by_text(promised[1], exact=True)).to_be_visible()
    page.keyboard.press("X")
    expect(page.get_by_text("50 selected")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("50 selected")).to_have_count(0)


# Groups, skip, undo, redo


def test_lines_and_groups_are_skipped_decided_undone_and_redone_by_mouse_and_by_keyboard(reviewer: Reviewer) -> None:
    first = reviewer.id(0)
    reviewer.button("Accept").click()
    expect(reviewer.row(0)).to_contain_text("accepted")
    expect(reviewer.button("Redo")).to_be_disabled()
    reviewer.button("Undo").click()
    expect(reviewer.row(0)).to_contain_text("pending")
    reviewer.button("Redo").click()
    expect(reviewer.row(0)).to_contain_text("accepted")
    assert item(reviewer, first).status == "accepted"
    assert len(reviewer.workspace.decisions("orders")) == 3
    reviewer.button("Undo").click()
    expect(reviewer.row(0)).to_contain_text("pending")
    reviewer.looks_at(0)
    page = reviewer.page
    page.keyboard.press("n")
    reviewer.looks_at(1)
    expect(page.get_by_text("Skipped 1 suggestion for now")).to_be_visible()
    page.keyboard.press("r")
    expect(reviewer.row(1)).to_contain_text("rejected")
    page.keyboard.press("u")
    expect(reviewer.row(1)).to_contain_text("pending")
    page.keyboard.press("U")
    expect(reviewer.row(1)).to_contain_text("rejected")
    assert [i.status for i in draft(reviewer).items[:2]] == ["pending", "rejected"]
    page.keyboard.press("u")
    expect(reviewer.row(1)).to_contain_text("pending")
    reviewer.row(0).click()
    reviewer.looks_at(0)
    page.keyboard.press("g")
    expect(page.locator("tr.group").first).to_be_visible()
    page.keyboard.press("t")
    expect(page.locator("tbody tr[data-id]:not(.group)")).not_to_have_count(0)
    page.keyboard.press("t")
    expect(page.locator("tbody tr[data-id]:not(.group)")).to_have_count(0)
    first = page.locator("tr.group").first
    expect(first).to_have_attribute("aria-current", "true")
    page.keyboard.press("r")
    expect(first).to_contain_text("rejected")
    reviewer.says("Rejected")
    rejected = [i.current.column for i in draft(reviewer).items if i.status == "rejected"]
    assert set(rejected) == {"order_id"}
    expect(page.locator("tr.group").nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("u")
    expect(first).not_to_contain_text("rejected")
    assert not draft(reviewer).count("rejected")
    choose(page, "Group", "metric")
    line = page.locator("tr.group", has_text="complete_ratio")
    expect(line).to_contain_text("7 columns")
    line.get_by_role("button", name="Open complete_ratio").click()
    expect(page.locator("tbody tr[data-id]:not(.group)")).to_have_count(7)
    line.click()
    expect(page.get_by_text("7 suggestions in this group")).to_be_visible()
    expect(page.get_by_text(re.compile("if accepted 0 → 7 rules, 0 → ≤ .* false alarms a year"))).to_be_visible()
    reviewer.button("Accept 7").click()
    expect(page.get_by_text("Accepted 7 suggestions").first).to_be_visible()
    accepted = [i.current.metric for i in draft(reviewer).items if i.status == "accepted"]
    assert accepted == ["complete_ratio"] * 7


# Comments and assignment


def test_comments_and_people_are_written_and_found(reviewer: Reviewer) -> None:
    page, first = reviewer.page, reviewer.id(0)
    page.keyboard.press("c")
    field = page.get_by_label("Comment", exact=True)
    expect(field).to_be_focused()
    page.keyboard.type("is <b>this</b> right? ajr")
    page.keyboard.press("Enter")
    said = page.get_by_role("list", name="Comments")
    expect(said).to_contain_text("is <b>this</b> right? ajr")
    expect(said).to_contain_text("ada")
    expect(field).to_have_value("")
    expect(reviewer.row(0)).to_contain_text("❝1")
    found = item(reviewer, first)
    assert (found.status, found.comments[0].by) == ("pending", "ada")
    page.keyboard.press("j")
    reviewer.looks_at(1)
    expect(said).to_be_hidden()
    ids = [reviewer.id(k) for k in (1, 2)]
    for at in (1, 2):
        reviewer.row(at).get_by_role("checkbox").click()
    field = page.get_by_placeholder("Comment on 2 suggestions")
    field.fill("after the migration")
    reviewer.button("Comment").click()
    expect(reviewer.row(2)).to_contain_text("❝1")
    assert [item(reviewer, i).comments[0].text for i in ids] == ["after the migration"] * 2
    page.keyboard.press("Escape")
    expect(reviewer.row(1).get_by_role("checkbox")).not_to_be_checked()
    reviewer.row(0).click()
    reviewer.looks_at(0)
    page.keyboard.press("w")
    field = page.get_by_label("Assigned to")
    expect(field).to_be_focused()
    page.keyboard.type("bob")
    page.keyboard.press("Enter")
    expect(reviewer.row(0)).to_contain_text("@bob")
    assert item(reviewer, first).assignee == "bob"
    choose(page, "Assigned", "bob")
    expect(page.locator("tbody tr[data-id]")).to_have_count(1)
    field.fill("")
    field.press("Enter")
    expect(page.locator("tbody tr[data-id]")).to_have_count(0)
    assert item(reviewer, first).assignee == ""


def test_what_is_typed_before_the_field_has_the_focus_is_text_and_no_command(reviewer: Reviewer) -> None:
    page = reviewer.page
    # At once, as a quick person does: a, r and x would decide, and the blank would scroll.
    page.keyboard.type("crare x? a j")
    expect(page.get_by_label("Comment", exact=True)).to_have_value("rare x? a j")
    assert draft(reviewer).count("pending") == 50
    page.keyboard.press("Escape")
    page.keyboard.type("/sku")
    expect(page.locator("tbody tr[data-id]")).to_have_count(3)
    page.keyboard.press("Escape")
    page.keyboard.type("e0.25\n")
    reviewer.says("Saved the edit")
    expect(page.get_by_label("Lower bound")).to_have_value("0.25")
    edited = item(reviewer, reviewer.id(0))
    assert (edited.status, edited.current.lower, draft(reviewer).count("pending")) == ("edited", 0.25, 49)


@pytest.mark.usefixtures("unfollowed")
def test_two_people_do_not_overwrite_each_other(app: App, reviewer: Reviewer, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    app.guard(context)
    other = app.open(context.new_page())
    expect(other.row(0)).to_be_visible()
    reviewer.page.keyboard.press("a")
    reviewer.says("Accepted")
    expect(reviewer.row(0)).to_contain_text("accepted")
    other.page.keyboard.press("r")
    expect(other.page.get_by_text("Not recorded").first).to_be_visible()
    expect(other.row(0)).to_contain_text("accepted")
    assert item(reviewer, reviewer.id(0)).status == "accepted"
    # And of the next line, who is to decide it.
    for who, name in ((reviewer, "bob"), (other, "cy")):
        who.row(1).click()
        who.looks_at(1)
        who.page.keyboard.press("w")
        expect(who.page.get_by_label("Assigned to")).to_be_focused()
        who.page.keyboard.type(name)
        who.page.keyboard.press("Enter")
        expect(who.row(1)).to_contain_text("@bob")
    expect(other.page.get_by_label("Assigned to")).to_have_value("bob")
    assert item(reviewer, reviewer.id(1)).assignee == "bob"
    context.close()


# Suggesting anew


class Suggesting(Suggestions):
    """Suggests 45 of the 50 once it is let go; stops when it is cancelled."""

    def __init__(self, service: Suggestions) -> None:
        vars(self).update(vars(service))
        self.let = threading.Event()

    def suggest(self, pipeline: str, *, watch: Watch | None = None, **_: object) -> Draft:  # type: ignore[override]
        assert watch is not None
        watch.report(3, 4, "programming amount_eur")
        while not self.let.wait(0.05):
            if watch.cancelled.is_set():
                raise CancelledError("Suggesting was cancelled.")
        run = demo_run()
        self._reviews.save_run(replace(run, suggestions=run.suggestions[:45]))
        found = self.draft(pipeline)
        assert found is not None
        return found


@pytest.fixture
def suggesting(context: BrowserContext) -> Iterator[App]:
    workspace = demo_workspace()
    workspace.services.suggestions = Suggesting(workspace.services.suggestions)
    with serving(workspace, context) as served:
        yield served


def test_suggesting_again_shows_progress_and_keeps_decisions(suggesting: App, page: Page) -> None:
    reviewer = suggesting.open(page)
    expect(reviewer.row(0)).to_be_visible()
    page.keyboard.press("a")
    expect(reviewer.row(0)).to_contain_text("accepted")
    reviewer.button("Suggest again").click()
    expect(page.get_by_text("Suggesting: programming amount_eur")).to_be_visible()
    page.keyboard.press("j")  # the page can be used meanwhile
    reviewer.looks_at(2)
    reviewer.button("Cancel").click()
    expect(page.get_by_text("the draft is as it was").first).to_be_visible()
    expect(reviewer.button("Suggest again")).to_be_visible()
    suggestions = suggesting.workspace.services.suggestions
    assert isinstance(suggestions, Suggesting)
    reviewer.button("Suggest again").click()
    expect(page.get_by_text("Suggesting: programming amount_eur")).to_be_visible()
    suggestions.let.set()
    expect(page.get_by_text("45 suggestions from").first).to_be_visible()
    expect(page.locator("tbody tr[data-id]")).to_have_count(45)
    expect(reviewer.row(0)).to_contain_text("accepted")
