"""Sessions of the app end for good: nothing that a page was made of is held once nobody looks at it any more."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from typing import Any

import panel as pn
import param
import pytest
from bokeh.application.handlers.document_lifecycle import DocumentLifecycleHandler
from bokeh.document import Document
from bokeh.server.contexts import ApplicationContext
from panel.io.application import build_applications
from panel.viewable import Viewer
from tornado.ioloop import IOLoop

from avh_ui.ui import app
from avh_ui.ui.components.panes import column, html
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.pages import PAGES
from avh_ui.ui.views.shell import Shell
from tests.fakes.demo_workspace import demo_workspace


class FirstSteps(param.Parameterized):
    """What the browser keeps of the first steps."""

    dismissed = param.Boolean(False)
    tried = param.Boolean(False)


class SmallShell(Viewer):
    """As much of a shell as the page around it asks for: whole ones take a third of a second each to make."""

    def __init__(self, services: Any, **options: Any) -> None:
        super().__init__()
        self.session = SessionState(services, run=options["run"], soon=options["soon"])
        self.header, self.body = [html("avh")], column(html("page"))
        self.steps = FirstSteps()

    def start(self, address: Address) -> None:
        self.session.tab = address.tab

    def __panel__(self) -> Any:
        return self.body


class Request:
    """What a browser asks for."""

    cookies: dict[str, Any] = {}
    headers: dict[str, Any] = {}
    path = uri = "/"
    method, protocol, host = "GET", "http", "localhost"

    def __init__(self, tab: str) -> None:
        self.arguments = {"tab": [tab.encode()]}


def alive(*kinds: type) -> int:
    """How many objects of these classes something still holds."""
    gc.collect()
    return sum(isinstance(found, kinds) for found in gc.get_objects())


async def come_and_go(tabs: Sequence[str]) -> None:
    """A page per tab, opened and left one after the other: what the server does, without a network."""
    application = build_applications(app.session_factory(demo_workspace(hostile=False).services))["/"]
    application.add(DocumentLifecycleHandler())
    context = ApplicationContext(application, io_loop=IOLoop.current(), url="/")
    for at, tab in enumerate(tabs):
        session = await context.create_session_if_needed(f"session-{at}", Request(tab))  # type: ignore[arg-type]
        assert len(session.document.roots) > 1
        session.request_expiration()
        await context._cleanup_sessions(0)
        assert not context._sessions


def test_many_sessions_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "Shell", SmallShell)
    before, views = alive(Document, SmallShell, SessionState), len(pn.state._views)
    asyncio.run(come_and_go(["review"] * 12))
    assert alive(Document, SmallShell, SessionState) <= before + 1, "the last one may still be somebody's current document"
    assert len(pn.state._views) <= views


def test_each_page_is_forgotten_with_its_session() -> None:
    before = alive(Document, Shell, SessionState)
    asyncio.run(come_and_go([page.name for page in PAGES]))
    assert alive(Document, Shell, SessionState) <= before + 1
