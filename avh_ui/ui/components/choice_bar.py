"""A row of choices of which one holds: filters with their counts, the tabs of the page."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import TOKENS


class ChoiceBar(Component):
    """`choices` are dicts with `value`, `label` and optionally `glyph`, `count` and `title`; The function given is called with a value.

    `kind` is `segments` (joined buttons) or `tabs` (underlined).
    """

    choices = param.List(default=[])
    value = param.String(default="")
    label = param.String(default="", doc="what is chosen, for screen readers")
    kind = param.Selector(default="segments", objects=["segments", "tabs"])

    _stylesheets = [TOKENS]

    def _handle_msg(self, msg: Any) -> None:
        if msg in [choice["value"] for choice in self.choices]:
            self._on(msg)
