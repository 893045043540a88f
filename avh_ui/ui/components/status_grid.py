"""A grid of marks, many rows by many batches, drawn on one canvas: constraints over runs, columns over batches."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class StatusGrid(Component):
    """`cells` has one character per cell, row by row; `marks` says what a character is.

    A mark is a dict of `code` (the character), `word`, `tone` (a colour of `status_grid.css`), `size` (the share of the cell's height
    that is filled, so that a mark is known without its colour) and `glyph` (drawn where cells are wide enough).
    The function given is called with (row, column) as positions; -1 for a column means the row's name was chosen.
    """

    rows = param.List(default=[], doc="dicts of `label`, and optionally `note` (quiet, behind it) and `title`")
    columns = param.List(default=[], doc="the names of the columns, texts")
    cells = param.String(default="")
    marks = param.List(default=[])
    cursor = param.List(default=[-1, -1], doc="the row and column looked at")
    label = param.String(default="", doc="what it shows, for screen readers and as the name of exported files")
    empty = param.String(default="", doc="what to say when there is no row")

    _stylesheets = [CSS]

    def _handle_msg(self, msg: Any) -> None:
        if not isinstance(msg, dict):
            return
        row, column = msg.get("row"), msg.get("column")
        if isinstance(row, int) and isinstance(column, int) and 0 <= row < len(self.rows) and -1 <= column < len(self.columns):
            self._on(row, column)
