"""What axe-core finds on every page, in light and dark: names, roles, headings, contrast; and that keys suffice to get everywhere."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import App
from tests.fakes.demo_runs import publish_and_validate

pytestmark = pytest.mark.browser

# Page -> a text that is there once it is drawn.
PAGES = {
    "overview": "365 batches of 20 columns",
    "review": "Why these bounds",
    "what-if": "Nothing is kept of a suggestion run",
    "runs": "for a label",
    "drift": "Columns by how far",
    "publish": "Publish version",
}
GRAVE = ("serious", "critical")


def grave(page: Page) -> list[str]:
    """What axe-core finds grave: rule, what it says, and the first element."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]} ({len(v['nodes'])})" for v in found if v["impact"] in GRAVE]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tab", PAGES)
def test_axe_finds_nothing_grave(app: App, page: Page, tab: str, theme: str) -> None:
    publish_and_validate(app.workspace)
    app.open(page, f"?pipeline=orders&tab={tab}")
    expect(page.get_by_text(PAGES[tab]).first).to_be_visible(timeout=30_000)
    if theme == "dark":
        page.get_by_label("Toggle theme").click()
        expect(page.locator("main")).to_have_css("background-color", "rgb(24, 31, 39)")
    page.wait_for_function(
        "() => document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"
    )
    assert grave(page) == []
