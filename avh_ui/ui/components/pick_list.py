"""A list of lines of which one is looked at: the results of a run, the pipelines of a workspace."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class PickList(Component):
    """`lines` are dicts of `value`, `label`, and optionally `glyph`, `tone` (a status class), `note`, `tag`, `title` and `sparks`
    (small lines of `name`, `y` from 0 to 100 with None for unknown, and `last`, the newest value in words).

    The function given is called with the value of the line that was chosen.
    """

    lines = param.List(default=[])
    value = param.String(default="")
    label = param.String(default="", doc="what is listed, for screen readers")
    empty = param.String(default="", doc="what to say when there is no line")

    _stylesheets = [CSS]

    def _handle_msg(self, msg: Any) -> None:
        if any(line["value"] == msg for line in self.lines):
            self._on(msg)
