"""The rows that moved, as a table that people sort by its heads."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class MovedTable(Component):
    """A key, its value before and after and how much it changed; the heads sort, in the browser alone.

    `shown` is all of it in one parameter: `title`, `said` (what the rows have in common), `note`, `heads` (texts), `rows` (lists of texts)
    and `numbers` (lists of what their cells sort by: numbers, None where the text itself is).
    """

    shown = param.Dict(default={}, doc="empty while there is nothing to show")

    _stylesheets = [CSS]

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"sizing_mode": "stretch_width", **params})
