"""The review table: one page of suggestions, drawn in the browser from plain data, so that no value can become markup."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS, GLYPHS


class QueueTable(Component):
    """A table with a cursor, ticks, sortable heads and pages; the server filters, sorts and pages.

    The function given is called with what the person did: `look` (id), `check` (id, through), `toggle` (id), `check_all`, `sort` (name),
    `turn` (page) and `clear`.
    """

    rows = param.List(default=[], doc="the page's rows as of `ui.state.rows.table_row` and `group_row`")
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

    def _handle_msg(self, msg: dict[str, Any]) -> None:
        self._on(msg)
