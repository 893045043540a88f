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
    "drift": "Batch before",
    "publish": "Publish version",
}
GRAVE = ("serious", "critical")
# Until no colour changes any more, in any shadow root: ten frames in a row, since a theme reaches the widgets one after the other.
AT_REST = """async () => {
  const roots = (root) => [root, ...[...root.querySelectorAll('*')].filter((n) => n.shadowRoot).flatMap((n) => roots(n.shadowRoot))]
  const ends = (animation) => animation.playState === 'running' && animation.effect.getComputedTiming().endTime !== Infinity
  for (let calm = 0; calm < 10;) {
    await new Promise(requestAnimationFrame)
    calm = roots(document).some((root) => root.getAnimations().some(ends)) ? 0 : calm + 1
  }
}"""


def grave(page: Page) -> list[str]:
    """What axe-core finds grave: rule, what it says, and the first element."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [f"{v['id']}: {node['failureSummary']}: {node['html'][:300]}" for v in found if v["impact"] in GRAVE for node in v["nodes"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tab", PAGES)
def test_axe_finds_nothing_grave(app: App, page: Page, tab: str, theme: str) -> None:
    publish_and_validate(app.workspace)
    app.open(page, f"?pipeline=orders&tab={tab}")
    expect(page.get_by_text(PAGES[tab]).first).to_be_visible()
    if theme == "dark":
        page.get_by_label("Toggle theme").click()
        expect(page.locator("main")).to_have_css("background-color", "rgb(24, 31, 39)")
    page.evaluate(AT_REST)
    found = grave(page)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_grave_in_the_help_sheet(app: App, page: Page, theme: str) -> None:
    page.context.add_cookies([{"name": "avh_theme", "value": theme, "url": app.url}])
    reviewer = app.open(page)
    expect(reviewer.row(0)).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.evaluate(AT_REST)
    found = grave(page)
    assert not found, "\n".join(found)
