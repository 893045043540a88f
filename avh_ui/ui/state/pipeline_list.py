"""The list of pipelines with how each fares: a page of it is read and shown, whatever the number of pipelines."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.pipeline_health import PipelineHealth, pipeline_health
from avh_ui.ui.state.session import SessionState

# A screenful of the overview twice over. Reading a pipeline takes up to seconds, so that no more are read than are looked at.
PAGE = 20


class PipelineList(Observable):
    """`shown` are the pipelines of the page, which fill one after the other; `query` filters all names, `page` counts from 0."""

    shown = param.Parameter(())
    query = param.String("")
    page = param.Integer(0)
    reading = param.Boolean(False)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._names: tuple[str, ...] = ()
        self._read: dict[str, PipelineHealth] = {}
        self._stale: set[str] = set()
        self.param.watch(self._filter, "query")
        self.param.watch(lambda *_: self._show(), "page")

    def visit(self) -> None:
        """Read anew what is shown, on the page of the pipeline looked at."""
        self._stale = set(self._read)
        self._names = self._found()
        if self.session.pipeline in self._names:
            self.page = self._names.index(self.session.pipeline) // PAGE
        self._show()

    @property
    def total(self) -> int:
        """How many pipelines the query finds."""
        return len(self._names)

    @property
    def pages(self) -> int:
        """How many pages these are, at least one."""
        return max(1, -(-self.total // PAGE))

    @property
    def long(self) -> bool:
        """Whether it takes a filter and pages to find one."""
        return bool(self.query) or self.total > PAGE

    def turn(self, by: int) -> None:
        """To a page further on or back."""
        self.page = min(max(self.page + by, 0), self.pages - 1)

    def _found(self) -> tuple[str, ...]:
        wanted = self.query.strip().casefold()
        return tuple(name for name in self.session.pipelines if wanted in name.casefold())

    def _filter(self, *_: Any) -> None:
        self._names = self._found()
        if self.page:
            self.page = 0  # which shows it
        else:
            self._show()

    def _on_page(self) -> tuple[str, ...]:
        return self._names[self.page * PAGE : (self.page + 1) * PAGE]

    def _show(self) -> None:
        self.shown = tuple(self._read.get(name) or PipelineHealth(name) for name in self._on_page())
        if not self.reading:
            self._next()

    def _next(self) -> None:
        """Read the next pipeline of the page that is shown by now; the one looked at first."""
        missing = [name for name in self._on_page() if name not in self._read or name in self._stale]
        self.reading = bool(missing)
        if not missing:
            return
        door, name = self.session.door, self.session.pipeline if self.session.pipeline in missing else missing[0]
        self.session.run(lambda: pipeline_health(door, name), self._adopt)

    def _adopt(self, health: PipelineHealth) -> None:
        self._read[health.name] = health
        self._stale.discard(health.name)
        self.shown = tuple(health if other.name == health.name else other for other in self.shown)
        self._next()
