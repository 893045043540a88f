"""Pipelines that are kept in memory, and what is read of one for a session that is about to be made."""

from __future__ import annotations

import time
from threading import Lock

from avh_ui.ui.state.address import REVIEW, Address
from avh_ui.ui.state.session import Loaded, Runner, immediately, load
from avh_ui.workflows.services import Services

# A session that begins later reads anew, in seconds: a browser has its scripts sooner.
FRESH = 2.0


class ReadAhead:
    """`read` are the names of the pipelines that this process has read: looking for news takes a tenth of a second of each."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.read: set[str] = set()
        self._found: dict[str, tuple[float, Loaded]] = {}
        self._lock = Lock()

    def shown(self, address: Address) -> str:
        """The pipeline whose review a page can be built with; '' where something else is shown, or it has yet to be read."""
        name = address.pipeline or next(iter(self.services.pipelines()), "")
        # Other pages read more than the review does, which may take long.
        return name if address.tab == REVIEW and name in self.read else ""

    def begin(self, address: Address) -> None:
        """Read what a page shows; in a thread, while its browser fetches the scripts."""
        name = self.shown(address)
        if name:
            found = time.monotonic(), load(self.services, name)
            with self._lock:
                self._found[name] = found

    def runner(self, name: str) -> Runner:
        """Hands over what was read of a pipeline just now, once, and reads it where nothing was."""
        with self._lock:
            begun, loaded = self._found.pop(name, (0.0, None))
        if loaded is None or time.monotonic() > begun + FRESH:
            return immediately
        return lambda _work, done: done(loaded)
