"""The ladder of a pattern: its rungs with a button each, and a field for a regex of one's own, drawn as one component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class LadderTable(Component):
    """One component and not a widget per rung: making and sending buttons took longer than all the rest of a selection.

    `shown` is all of it in one parameter, so that a selection changes it once: `rungs` (dicts of `text`, `title`, `mark`, `facts`,
    `parts`, `samples` and `used`; parts are dicts of `text` and `share`), the suggestion that they are of (`item`), the `typed` regex,
    whether it can be taken (`ready`), what was `tried` with it (dict of `facts`, `where` and `samples`, or None), the `problem` with it,
    the `refusal` of who may not decide, and the ladder as `csv`. Samples are dicts of `glyph`,
    `name` and `values`. `on_use` is called with the place of a rung, `on_type` with a regex and `on_save` with nothing.
    """

    shown = param.Dict(default={}, doc="empty while there is no pattern")

    _stylesheets = [CSS]

    def __init__(self, on_use: Callable[[int], None], on_type: Callable[[str], None], on_save: Callable[[], None], **params: Any) -> None:
        self._on_use, self._on_type, self._on_save = on_use, on_type, on_save
        super().__init__(**{"sizing_mode": "stretch_width", **params})

    def _handle_msg(self, msg: Any) -> None:
        if not isinstance(msg, dict):
            return
        at, regex = msg.get("at"), msg.get("regex")
        if msg.get("do") == "use" and isinstance(at, int) and 0 <= at < len(self.shown.get("rungs", ())):
            self._on_use(at)
        elif msg.get("do") == "type" and isinstance(regex, str):
            self._on_type(regex)
        elif msg.get("do") == "save":
            self._on_save()
