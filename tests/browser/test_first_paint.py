"""Until a page stands its frame is seen, in its theme; then nothing of the frame is left, and where there is no page, it says why."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from avh_ui.errors import NotPermittedError
from avh_ui.ui.views.shell import Shell
from tests.browser.conftest import App

pytestmark = pytest.mark.browser

# Seconds after which a session is made though nobody has seen the frame, so that the test fails and does not hang.
LONGEST = 60


def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Have no session made before what is given here is set."""
    seen = threading.Event()

    def shell(*args: Any, **more: Any) -> Shell:
        assert seen.wait(LONGEST), "the frame was not painted before the session was made"
        return Shell(*args, **more)

    monkeypatch.setattr("avh_ui.ui.app.Shell", shell)
    return seen


def test_the_frame_is_painted_while_the_session_is_made_and_gives_way_to_the_page(
    app: App, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.context.add_cookies([{"name": "avh_theme", "value": "dark", "url": app.url}])
    seen = held(monkeypatch)
    page.goto(f"{app.url}?tab=review&pile=all", wait_until="commit")
    skeleton = page.locator("#skeleton")
    expect(skeleton).to_contain_text("Reading the workspace")
    expect(skeleton).to_contain_text("Overview")
    expect(skeleton).to_have_css("background-color", "rgb(24, 31, 39)")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    expect(page.locator("tbody tr[data-id]")).to_have_count(0)
    seen.set()
    expect(page.locator("tbody tr[data-id]").first).to_be_visible()
    expect(skeleton).to_have_count(0)
    expect(page.locator("main")).to_have_css("background-color", "rgb(24, 31, 39)")
    assert app.errors == []


@pytest.mark.parametrize("where", ["avh_ui.ui.app.Shell", "bokeh.server.contexts.ApplicationContext.create_session_if_needed"])
def test_a_page_that_cannot_be_made_says_so_in_the_frame(app: App, page: Page, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise NotPermittedError("Nobody is logged in.", hint="Open the page again to log in.")

    monkeypatch.setattr(where, refused)
    page.goto(app.url)
    said = page.get_by_role("alert").filter(has_text="Nobody is logged in. Open the page again to log in.")
    expect(said).to_be_visible()
    box = said.bounding_box()
    assert box is not None
    assert box["x"] >= 20, "it stands within the page, not at its edge"
    expect(page.get_by_text("Reading the workspace")).to_have_count(0)
    expect(page.get_by_text(re.compile("Traceback|site-packages"))).to_have_count(0)


def test_a_page_fetches_the_letters_that_it_shows(app: App, page: Page) -> None:
    page.goto(f"{app.url}?tab=review&pile=all")
    expect(page.locator("tbody tr[data-id]").first).to_be_visible()
    expect(page.locator("#skeleton")).to_have_count(0)
    fetched = page.evaluate("() => document.fonts.ready.then(() => performance.getEntriesByType('resource').map((one) => one.name))")
    fonts = {name.rpartition("/")[2].partition("-normal")[0] for name in fetched if ".woff" in name}
    assert {"roboto-latin-400", "roboto-latin-700"} <= fonts
    assert [name for name in fonts if re.search("cyrillic|greek|vietnamese", name)] == []
