"""The real app in a thread of this process, a page that may only talk to it, and what a person does with mouse and keyboard."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlparse
from urllib.request import urlopen

import panel as pn
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from avh_ui.ui.access.access import Access
from avh_ui.ui.access.serving import options
from avh_ui.ui.app import session_factory
from avh_ui.ui.components.frame import TITLE
from avh_ui.workspace import Workspace
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.ports import free_port

# Milliseconds that any wait of a browser test may take, the only such setting: a wait ends when what it waits for is there, so that this
# costs nothing on a quiet machine. Playwright's five seconds were too few on one with six busy loops beside the tests.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)

# Data coordinates of a named Bokeh figure as page pixels; null until it is drawn and has stood in its place for ten frames.
TO_PIXELS = r"""([name, x, y]) => {
  const figure = [...Bokeh.documents[0]._all_models.values()].find((m) => m.name === name && m.y_range)
  const find = (view) => {
    if (view.model === figure) { return view }
    const children = [...(view.children?.() ?? []), ...(view.child_views ?? []), ...(view._child_views?.values() ?? [])]
    for (const child of children) { const found = child && find(child); if (found) { return found } }
    return null
  }
  const view = figure && [...Bokeh.index.roots].map(find).find(Boolean)
  if (!view?.canvas_view) { return null }
  const box = view.canvas_view.el.getBoundingClientRect()
  const at = x ?? (figure.x_range.start + figure.x_range.end) / 2
  const found = [box.x + view.frame.x_scale.compute(at), box.y + view.frame.y_scale.compute(y)]
  window.calm = String(found) === window.found ? window.calm + 1 : 0
  window.found = String(found)
  return window.calm < 10 ? null : found
}"""
# Whether a page is drawn.
DRAWN = "() => window.Bokeh && Bokeh.documents.length && Bokeh.documents[0].is_idle"
# Whether a window of a width is filled and not overflown, ten frames in a row.
FITS = """(width) => {
  window.calm = innerWidth === width && document.documentElement.scrollWidth <= width ? (window.calm ?? 0) + 1 : 0
  return window.calm >= 10
}"""


@dataclass
class App:
    """The served app; `outside` and `errors` collect what must not happen in any page of the test."""

    url: str
    workspace: Workspace
    outside: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def guard(self, context: BrowserContext) -> None:
        """Let pages of a context reach the app alone, and record what goes wrong in them."""

        def route(route: Any) -> None:
            if urlparse(route.request.url).hostname in ("localhost", "127.0.0.1", None):
                route.continue_()
            else:
                self.outside.append(route.request.url)
                route.abort()

        context.route("**/*", route)
        context.set_default_timeout(PATIENCE)

    def open(self, page: Page, query: str = "") -> Reviewer:
        """Open the app and wait until it is drawn; the review with every suggestion by itself, unless the query names a page or pile."""
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        if not re.search(r"\b(tab|pile|suggestion|column)=", query):
            query += f"{'&' if query else '?'}pile=all"
        page.goto(f"{self.url}{query}")
        page.wait_for_function(DRAWN)
        return Reviewer(page, self.workspace)


@dataclass
class Reviewer:
    """A person before the page."""

    page: Page
    workspace: Workspace

    def row(self, at: int) -> Locator:
        """A row of the table."""
        return self.page.locator("tbody tr[data-id]").nth(at)

    def button(self, name: str) -> Locator:
        """The button of exactly this name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def id(self, at: int) -> str:
        """The suggestion of a row."""
        return self.row(at).get_attribute("data-id") or ""

    def looks_at(self, at: int) -> None:
        """The cursor is on a row and the evidence shows it."""
        expect(self.row(at)).to_have_attribute("aria-current", "true")

    def says(self, text: str) -> None:
        """The server has confirmed what a key did, and says so below the table: the row shows it before that."""
        expect(self.page.get_by_role("status").filter(has_text=text)).to_be_attached()

    def pixels(self, y: float, x: float | None = None) -> tuple[float, float]:
        """Where a value stands in the chart."""
        self.page.evaluate("() => { window.calm = 0 }")
        left, top = self.page.wait_for_function(TO_PIXELS, arg=["history", x, y]).json_value()
        return left, top

    def fits(self, width: int) -> None:
        """A window of a width shows the page and no scroll bar below it."""
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.evaluate("() => { window.calm = 0 }")
        self.page.wait_for_function(FITS, arg=width)

    def drag(self, y: float, by: int, hold: int = 0) -> None:
        """Drag what stands at a value of the chart by so many pixels down, after holding the button for `hold` milliseconds."""
        x, top = self.pixels(y)
        self.page.mouse.move(x, top - 15)
        self.page.mouse.move(x, top)
        self.page.mouse.down()
        if hold:
            self.page.wait_for_timeout(hold)
        for step in range(1, 6):
            self.page.mouse.move(x, top + by * step / 5)
        self.page.mouse.up()


def serve(workspace: Workspace, access: Access | None = None) -> tuple[str, asyncio.AbstractEventLoop]:
    """Serve the app as the command does, on a free port in a thread; its address and event loop."""
    port, allowed = free_port(), access or Access()
    sessions = session_factory(workspace.services, access=allowed)
    server = pn.serve(sessions, port=port, address="127.0.0.1", title=TITLE, threaded=True, show=False, **options(allowed, port))
    url = f"http://127.0.0.1:{port}/"
    wait_for(url)
    return url, server.asyncio_loop


def wait_for(url: str) -> None:
    """Wait until a server has answered, if not everybody: its first page is made by then, and not while a test has changed how."""
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            with urlopen(url, timeout=PATIENCE / 1000) as answer:
                answer.read()
            return
        except HTTPError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            threading.Event().wait(0.05)


def settle(loop: asyncio.AbstractEventLoop) -> None:
    """Let the server finish what it was sending: a message that was never sent is a warning, and warnings are errors."""

    async def others() -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        if tasks:
            await asyncio.wait(tasks, timeout=0.4)

    asyncio.run_coroutine_threadsafe(others(), loop).result(PATIENCE / 1000)


@contextmanager
def serving(workspace: Workspace, context: BrowserContext, access: Access | None = None) -> Iterator[App]:
    """The app on a workspace; afterwards, nothing outside was asked for and nothing failed in the browser."""
    url, loop = serve(workspace, access)
    served = App(url, workspace)
    served.guard(context)
    try:
        yield served
    finally:
        context.close()
        settle(loop)
        pn.state.reset()  # stops the server and forgets its sessions
    assert served.outside == []
    assert served.errors == []


@pytest.fixture
def app(context: BrowserContext) -> Iterator[App]:
    """The app on a fresh demo workspace."""
    with serving(demo_workspace(), context) as served:
        yield served


@pytest.fixture
def unfollowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that do not look what others did: both people act before either sees the other's deed."""
    monkeypatch.setattr("avh_ui.ui.app.EVERY", 3_600_000)


@pytest.fixture
def reviewer(app: App, page: Page) -> Reviewer:
    """Somebody who has just opened the app."""
    made = app.open(page)
    expect(made.row(0)).to_be_visible()
    made.looks_at(0)
    return made


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}}
