"""A strip of steps in their order, each ticked or a button to where it is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import TOKENS


def dismissed(cookies: Mapping[str, str]) -> bool:
    """Whether this browser's strip was dismissed."""
    return cookies.get("avh_steps") == "off"


def tried(cookies: Mapping[str, str]) -> bool:
    """Whether a trial was caught in this browser."""
    return cookies.get("avh_tried") == "on"


class StepStrip(Component):
    """`steps` are dicts of `page`, `label`, `note` and `done`. The function given is called with the page of the step that was chosen, and
    with '' when the strip is dismissed, which the browser keeps;
    so it does that a trial was caught (`tried`).
    """

    steps = param.List(default=[])
    tried = param.Boolean(default=False)

    _stylesheets = [TOKENS]

    def _handle_msg(self, msg: Any) -> None:
        if msg == "" or any(step["page"] == msg for step in self.steps):
            self._on(msg)
