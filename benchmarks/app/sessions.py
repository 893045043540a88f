"""Twenty people at once, each selecting once a second: `python -m benchmarks.app.sessions [--workspace DIR] [--sessions N] [--seconds S]`.

Every session is a websocket of its own that speaks Bokeh's protocol as a browser does, and only to a server of this machine: twenty
browsers would measure themselves on two cores. Prints milliseconds from a key to the last message that answers it, and the memory that a
session takes.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from itertools import count
from pathlib import Path
from typing import Any

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, websocket_connect

from benchmarks.app.common import arguments, load, serving, spread, workspace_of
from benchmarks.profiling.common import cpu_seconds

# An answer of several messages has no mark of its end: none is this long after another (they follow each other within milliseconds).
QUIET = 0.25
# Seconds after which a key is taken for lost.
PATIENCE = 60


class Person:
    """One session: opens the page, waits until it is filled, then presses keys."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.socket: WebSocketClientConnection | None = None
        self.keyboard = ""
        self.latencies: list[float] = []
        self._numbers = count(1000)
        self._last = 0.0

    async def open(self) -> None:
        """The page, its document and the notice that it stands, as the browser does it."""
        page = (await AsyncHTTPClient().fetch(self.url, request_timeout=120)).body.decode()
        token = re.search(r'"token":\s*"([^"]+)"', page)
        if token is None:
            raise ValueError(f"{self.url} is no page of the app")
        address = self.url.replace("http", "ws", 1).split("?")[0] + "ws"
        self.socket = await websocket_connect(address, subprotocols=["bokeh", token.group(1)], max_message_size=2**28)
        self._listener = asyncio.ensure_future(self._listen())
        while not self._last:  # the server says first that it is ready
            await asyncio.sleep(0.01)
        await self._send("PULL-DOC-REQ", {})
        while not self.keyboard:
            await asyncio.sleep(0.02)
        await self._event("document_ready", [])
        await self.settled(1.0)

    async def _listen(self) -> None:
        kind = ""
        assert self.socket is not None
        while (text := await self.socket.read_message()) is not None:
            self._last = time.perf_counter()
            if isinstance(text, bytes):
                continue
            if text.startswith('{"msgid"'):
                kind = json.loads(text)["msgtype"]
            elif kind == "PULL-DOC-REPLY" and len(text) > 1000:
                self.keyboard = _model(json.loads(text), "Keyboard")

    async def settled(self, quiet: float = QUIET) -> float:
        """The moment of the last message, once none came for a while."""
        while time.perf_counter() - self._last < quiet:
            await asyncio.sleep(quiet / 10)
        return self._last

    async def press(self, command: str) -> None:
        """One key, and how long until it is answered in full."""
        start = time.perf_counter()
        self._last = start
        await self._event("data_event", [["model", {"id": self.keyboard}], ["data", {"type": "map", "entries": [["command", command]]}]])
        while self._last == start:
            await asyncio.sleep(0.002)
            if time.perf_counter() - start > PATIENCE:
                raise TimeoutError(f"a key was not answered within {PATIENCE} s")
        self.latencies.append(1000 * (await self.settled() - start))

    async def work(self, seconds: int) -> None:
        """A key a second, beginning at a moment of one's own: people do not act in step."""
        await asyncio.sleep(random.random())
        for _ in range(seconds):
            start = time.perf_counter()
            await self.press("next")
            await asyncio.sleep(max(0.0, 1.0 - (time.perf_counter() - start)))

    async def _event(self, name: str, values: list[Any]) -> None:
        event = {"type": "event", "name": name, "values": {"type": "map", "entries": values}}
        await self._send("PATCH-DOC", {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}]})

    async def _send(self, kind: str, content: dict[str, Any]) -> None:
        assert self.socket is not None
        for part in ({"msgid": str(next(self._numbers)), "msgtype": kind}, {}, content):
            await self.socket.write_message(json.dumps(part))


def _model(tree: Any, name: str) -> str:
    """The id of the component of a class in a serialised document."""
    if isinstance(tree, dict):
        if tree.get("type") == "object" and tree.get("attributes", {}).get("class_name") == name:
            return str(tree["id"])
        tree = list(tree.values())
    if isinstance(tree, list):
        return next(filter(None, (_model(part, name) for part in tree)), "")
    return ""


def resident(pid: int) -> float:
    """Megabytes that a process holds now."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+)", text)
    return int(found.group(1)) / 1024 if found else 0.0


async def run(url: str, server: int, sessions: int, seconds: int) -> None:
    """Everybody comes one after the other, then all work at once."""
    first = Person(url)
    await first.open()
    before = resident(server)
    people = [Person(url) for _ in range(sessions)]
    for person in people:
        await person.open()
    print(f"{sessions} sessions are open", flush=True)
    grown = (resident(server) - before) / sessions
    cpu = cpu_seconds(server)
    await asyncio.gather(*(person.work(seconds) for person in people))
    used = (cpu_seconds(server) - cpu) / seconds
    print(load())
    print(f"from a key to its answer, {sessions} sessions: {spread([ms for person in people for ms in person.latencies])}")
    print(f"processor of the server: {100 * used:.0f}% of a core")
    worked = (resident(server) - before) / sessions
    print(f"memory: {before:.0f} MB with one session, {grown:.1f} MB more per session when it is opened, {worked:.1f} MB after its work")


def main() -> None:
    """From the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--query", default="", help="of the address, as ?pipeline=NAME")
    options = parser.parse_args()
    with serving(workspace_of(options)) as (url, server):
        asyncio.run(run(url + options.query, server, options.sessions, options.seconds))


if __name__ == "__main__":
    main()
