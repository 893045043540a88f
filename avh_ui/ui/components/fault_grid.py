"""A grid of columns by classes of fault, each cell with a mark for every severity."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class FaultGrid(Component):
    """`rows` are dicts of `label` and `cells`, each cell a pair of its codes (one character for each severity: `n` noticed, `p` partly, `m`
    missed, a blank for none) and of what they say in words. The function given is called with the place of the cell that was chosen.
    """

    classes = param.List(default=[], doc="the names of the columns of the grid")
    severities = param.List(default=[], doc="what the marks of a cell are of, texts")
    rows = param.List(default=[])
    cursor = param.List(default=[-1, -1], doc="the row and class looked at")
    label = param.String(default="", doc="what it shows, for screen readers")

    _stylesheets = [CSS]

    def _handle_msg(self, msg: Any) -> None:
        if not isinstance(msg, dict):
            return
        row, at = msg.get("row"), msg.get("class")
        if isinstance(row, int) and isinstance(at, int) and 0 <= row < len(self.rows) and 0 <= at < len(self.classes):
            self._on(row, at)
