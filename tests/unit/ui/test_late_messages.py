"""No message is left on the server, however the socket and the changes take their turns."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bokeh.document import Document
from panel.io import document

from avh_ui.ui.components.late_messages import send_late_messages


class Socket:
    """Writes one message after another; each is done when the test says so."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.done: list[asyncio.Future[None]] = []

    def write(self, conn: Connection, msg: str) -> list[asyncio.Future[None]]:
        assert conn._socket is self
        self.written.append(msg)
        self.done.append(asyncio.get_running_loop().create_future())
        return [self.done[-1]]


class Connection:
    """As Bokeh's: makes messages, and has a socket."""

    def __init__(self, socket: Socket) -> None:
        self._socket, self.protocol = socket, self

    def create(self, _kind: str, events: list[str]) -> str:
        return "+".join(events)


async def turns(times: int = 10) -> None:
    """Let every task have its turns."""
    for _ in range(times):
        await asyncio.sleep(0)


@pytest.mark.parametrize("mended", [False, True])
def test_what_comes_as_the_socket_is_done_is_sent(monkeypatch: pytest.MonkeyPatch, mended: bool) -> None:
    was: Any = document._dispatch_msgs
    monkeypatch.setattr(document, "_dispatch_msgs", getattr(was, "__wrapped__", was))
    if mended:
        send_late_messages()
        send_late_messages()  # twice is once

    async def scene() -> list[str]:
        socket, doc = Socket(), Document()
        monkeypatch.setitem(document.extra_socket_handlers, Socket, socket.write)
        document.schedule_write_events(doc, [Connection(socket)], ["busy"])
        await turns()
        socket.done[0].set_result(None)
        document.schedule_write_events(doc, [Connection(socket)], ["done"])
        await turns()
        for future in socket.done[1:]:
            future.set_result(None)
        await turns()
        assert not mended or (doc not in document._WRITE_MSGS and doc not in document._WRITE_BLOCK)
        return socket.written

    # Unmended, Panel leaves it: once it does not, our mending can go.
    assert asyncio.run(scene()) == (["busy", "done"] if mended else ["busy"])
