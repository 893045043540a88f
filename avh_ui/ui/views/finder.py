"""The line above a long list: a filter by name, what is shown of how many, and the pages."""

from __future__ import annotations

from typing import Any

from avh_ui.ui.components.action_bar import ActionBar, action
from avh_ui.ui.components.markup import tag
from avh_ui.ui.components.panes import PaneView, field, html, row
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.window import NameList


class Finder(PaneView):
    """Draws a window over many of a `thing` (`column`), while there is more than a page of them.

    Without `search` there are only the pages; `turns` are the words to the page before and the next.
    """

    def __init__(self, window: NameList, thing: str, turns: tuple[str, str] = ("Previous", "Next"), search: bool = True) -> None:
        super().__init__()
        self.window, self.thing, self.words, self._searched = window, thing, turns, search
        self.search: Any = None
        self.about = html(sizing_mode=None)
        self.turns = ActionBar(lambda name: window.turn(1 if name == "on" else -1), label=f"Pages: {thing}")
        self.body = row(self.about, self.turns, gap=10, padding="8px 14px 4px")
        window.param.watch(lambda *_: self._fill(), ["names", "found", "shown"])
        window.param.watch(self._follow, "query")
        self._fill()

    def _field(self) -> Any:
        """The field of the filter. A widget costs time when a page opens: it is made when a list is long."""
        query = self.window.query
        search = field("", lambda text: setattr(self.window, "query", text), placeholder=f"Find a {self.thing}", width=220, align="center")
        search.show(query)
        return search

    def _follow(self, event: Any) -> None:
        if self.search is not None:
            self.search.show(event.new)

    def _fill(self) -> None:
        window, (back, on) = self.window, self.words
        if window.long and self._searched and self.search is None:
            self.search = self._field()
            self.body.insert(0, self.search)
        self.body.visible = window.long
        first = window.page * window.size
        text = f"{first + 1:,} – {first + len(window.shown):,} of {count(window.total, self.thing)}" if window.shown else "none"
        self.about.object = tag("span", text, cls="quiet num", role="status")
        self.turns.actions = [action("back", back, disabled=window.page == 0), action("on", on, disabled=window.page + 1 >= window.pages)]
