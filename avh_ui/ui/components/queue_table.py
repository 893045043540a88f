"""The review table: one page of suggestions, drawn in the browser from plain data, so that no value can become markup."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS, GLYPHS

# Of the rows. A change is sent with those since the last whole page: over n decisions one by one that is n / 2 rows each and a page of 50
# every n-th time, and least for n = 10.
_FEW = 0.2


class QueueTable(Component):
    """A table with a cursor, ticks, sortable heads and pages; the server filters, sorts and pages.

    The function given is called with what the person did: `look` (id), `check` (id, through), `toggle` (id), `check_all`, `sort` (name),
    `turn` (page) and `clear`.
    """

    # Texts: Bokeh looks for models in every value of a list, at each change, and a page has some thousands.
    rows = param.String(default="[]", doc="the page's rows as JSON, as they were when all of them were sent last")
    changes = param.String(default="{}", doc="as JSON, by its place the row that stands there now instead")
    cursor = param.String(default="")
    checked = param.List(default=[])
    sort = param.String(default="")
    descending = param.Boolean(default=False)
    page = param.Integer(default=0)
    pages = param.Integer(default=1)
    page_size = param.Integer(default=50)
    total = param.Integer(default=0, doc="rows on all pages")
    items = param.Integer(default=0, doc="suggestions on all pages, those of closed groups too")
    pile = param.String(default="", doc="the status that all that waits gets by the one key of a pile")
    empty = param.String(default="", doc="what to say when there is no row")
    note = param.String(default="", doc="the status line below")
    settled = param.Integer(default=0, doc="the last key that was done: until then the browser shows what it will do")
    glyphs = param.Dict(default=GLYPHS, constant=True)

    _stylesheets = [CSS]

    def __init__(self, on: Callable[..., object] = lambda *_: None, **params: Any) -> None:
        super().__init__(on, **params)
        self.shown: Sequence[dict[str, Any]] = ()  # the page's rows as they are now
        self._base: Sequence[dict[str, Any]] = ()  # those of `rows`

    def show(self, rows: Sequence[dict[str, Any]]) -> None:
        """Show the rows of a page, as of `ui.state.rows.table_row` and `group_row`.

        Sent is what differs from the page that was sent last, as long as that is little: a decision changes one row of fifty.
        """
        self.shown = rows
        if len(rows) == len(self._base) and all(new["id"] == old["id"] for new, old in zip(rows, self._base, strict=True)):
            changed = {k: row for k, (row, old) in enumerate(zip(rows, self._base, strict=True)) if row is not old and row != old}
            if len(changed) <= _FEW * len(rows):
                self.changes = json.dumps(changed)
                return
        self._base = rows
        self.param.update(rows=json.dumps(rows), changes="{}")

    def _handle_msg(self, msg: dict[str, Any]) -> None:
        self._on(msg)
