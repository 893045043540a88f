"""The piles of the review in a real browser: groups are decided by one key, and that is seen before the server has answered."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App

pytestmark = pytest.mark.browser

# Presses a key, and reads what stands decided of the first group before anything can have come from the server.
PRESS = """(key) => {
  const search = (root) => [...root.querySelectorAll('*')].flatMap(
    (node) => [...(node.matches('tbody tr.group') ? [node] : []), ...(node.shadowRoot ? search(node.shadowRoot) : [])])
  window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }))
  return search(document)[0].querySelector('.counts').textContent.trim()
}"""


def test_a_group_is_decided_by_one_key_and_seen_at_once(app: App, page: Page) -> None:
    reviewer = app.open(page, "?pile=eyes")
    piles = page.get_by_role("group", name="Piles of suggestions")
    expect(piles.get_by_role("button", name="Needs your eyes")).to_have_attribute("aria-pressed", "true")
    first = page.locator("tbody tr.group").first
    first.locator("td.name").click()
    expect(first).to_have_attribute("aria-current", "true")
    assert page.evaluate(PRESS, "M").endswith("rejected")
    reviewer.says("as meaningless")
    draft = app.workspace.draft("orders")
    assert draft is not None
    assert len([item for item in draft.items if item.reason == "meaningless"]) > 1
    expect(page.get_by_text("1 of ").first).to_be_visible()
    page.keyboard.press("b")
    expect(piles.get_by_role("button", name="Needs your eyes")).to_have_attribute("aria-pressed", "false")
