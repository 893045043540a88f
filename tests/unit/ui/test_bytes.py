"""What a page sends to the browser does not grow with the history: measured on the server's messages of a session, without a browser."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import panel as pn
import pytest
from bokeh.document.callbacks import DocumentCallbackManager
from bokeh.document.events import DocumentChangedEvent, DocumentPatchedEvent
from bokeh.protocol import Protocol
from bokeh.server.callbacks import PeriodicCallback
from bokeh.server.contexts import ApplicationContext
from bokeh.server.session import ServerSession
from panel.io.application import build_applications
from panel.io.state import set_curdoc, state
from tornado.ioloop import IOLoop

from avh_ui.ui import app
from avh_ui.ui.state.session import at_once, immediately
from avh_ui.ui.views.shell import Shell
from tests.fakes.long_history import long_workspace
from tests.unit.ui.test_sessions import Request

# Bytes of any page of 10,000 batches, as they are sent; a third are Panel's own. Scripts are fetched once per release and no part of it.
FIRST = 500_000
# Of turning to a page for the first time, and of looking at something else there.
CHANGE = 300_000
MOVE = 100_000


def weight(message: Any) -> int:
    """The bytes of a message with its arrays."""
    return len(message.content_json) + sum(len(buffer.to_bytes()) for buffer in message.buffers)


class Visit:
    """A session of the long history, as the server makes it; `events` are all changes of its document."""

    def __init__(self, context: ApplicationContext, session: ServerSession, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        # The document knows its server as long as the context lives; without one its scripts would be sent with each component.
        self.context, self.session, self.shell = context, session, shell
        self.first = weight(Protocol().create("PULL-DOC-REPLY", "asked", session.document))
        self.events: list[DocumentPatchedEvent] = []
        told = DocumentCallbackManager.trigger_on_change

        def heard(manager: DocumentCallbackManager, event: DocumentChangedEvent) -> None:
            if isinstance(event, DocumentPatchedEvent):
                self.events.append(event)
            told(manager, event)

        # Before Panel holds some of them back and Bokeh sends the others.
        monkeypatch.setattr(DocumentCallbackManager, "trigger_on_change", heard)

    async def does(self, change: Callable[[], None]) -> int:
        """The bytes that a change sends."""
        self.events.clear()

        def go() -> None:
            with set_curdoc(self.session.document):
                change()

        await self.session.with_document_locked(go)
        # What waits for the session's next tick; what others did is looked for as long as the page is open.
        while any(not isinstance(waiting, PeriodicCallback) for waiting in self.session.document.session_callbacks):
            await asyncio.sleep(0.001)
        return weight(Protocol().create("PATCH-DOC", self.events)) if self.events else 0


async def visit(tab: str, monkeypatch: pytest.MonkeyPatch) -> Visit:
    """Open a page."""
    monkeypatch.setattr(app, "_in_thread", immediately)
    monkeypatch.setattr(app, "_next_tick", lambda _: at_once)
    shells: list[Shell] = []
    made = app._shell
    monkeypatch.setattr(app, "_shell", lambda *asked: shells.append(made(*asked)) or shells[-1])
    application = build_applications(app.session_factory(long_workspace().services))["/"]
    context = ApplicationContext(application, io_loop=IOLoop.current(), url="/")
    session = await context.create_session_if_needed("one", Request(tab))  # type: ignore[arg-type]
    return Visit(context, session, shells[0], monkeypatch)


@pytest.fixture(autouse=True)
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a server, whatever ran before: notebooks have all scripts put into the page, for the whole process."""
    monkeypatch.setattr(pn.config, "inline", False)
    yield
    state.reset()


def test_pages_of_ten_thousand_batches_turning_and_moving_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def turn() -> None:
        found = await visit("overview", monkeypatch)
        assert found.first < FIRST
        shell = found.shell
        for tab in ("review", "what-if", "runs", "drift", "publish", "overview"):
            size = await found.does(lambda tab=tab: setattr(shell.session, "tab", tab))
            assert size < CHANGE
            for command in ("next", "previous", "later", "earlier"):
                size = await found.does(lambda command=command: shell.command(command))
            assert size < MOVE

    asyncio.run(turn())
