"""A line between browsers and a server that can be cut and mended, as when the server stops and starts again at its port."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Iterator
from typing import Any

from tests.fakes.ports import free_port


class Line:
    """Carries what comes in at `port` of this machine to another port of it, while it is not cut; runs in a loop of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.port = free_port()
        self._loop = loop
        self._server: asyncio.Server | None = None
        self._cut = True
        self._carried: dict[asyncio.Task[Any] | None, tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = {}

    def mend(self, to: int) -> None:
        """Carry to a port from now on."""

        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            answers, there = await asyncio.open_connection("127.0.0.1", to)
            if self._cut:  # while this connected
                writer.transport.abort()
                there.transport.abort()
                return
            task = asyncio.current_task()
            self._carried[task] = writer, there
            await asyncio.gather(_pump(reader, there), _pump(answers, writer))
            del self._carried[task]

        async def listen() -> None:
            self._cut = False
            self._server = await asyncio.start_server(carry, "127.0.0.1", self.port)

        self._run(listen())

    def cut(self) -> None:
        """End every connection; nobody listens at the port."""

        async def end() -> None:
            self._cut = True
            if self._server is not None:
                self._server.close()
            tasks = [task for task in self._carried if task is not None]
            for ends in self._carried.values():
                for writer in ends:
                    writer.transport.abort()
            if tasks:
                await asyncio.wait(tasks)

        self._run(end())

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(60)


@contextlib.contextmanager
def lines() -> Iterator[Line]:
    """A line that is cut as yet."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    line = Line(loop)
    try:
        yield line
    finally:
        line.cut()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    writer.close()
