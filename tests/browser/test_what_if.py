"""Other settings of the suggestions by keyboard and mouse in a real browser; outcomes are read from the workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import App, serving
from tests.fakes.workspaces import FakeWorkspace

pytestmark = pytest.mark.browser


@pytest.fixture
def suggested(context: BrowserContext) -> Iterator[App]:
    workspace = FakeWorkspace(days=20).profiled()
    workspace.suggest("orders")
    with serving(workspace, context) as served:
        yield served


def test_a_target_is_tried_and_taken(suggested: App, page: Page) -> None:
    suggested.open(page, "?pipeline=orders&tab=what-if")
    expect(page.get_by_text("Nothing would change")).to_be_visible()
    adopt = page.get_by_role("button", name="Make it the draft")
    expect(adopt).to_be_disabled()
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Move (")).to_be_visible()
    page.get_by_label("Leave out").fill("2023-01-01")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("There is no batch '2023-01-01' of 'orders'")
    expect(adopt).to_be_disabled()
    page.get_by_label("Leave out").fill("")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_count(0)
    before = suggested.workspace.draft("orders")
    assert before is not None
    adopt.click()
    expect(page.get_by_text("Nothing would change")).to_be_visible()
    after = suggested.workspace.draft("orders")
    assert after is not None
    assert (before.run.fpr, after.run.fpr) == (0.001, 0.002)


def test_a_column_gets_a_target_of_its_own_by_keyboard(suggested: App, page: Page) -> None:
    suggested.open(page, "?pipeline=orders&tab=what-if&column=amount")
    expect(page.get_by_text("Nothing would change")).to_be_visible()
    page.get_by_role("slider", name="Its own target").focus()
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Own targets: amount 5%")).to_be_visible()
    adopt = page.get_by_role("button", name="Make it the draft")
    expect(adopt).to_be_enabled()
    adopt.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing would change")).to_be_visible()
    after = suggested.workspace.draft("orders")
    assert after is not None
    assert after.run.settings is not None
    assert (after.run.fpr, after.run.settings.own) == (0.001, {"amount": 0.05})
