"""The head of a page, sent before its session is made: the browser paints the frame and fetches and runs the scripts meanwhile."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from bokeh.server.urls import per_app_patterns
from panel.io.server import DocHandler
from tornado.web import RequestHandler, authenticated

from avh_ui.commands_named import pasteable
from avh_ui.errors import AvhError
from avh_ui.ui.components.frame import MARK
from avh_ui.ui.components.kept_files import SENT
from avh_ui.ui.components.theme_keeper import chosen_dark

# Makes the head for the resources of a server, dark or light.
Head = Callable[[Any, bool], str]
# Reads, in a thread, what the page of a query string will show.
Meanwhile = Callable[[str], None]
# What a proxy is asked for: to pass the head on at once (nginx and what speaks its language; others do so by themselves).
_UNBUFFERED = "X-Accel-Buffering"
# Making a session takes the thread that sends the scripts, too. So a browser that has none gets them first, and runs them meanwhile. It
# asks for them some 50 ms after the head: in seconds, how long nothing may be sent, and how long this may take in all.
QUIET, LONGEST = 0.2, 0.6
_SCRIPT = re.compile(r'<script[^>]* src="([^"?]+)')
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Early:
    """The heads of an app, and what is done while the scripts are fetched."""

    make_head: Head
    meanwhile: Meanwhile
    place: str
    heads: WeakKeyDictionary[Any, dict[bool, str]] = field(default_factory=WeakKeyDictionary)  # by server, by whether they are dark


# By the function that makes an app's pages: a process may serve others, whose pages are none of ours.
_EARLY: WeakKeyDictionary[Callable[[], Any], _Early] = WeakKeyDictionary()


def send_head_first(pages: Callable[[], Any], head: Head, meanwhile: Meanwhile, place: str = "") -> None:
    """Have the servers of this process that start from now on send the heads of these pages first; `meanwhile` is what they do while
    scripts are fetched, `place` what commands in errors need to find the workspace.
    """
    _EARLY[pages] = _Early(head, meanwhile, place)
    per_app_patterns[:] = [(route, HeadFirstHandler if kind is DocHandler else kind, *rest) for route, kind, *rest in per_app_patterns]


class HeadFirstHandler(DocHandler):
    """Panel's handler of pages. Who may not see a page, is sent elsewhere or asks for it in another way than a browser does is answered
    as ever, and so are the pages of other apps; from the head on a page has the status 200, and what goes wrong is said in it.
    """

    sent = ""  # the head, once it is on its way
    place = ""  # of the workspace whose page this is

    @authenticated
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """The page."""
        try:
            await super().get(*args, **kwargs)
        except Exception as error:
            if not self.sent:
                raise
            _LOG.exception("a page could not be made")
            RequestHandler.write(self, _end(error, self.place))

    async def get_session(self) -> Any:
        """The session, which is made once it is known that there will be a page."""
        early = self._early()
        if early is not None and self._plain():
            self.place = early.place
            await self._send_head(early)
        made = super().get_session()
        return None if made is None else await made

    def write(self, chunk: str | bytes | dict[Any, Any]) -> None:
        """Of a page whose head is sent the rest; ValueError for what is no such page."""
        super().write(chunk[chunk.index(MARK) + len(MARK) :] if self.sent and isinstance(chunk, str) else chunk)

    def _early(self) -> _Early | None:
        """The heads of this app; None where it is not ours."""
        made = (part for handler in self.application_context.application.handlers for part in _called(getattr(handler, "_func", None)))
        return next((_EARLY[part] for part in made if part in _EARLY), None)

    def _plain(self) -> bool:
        """Whether this asks for a page of a new session, by addresses relative to its own: not for a session that it names."""
        special = any(name.startswith("bokeh-") for name in self.request.arguments)
        return not special and "Bokeh-Session-Id" not in self.request.headers and bool(self.application.generate_session_ids)

    async def _send_head(self, early: _Early) -> None:
        heads = early.heads.setdefault(self.application, {})
        dark = chosen_dark({name: cookie.value for name, cookie in self.request.cookies.items()})
        if dark not in heads:
            heads[dark] = early.make_head(self.application.resources(), dark)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header(_UNBUFFERED, "no")
        self.write(heads[dark])
        self.flush()
        self.sent = heads[dark]
        if "avh_system" not in self.request.cookies:  # a browser that has drawn a page says so, and has kept what that took
            scripts = [f"{self.request.path.rstrip('/')}/{path}" for path in _SCRIPT.findall(self.sent)]
            await asyncio.gather(_fetched(scripts), asyncio.to_thread(early.meanwhile, self.request.query))


def _called(function: Any) -> Iterator[Callable[[], Any]]:
    """A function, and those that it was given: Panel hands Bokeh one that calls the app's."""
    parts = [function.func, *function.args] if isinstance(function, partial) else [function]
    yield from (part for part in parts if isinstance(part, FunctionType))


async def _fetched(paths: Sequence[str]) -> None:
    """Wait until a browser has these scripts, or asks for no more."""
    begun = now = time.monotonic()
    while now < begun + LONGEST:
        await asyncio.sleep(0.005)
        now = time.monotonic()
        sent = [SENT.get(path, 0.0) for path in paths]
        if min(sent) > begun or now > QUIET + max(begun, *sent):
            return


def failure(error: Exception, place: str) -> str:
    """Why a page could not be made, for who asked for it, its commands with `place`, the option that names the workspace; of what nobody
    expected no more than where it is told.
    """
    return pasteable(str(error), place) if isinstance(error, AvhError) else "The page could not be made: the app's log says why."


def _end(error: Exception, place: str) -> str:
    """The end of a page of which only the head was made."""
    script = "const s = document.getElementById('skeleton'); s.classList.add('broken'); s.querySelector('p').remove()"
    return f'<p role="alert" class="unmade">{escape(failure(error, place))}</p><script>{script}</script></body></html>'
