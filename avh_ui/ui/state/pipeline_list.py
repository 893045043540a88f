"""The list of pipelines with how each fares: a page of it is read and shown, whatever the number of pipelines and their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.pipeline_health import PipelineHealth, PipelineStanding, pipeline_health, standing
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.window import NameList

# A screenful of the overview twice over. Reading a pipeline takes up to seconds, so that no more are read than are looked at.
PAGE = 20

# By what they can be sorted, the most of it first: names alone ascend.
ORDERS: dict[str, Callable[[PipelineStanding], Any]] = {
    "worst": lambda found: found.urgency,
    "alarms": lambda found: (bool(found.problem), found.open_alarms),
    "run": lambda found: found.ran,
    "pending": lambda found: found.pending,
    "name": lambda found: found.name.casefold(),
}


class PipelineList(Observable):
    """`shown` are the pipelines of the page that `window` is on, which fill one after the other.

    `order` is one of `ORDERS`, '' for that of avh.yml. What it takes to sort all of them is read without their histories: `sorting`
    until then. Where nobody named a pipeline, the first one of the order is looked at (`follow`).
    """

    shown = param.Parameter(())
    reading = param.Boolean(False)
    order = param.String("worst")
    sorting = param.Boolean(False)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.window = session, NameList(PAGE)
        self._read: dict[str, PipelineHealth] = {}
        self._stale: set[str] = set()
        self.follow = False
        self.window.param.watch(lambda *_: self._show(), "shown")

    def open(self) -> None:
        """Name the pipelines while the one looked at is still read; nothing once they are."""
        if not self.window.names:
            self.visit()

    def visit(self, *, anew: bool = True) -> None:
        """Read what is shown again, on the page of the pipeline looked at; with `anew` its order too: no line moves by being chosen."""
        self._stale = set(self._read)
        if set(self.window.names) != set(self.session.pipelines):
            self.window.names, anew = tuple(self.session.pipelines), True
        if self.session.pipeline in self.window.found:
            self.window.reveal(self.session.pipeline)
        if self.order and anew and not self.sorting:
            self.sort(self.order)
        self._show()

    def choose(self, name: str) -> None:
        """Look at a pipeline."""
        self.follow = False
        self.session.choose(name)

    def sort(self, order: str) -> None:
        """Show the pipelines in an order, from its first page on; reads how all of them stand, away from the event loop."""
        again, self.order = order == self.order, order
        names, services = self.session.pipelines, self.session.services
        if order in ("", "name"):
            self._arrange(order, [PipelineStanding(name) for name in names], again)
            return
        self.sorting = True
        self.session.run(lambda: [standing(services, name) for name in names], lambda found: self._arrange(order, found, again))

    def _arrange(self, order: str, found: list[PipelineStanding], again: bool) -> None:
        if order != self.order:
            return  # another one was chosen meanwhile
        # Among equals, that of avh.yml stays.
        arranged = sorted(found, key=ORDERS[order], reverse=order != "name") if order else found
        self.param.update(sorting=False)
        self.window.names = tuple(one.name for one in arranged)
        if self.follow and arranged:
            self.choose(arranged[0].name)
        if not again:
            self.window.page = 0

    def _show(self) -> None:
        self.shown = tuple(self._read.get(name) or PipelineHealth(name, read=False) for name in self.window.shown)
        if not self.reading:
            self._next()

    def _next(self) -> None:
        """Read the next pipeline of the page that is shown by now; the one looked at first, but for while it is read for its own page."""
        missing = [name for name in self.window.shown if name not in self._read or name in self._stale]
        self.reading = bool(missing)
        if not missing:
            return
        services, looked = self.session.services, self.session.pipeline
        missing.sort(key=lambda name: (name == looked) == (self.session.phase == "loading"))
        name = missing[0]
        self.session.run(lambda: pipeline_health(services, name), self._adopt)

    def _adopt(self, health: PipelineHealth) -> None:
        self._read[health.name] = health
        self._stale.discard(health.name)
        self.shown = tuple(health if other.name == health.name else other for other in self.shown)
        self._next()
