"""The coverage page in a real browser: by mouse and keyboard to a hole and to the suggestion that closes it; what axe-core finds."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import App, serving
from tests.browser.test_access import grave
from tests.fakes.workspaces import FakeWorkspace

pytestmark = pytest.mark.browser

# Whether the second element begins below the first.
BELOW = "([above, below]) => below.getBoundingClientRect().top >= above.getBoundingClientRect().bottom"


@pytest.fixture
def suggested(context: BrowserContext) -> Iterator[App]:
    workspace = FakeWorkspace(days=9).profiled()
    workspace.suggest("orders")
    with serving(workspace, context) as served:
        yield served


def test_in_a_narrow_window_the_words_stand_below_the_choices(suggested: App, page: Page) -> None:
    page.set_viewport_size({"width": 560, "height": 450})
    suggested.open(page, "?pipeline=orders&tab=coverage")
    said = page.get_by_text("Nothing is enforced yet")
    expect(said).to_be_visible()
    choices = page.get_by_role("group", name="Of which rules")
    expect(choices).to_be_visible()
    page.wait_for_function(BELOW, arg=[choices.element_handle(), said.element_handle()])


def test_from_a_hole_to_the_suggestion_that_closes_it(suggested: App, page: Page) -> None:
    reviewer = suggested.open(page, "?pipeline=orders&tab=coverage&of=draft&column=amount&fault=nulls")
    cell = reviewer.button("amount, nulls: missed at 1%, 10%, 50%, 100% of the rows")
    expect(cell).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("heading", name="nulls: amount")).to_be_visible()
    for theme in ("light", "dark"):
        assert not grave(page), theme
        if theme == "light":
            page.get_by_label("Toggle theme").click()
            expect(page.locator("main")).to_have_css("background-color", "rgb(24, 31, 39)")
    page.keyboard.press("k")
    page.wait_for_url("**column=id&fault=nulls")
    page.keyboard.press("l")
    page.wait_for_url("**column=id&fault=type+or+format")
    expect(page.get_by_role("heading", name="type or format: id")).to_be_visible()
    reviewer.button("All suggestions").click()
    page.wait_for_url("**of=all**")
    reviewer.button("The draft").click()
    cell.click()
    # On a telephone the names of columns are whole, and the buttons stay within the card.
    page.set_viewport_size({"width": 390, "height": 844})
    names = page.locator("th[scope=row]")
    assert names.evaluate_all("(all) => all.filter((name) => name.scrollWidth > name.clientWidth || name.clientWidth < 100).length") == 0
    accept = page.get_by_role("button", name=re.compile("^Accept “")).first
    assert accept.evaluate("(node) => node.getBoundingClientRect().right <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})
    reviewer.button("Open its suggestion").click()
    page.wait_for_url("**tab=review**")
