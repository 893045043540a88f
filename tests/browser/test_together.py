"""Two people before one draft, and a server that is lost and comes back, in a real browser."""

from __future__ import annotations

import re
from ipaddress import ip_network
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from avh_ui.ui.access.access import Access
from tests.browser.conftest import DRAWN, App, Reviewer, serving
from tests.browser.line import Line, lines
from tests.fakes.demo_workspace import demo_workspace

pytestmark = pytest.mark.browser

# What a browser says of a server that is away.
AWAY = re.compile("ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET|Lost websocket|Failed to connect|not connected")
AT = "(id) => new URLSearchParams(location.search).get('suggestion') === id"


def sit_down(app: App, context: BrowserContext, page: Page, name: str) -> Reviewer:
    """Somebody of this name before the first suggestion."""
    context.set_extra_http_headers({"X-Person": name})
    reviewer = app.open(page)
    reviewer.looks_at(0)
    return reviewer


def banner(who: Reviewer) -> Locator:
    """What the page says of its server."""
    return who.page.get_by_role("alert").filter(has_text="The server ")


def lose(line: Line, ada: Reviewer, bob: Reviewer) -> str:
    """Cut the line: both are told, and what they do is refused. Where Bob was."""
    chosen = bob.id(1)
    bob.page.wait_for_function(AT, arg=chosen)
    line.cut()
    for one in (ada, bob):
        expect(banner(one)).to_contain_text("The server cannot be reached since")
    bob.page.keyboard.press("a")
    expect(banner(bob)).to_contain_text("That was not taken.")
    ada.row(2).get_by_role("checkbox").click()
    expect(banner(ada)).to_contain_text("That was not taken.")
    expect(ada.row(2).get_by_role("checkbox")).not_to_be_checked()
    return chosen


def test_two_people_at_one_draft_whose_server_is_lost_and_comes_back(context: BrowserContext, page: Page, browser: Browser) -> None:
    workspace = demo_workspace(people={"ada": "approver", "bob": "approver"})
    with lines() as line:
        access = Access(header="X-Person", proxies=(ip_network("127.0.0.1"),), origins=(f"127.0.0.1:{line.port}",))
        with serving(workspace, context, access) as app:
            server = urlsplit(app.url).port or 0
            app.url = f"http://127.0.0.1:{line.port}/"
            line.mend(server)
            with browser.new_context(viewport={"width": 1440, "height": 900}) as other:
                app.guard(other)
                ada, bob = sit_down(app, context, page, "ada"), sit_down(app, other, other.new_page(), "bob")
                field = page.get_by_role("group", name="Bounds").get_by_role("textbox").first
                field.fill("123")
                bob.page.keyboard.press("r")
                # Without a reload, with the name, and nothing of what Ada types is lost.
                expect(ada.row(0).get_by_title("rejected by bob")).to_be_visible()
                expect(field).to_have_value("123")
                expect(field).to_be_focused()
                bob.looks_at(1)
                chosen = lose(line, ada, bob)
                with bob.page.expect_event("load"):
                    line.mend(server)
                # Who typed something is asked, who did not goes on where he was.
                expect(banner(ada)).to_contain_text("The server is back.")
                expect(field).to_have_value("123")
                bob.page.wait_for_function(DRAWN)
                bob.looks_at(1)
                assert bob.id(1) == chosen
                expect(banner(bob)).to_have_count(0)
                draft = workspace.draft("orders")
                assert draft is not None
                assert draft.item(chosen).status == "pending"
                bob.page.keyboard.press("a")
                bob.says("Accepted")
            app.errors[:] = [error for error in app.errors if not AWAY.search(error)]
