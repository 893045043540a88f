"""The ladder of a pattern by mouse and by keyboard in a real browser; outcomes are read from the workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from avh_ui.constraints.pattern_constraint import PatternConstraint
from tests.browser.conftest import App, serving
from tests.fakes.patterns import HOSTILE, coded_workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def ladder(context: BrowserContext, page: Page) -> Iterator[tuple[App, str]]:
    """The app on the one suggested pattern."""
    workspace, item = coded_workspace()
    with serving(workspace, context) as served:
        served.open(page, f"?pipeline=orders&suggestion={item}")
        expect(page.get_by_role("heading", name="Alternatives")).to_be_visible()
        yield served, item


def pattern(app: App, item: str) -> PatternConstraint:
    draft = app.workspace.draft("orders")
    assert draft is not None
    found = draft.item(item).current
    assert isinstance(found, PatternConstraint)
    return found


def test_a_rung_is_taken_by_mouse_and_undone_and_a_regex_is_tried_and_taken_by_keyboard(ladder: tuple[App, str], page: Page) -> None:
    app, item = ladder
    before = pattern(app, item).pattern
    expect(page.get_by_text(HOSTILE, exact=True).first).to_be_visible()  # as text
    rungs = page.get_by_role("list", name="Alternative patterns").get_by_role("listitem")
    expect(rungs.filter(has_text="★ suggested").get_by_role("button")).to_be_disabled()
    rungs.filter(has_not_text="★ suggested").first.get_by_role("button").click()
    expect(page.locator(f"tr[data-id={item!r}]")).to_contain_text("edited")
    assert pattern(app, item).pattern != before
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator(f"tr[data-id={item!r}]")).to_contain_text("pending")
    assert pattern(app, item).pattern == before
    field = page.get_by_label("Regex for whole values")
    page.get_by_role("list", name="Alternative patterns").get_by_role("button").last.focus()
    page.keyboard.press("Tab")
    expect(field).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("(A+)+")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("exponential time")
    page.keyboard.press("Control+a")
    page.keyboard.type("[AB][0-9]+")
    page.keyboard.press("Enter")
    expect(page.get_by_text("conform,").last).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("button", name="Use this regex")).to_be_enabled()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(f"tr[data-id={item!r}]")).to_contain_text("edited")
    assert pattern(app, item).pattern.text == "[AB][0-9]+"
