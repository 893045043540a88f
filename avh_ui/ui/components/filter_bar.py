"""Several small choices in one line: what is filtered, grouped and sorted by. One component, since a page has many of them."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import TOKENS


class FilterBar(Component):
    """`fields` are dicts of `name`, `label`, `value` and `choices` (dicts of `value`, `label`, and `count` where they are counted).

    The first choice of a field is the one that filters nothing. The function given is called with a field's name and a value of it.
    """

    fields = param.List(default=[])
    label = param.String(default="Filter, group and sort", doc="what is chosen, for screen readers")

    _stylesheets = [TOKENS]

    def _handle_msg(self, msg: Any) -> None:
        name, value = msg.get("name"), msg.get("value")
        for field in self.fields:
            if field["name"] == name and any(choice["value"] == value for choice in field["choices"]):
                self._on(name, value)
