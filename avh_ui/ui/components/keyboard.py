"""Keyboard shortcuts of the whole page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from avh_ui.ui.components.component import Component


@dataclass(frozen=True)
class Pressed:
    """What a person had before them when a key was pressed: the row `of` the list ('' where no one row is meant), and the item in the
    `form`; `seq` counts the keys (0 = none of the keyboard).
    """

    of: str = ""
    form: str = ""
    seq: int = 0


class Keyboard(Component):
    """Calls `on` with the command bound to a key, and with what the page knew of it when it was pressed (`Pressed`).

    Typing in a field, an open menu or dialog is left alone.

    `scope` is the CSS class of the app's root where the page holds other things too (notebooks): keys then act only after the last click
    fell inside it.
    """

    width = height = 0
    bindings = param.Dict(default={}, doc="key -> command; capital letters and ctrl+ as pressed")
    focusing = param.List(default=[], doc="commands that put the cursor into a field: what is typed until then goes there")
    scope = param.String(default="")

    def _handle_msg(self, msg: dict[str, Any]) -> None:
        if msg.get("command") in self.bindings.values():
            seq = msg.get("seq")
            self._on(msg["command"], Pressed(str(msg.get("of", "")), str(msg.get("form", "")), seq if isinstance(seq, int) else 0))
