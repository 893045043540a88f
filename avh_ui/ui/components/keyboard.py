"""Keyboard shortcuts of the whole page."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component


class Keyboard(Component):
    """Calls `on_command` with the command bound to a key. Typing in a field, an open menu or dialog is left alone.

    `scope` is the CSS class of the app's root where the page holds other things too (notebooks): keys then act only after the last click
    fell inside it.
    """

    width = height = 0
    bindings = param.Dict(default={}, doc="key -> command; capital letters and ctrl+ as pressed")
    focusing = param.List(default=[], doc="commands that put the cursor into a field: what is typed until then goes there")
    scope = param.String(default="")

    def _handle_msg(self, msg: dict[str, Any]) -> None:
        if msg.get("command") in self.bindings.values():
            self._on(msg["command"])
