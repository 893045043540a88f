"""A rule made in the app by mouse and keyboard: tried while it is typed, mended in place, added, found, undone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from avh_ui.review.draft import DraftItem
from tests.browser.conftest import App, Reviewer
from tests.browser.test_access import grave

pytestmark = pytest.mark.browser


def rules(reviewer: Reviewer) -> list[DraftItem]:
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    return [item for item in draft.items if item.current.origin == "manual"]


def choose(page: Page, label: str, text: str) -> None:
    """An entry of a list of the form, which is no `select`: the queue may filter by the same."""
    page.get_by_role("combobox", name=label).and_(page.locator("div")).click()
    page.get_by_text(text, exact=True).last.click()


def test_a_rule_is_typed_mended_added_and_undone(app: App, page: Page) -> None:
    page.context.add_cookies([{"name": "avh_theme", "value": "dark", "url": app.url}])
    page.set_viewport_size({"width": 1024, "height": 768})
    reviewer = app.open(page, "?pipeline=orders")
    expect(reviewer.row(0)).to_be_visible()
    page.on("dialog", lambda dialog: app.errors.append(f"a script ran: {dialog.message}"))
    page.keyboard.press("Shift+N")
    add = reviewer.button("Add rule")
    expect(add).to_be_enabled()
    expect(page.get_by_role("heading", name="New rule")).to_be_visible()
    expect(page.get_by_role("group", name="New rule")).to_be_focused()
    column = rules_column(page)
    expect(page.get_by_text(f"{column} is not null")).to_be_visible()
    found = grave(page)
    assert not found, "\n".join(found)
    choose(page, "What must hold", "has a metric within bounds")
    expect(add).to_be_disabled()
    choose(page, "Metric", "number of rows (row_count)")
    page.get_by_label("From", exact=True).fill("> 1x")
    expect(page.get_by_text("'1x' is not a number")).to_be_visible()
    page.get_by_label("Only rows where (SQL)").fill("<img src=x onerror=alert(1)>")
    page.get_by_label("From", exact=True).fill("> 1")
    expect(page.get_by_role("alert").get_by_text("<img src=x onerror=alert(1)>")).to_be_visible()
    expect(add).to_be_disabled()
    assert not rules(reviewer)
    page.get_by_label("Only rows where (SQL)").fill("")
    expect(page.get_by_text("Would have alarmed", exact=True)).to_be_visible()
    add.click()
    expect(page.get_by_role("button", name="Remove", exact=True)).to_be_visible()
    (item,) = rules(reviewer)
    assert (item.current.lower, item.current.strict, item.status) == (1, "lower", "pending")
    page.wait_for_url(f"**suggestion={item.suggestion.id}")
    reviewer.button("Undo").click()
    expect(page.get_by_text("Undone: Removed").first).to_be_visible()
    assert not rules(reviewer)
    # On a telephone the form takes the place of the list: below it nobody saw it.
    page.set_viewport_size({"width": 390, "height": 844})
    reviewer.button("New rule").click()
    expect(page.get_by_role("group", name="New rule")).to_be_focused()
    expect(add).to_be_in_viewport()
    choose(page, "What must hold", "has a metric within bounds")
    expect(page.get_by_label("From", exact=True)).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(add).to_be_hidden()
    expect(reviewer.row(0)).to_be_visible()
    expect(reviewer.button("New rule")).to_be_focused()


def rules_column(page: Page) -> str:
    """The column that the form begins with: that of the suggestion looked at."""
    return page.locator("tr[aria-current=true] td.column").inner_text().strip()
