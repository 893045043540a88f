"""Two fields for the bounds (or the limits) of one thing: what is typed says of which, so that it can never become another's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class BoundsForm(Component):
    """`lower` and `upper` are the texts of the bounds of `item`, '' for an open side, in `unit`. `on` is called with the item that the
    fields were filled for, both texts, and whether they are to be saved (by Enter), when a person has typed in one of them.

    While the edges of the box `follows` are dragged, the fields show where they are before the server has said so.

    Material's text field sends back what it was filled with, and a while later: of 64 suggestions accepted in ten seconds three had then a
    bound of the suggestion before, typed by nobody.
    """

    item = param.String(default="")
    lower = param.String(default="")
    upper = param.String(default="")
    unit = param.String(default="")
    named = param.String(default="bound", doc="what the two numbers are")
    of = param.String(default="", doc="what they are bounds of, for screen readers")
    follows = param.String(default="", doc="the id of the box in a chart whose edges are these bounds")
    dragged = param.List(default=[], doc="where the edges of that box were when the fields were filled: behind a drag nothing is filled")
    filled = param.Integer(default=0, doc="counts how often the fields were filled: what was typed wrongly gives way to what was there")

    _stylesheets = [CSS]

    def fill(self, item: str, lower: str, upper: str, unit: str, *, of: str = "", dragged: Sequence[float] = ()) -> None:
        """Show the bounds of an item; `dragged` are the edges that a drag has given them."""
        self.param.update(item=item, lower=lower, upper=upper, unit=unit, of=of, dragged=list(dragged), filled=self.filled + 1)

    def focus(self, side: Literal["lower", "upper"]) -> None:
        """Put the cursor into a field; what is typed replaces what stands there."""
        self._send_msg({"focus": side})

    def _handle_msg(self, msg: Any) -> None:
        self._on(str(msg.get("item", "")), str(msg.get("lower", "")), str(msg.get("upper", "")), msg.get("entered") is True)
