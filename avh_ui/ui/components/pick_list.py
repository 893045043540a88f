"""A list of lines of which one is looked at: the results of a run, the pipelines of a workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class PickList(Component):
    """`lines` are dicts of `value`, `label`, and optionally `glyph`, `tone` (a status class), `note`, `tag`, `title`, `news` (what is to
    be seen first), `sparks` (small lines of `name`, `y` from 0 to 100 with None for unknown, and `last`, the newest value in words) and
    `lead`, the words of a button of its own.

    The function given is called with the value of the line that was chosen, `on_lead` with that of the line whose button was pressed.
    """

    lines = param.List(default=[])
    value = param.String(default="")
    label = param.String(default="", doc="what is listed, for screen readers")
    empty = param.String(default="", doc="what to say when there is no line")
    moved = param.Boolean(default=False, doc="whether the page's keys go from line to line: then the tab key goes to one of them alone")

    _stylesheets = [CSS]

    def __init__(
        self, on: Callable[..., object] = lambda *_: None, on_lead: Callable[[str], object] = lambda _: None, **params: Any
    ) -> None:
        super().__init__(on, **params)
        self._on_lead = on_lead

    def _handle_msg(self, msg: Any) -> None:
        leads = isinstance(msg, dict)
        value = msg.get("lead") if leads else msg
        if any(line["value"] == value for line in self.lines):
            (self._on_lead if leads else self._on)(value)
