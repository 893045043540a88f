"""The browser's address as a parameter: moving on replaces it or adds to the browser's history, and its back button is heard."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component


class AddressBar(Component):
    """`place` holds the query string shown (`search`), whether it is one to come back to (`push`), and
    the `title` of the window, which a screen reader says first and a tab of the browser shows.

    Panel's own location always adds to the browser's history and does not hear the back button: reviewing a hundred suggestions
    would take a hundred presses to leave.
    """

    width = height = 0
    # One parameter: two would reach the browser one after the other.
    place = param.Dict(default={"search": "", "push": False, "title": ""})

    def _handle_msg(self, msg: dict[str, Any]) -> None:
        self._on(str(msg.get("search", "")))
