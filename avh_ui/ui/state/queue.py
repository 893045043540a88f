"""The review queue: which suggestions are shown, in which order, where the cursor is and what is ticked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import SessionState

FILTERS = ("all", "pending", "accepted", "edited", "rejected")
SORTS: dict[str, Callable[[DraftItem], Any]] = {
    "column": lambda item: item.current.column.casefold(),
    "metric": lambda item: item.current.metric,
    "fpr": lambda item: item.current.fpr,
    "caught": lambda item: len(item.suggestion.caught),
    "status": lambda item: FILTERS.index(item.status),
}
# One page of the table: few enough to draw within a frame or two, more than a tall screen shows.
PAGE_SIZE = 50


class QueueState(Observable):
    """`visible` are the ids after filter and sort, `cursor` the one looked at ('' when none), `checked` those ticked."""

    query = param.String("", doc="words that column or metric contain")
    status: param.Selector[str] = param.Selector(default="all", objects=list(FILTERS))
    sort: param.Selector[str] = param.Selector(default="", objects=["", *SORTS], doc="'' is the order of the suggestions")
    descending = param.Boolean(False)
    page = param.Integer(0, bounds=(0, None))
    visible = param.Parameter(())
    cursor = param.String("")
    checked = param.Parameter(())

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._items: dict[str, DraftItem] = {}
        self._anchor = ""
        session.param.watch(self._adopt, "loads")
        session.param.watch(lambda *_: self._arrange(), "draft")
        self.param.watch(lambda *_: self._arrange(), ["query", "status", "sort", "descending"])
        self._adopt()

    @property
    def item(self) -> DraftItem | None:
        """The item under the cursor."""
        return self._items.get(self.cursor)

    @property
    def items(self) -> list[DraftItem]:
        """The visible items of the current page."""
        start = self.page * PAGE_SIZE
        return [self._items[i] for i in self.visible[start : start + PAGE_SIZE]]

    @property
    def shown(self) -> list[DraftItem]:
        """The visible items of all pages."""
        return [self._items[i] for i in self.visible]

    @property
    def pages(self) -> int:
        """How many pages the visible items make; at least one."""
        return max(1, -(-len(self.visible) // PAGE_SIZE))

    def _adopt(self, *_: Any) -> None:
        """Something was loaded: the address may name the suggestion to look at."""
        wanted, self.session.wanted = self.session.wanted, ""
        self.checked = ()
        self._arrange(wanted)
        if wanted and wanted not in self._items:
            self.session.tell("warning", f"There is no suggestion {wanted!r} in this draft any more.")

    def _arrange(self, wanted: str = "") -> None:
        """Filter and sort anew; the cursor stays on its item, else on what has taken its place."""
        draft = self.session.draft
        self._items = {} if draft is None else {item.suggestion.id: item for item in draft.items}
        words = self.query.casefold().split()
        found = [item for item in self._items.values() if self._fits(item, words)]
        if self.sort:
            found.sort(key=SORTS[self.sort], reverse=self.descending)
        ids = tuple(item.suggestion.id for item in found)
        place = self.visible.index(self.cursor) if self.cursor in self.visible else 0
        cursor = next((c for c in (wanted, self.cursor) if c in ids), ids[min(place, len(ids) - 1)] if ids else "")
        kept = set(ids)
        checked = tuple(c for c in self.checked if c in kept)
        self.param.update(visible=ids, cursor=cursor, checked=checked, page=self._page_of(cursor, ids))

    def _fits(self, item: DraftItem, words: list[str]) -> bool:
        if self.status not in ("all", item.status):
            return False
        text = f"{item.current.column} {item.current.metric}".casefold()
        return all(word in text for word in words)

    @staticmethod
    def _page_of(cursor: str, ids: tuple[str, ...]) -> int:
        return ids.index(cursor) // PAGE_SIZE if cursor in ids else 0

    def go(self, suggestion_id: str) -> None:
        """Look at one item."""
        if suggestion_id in self.visible:
            self._anchor = suggestion_id
            self.param.update(cursor=suggestion_id, page=self._page_of(suggestion_id, self.visible))

    def move(self, step: int) -> None:
        """Move the cursor; it stops at both ends."""
        if self.visible:
            place = self.visible.index(self.cursor) if self.cursor in self.visible else 0
            self.go(self.visible[min(max(place + step, 0), len(self.visible) - 1)])

    def reveal(self, suggestion_id: str) -> None:
        """Look at an item, even where the filter hides it."""
        if suggestion_id in self._items and suggestion_id not in self.visible:
            self.param.update(query="", status="all")
        self.go(suggestion_id)

    def next_pending(self, place: int, among: tuple[str, ...]) -> str:
        """The first pending item at or after a place of an order, else before it; '' when none is left."""
        order = (*among[place:], *among[:place])
        return next((i for i in order if i in self._items and self._items[i].status == "pending"), "")

    def turn(self, page: int) -> None:
        """Show a page; the cursor goes to its first item."""
        page = min(max(page, 0), self.pages - 1)
        if self.visible:
            self.go(self.visible[page * PAGE_SIZE])

    def sort_by(self, name: str) -> None:
        """Sort by a column: first ascending, then descending, then as suggested."""
        if name != self.sort:
            self.param.update(sort=name, descending=False)
        elif not self.descending:
            self.descending = True
        else:
            self.param.update(sort="", descending=False)

    def check(self, suggestion_id: str, *, through: bool = False) -> None:
        """Tick or untick one item; `through` ticks all from the last one touched."""
        if suggestion_id not in self.visible:
            return
        if through and self._anchor in self.visible:
            ends = sorted((self.visible.index(self._anchor), self.visible.index(suggestion_id)))
            span = self.visible[ends[0] : ends[1] + 1]
            self.checked = tuple(dict.fromkeys((*self.checked, *span)))
        elif suggestion_id in self.checked:
            self.checked = tuple(c for c in self.checked if c != suggestion_id)
        else:
            self.checked = (*self.checked, suggestion_id)
        self._anchor = suggestion_id

    def check_all(self) -> None:
        """Tick everything that the filter shows (on all pages); untick when all is ticked."""
        self.checked = () if set(self.checked) >= set(self.visible) else self.visible

    def clear(self) -> None:
        """No filter and nothing ticked."""
        self.param.update(query="", status="all", checked=())
