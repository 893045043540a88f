"""The files that pages are drawn with, as servers of this process send them: kept by browsers for good, and known when each was sent."""

from __future__ import annotations

import re
import time
from http import HTTPStatus
from typing import Any

from bokeh.server.urls import toplevel_patterns
from bokeh.server.views.multi_root_static_handler import MultiRootStaticHandler
from bokeh.server.views.static_handler import StaticHandler

from avh_ui.ui.components.scripts import FOLDER

# Files whose names change with what they hold: our scripts by their folder, the theme's fonts by their own.
_NAMED_BY_CONTENT = re.compile(rf"{FOLDER}/.*|.*-[0-9A-Z]{{8}}\.woff2?")
# By its path when each file was sent last, by a clock that never goes back; not more than there are files.
SENT: dict[str, float] = {}


class _Kept:
    """Panel names its files by versions (`?v=...`, `?a9a9cc...`), of which Tornado (6.6) sees the first alone: the largest script was asked
    for anew with each page.
    """

    request: Any
    get_status: Any
    CACHE_MAX_AGE: int

    def on_finish(self) -> None:
        if self.get_status() == HTTPStatus.OK:
            SENT[self.request.path] = time.monotonic()

    def get_cache_time(self, path: str, *_: Any) -> int:
        return self.CACHE_MAX_AGE if self.request.query or _NAMED_BY_CONTENT.fullmatch(path) else 0


class _KeptExtension(_Kept, MultiRootStaticHandler):
    """Ours, Panel's and the theme's."""


class _KeptBokeh(_Kept, StaticHandler):
    """Bokeh's."""


_KINDS: dict[type, type] = {MultiRootStaticHandler: _KeptExtension, StaticHandler: _KeptBokeh}


def keep_files() -> None:
    """Have the servers of this process that start from now on send them so."""
    toplevel_patterns[:] = [(route, _KINDS.get(kind, kind), *rest) for route, kind, *rest in toplevel_patterns]
