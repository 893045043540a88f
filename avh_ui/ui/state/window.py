"""A page of many names, and what it takes to find one among them: only what is seen is sent."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.state.observable import Observable


class NameList(Observable):
    """Of all `names`, in their order, `query` finds some (`found`), of which the page is `shown`; `page` counts from 0."""

    names = param.Parameter((), doc="a tuple of texts")
    says = param.Parameter({}, doc="what a name is called where that is something else: it is found by either")
    query = param.String("")
    page = param.Integer(0)
    found = param.Parameter(())
    shown = param.Parameter(())

    def __init__(self, size: int, **params: Any) -> None:
        super().__init__(**params)
        self.size = size
        self.param.watch(lambda *_: self._fill(), ["names", "says", "page"])
        self.param.watch(lambda *_: self._search(), "query")

    @property
    def total(self) -> int:
        """How many names the query finds."""
        return len(self.found)

    @property
    def pages(self) -> int:
        """How many pages these are, at least one."""
        return max(1, -(-self.total // self.size))

    @property
    def long(self) -> bool:
        """Whether it takes a filter and pages to find one."""
        return len(self.names) > self.size

    def turn(self, by: int) -> None:
        """To a page further on or back."""
        self.page = min(max(self.page + by, 0), self.pages - 1)

    def called(self, name: str) -> str:
        """What a name is called."""
        return str(self.says.get(name, name))

    def reveal(self, name: str) -> None:
        """To the page that a name is on, without the query where that hides it; nothing for a name that is not there."""
        if name in self.names:
            if name not in self.found:
                self.query = ""
            self.page = self.found.index(name) // self.size

    def _search(self) -> None:
        if self.page:
            self.page = 0  # which fills it
        else:
            self._fill()

    def _fill(self) -> None:
        wanted = self.query.strip().casefold()
        found = tuple(n for n in self.names if wanted in n.casefold() or (n in self.says and wanted in self.says[n].casefold()))
        page = min(self.page, max(0, (len(found) - 1) // self.size))
        self.param.update(found=found, page=page, shown=found[page * self.size : (page + 1) * self.size])
