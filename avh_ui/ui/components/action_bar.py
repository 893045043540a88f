"""Buttons side by side, drawn as one component."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import TOKENS


def action(name: str, label: str, **about: Any) -> dict[str, Any]:
    """One button: `icon` (SVG of ours), `tone` (`success`, `error` or `primary`), `filled` or `outlined`, `disabled`, and a `title`; a
    `long` label breaks its lines.

    Without a `label` it is its icon alone, and the title its name. With `pictures` (dicts of a figure's `id` and `name`, or one of the
    class of an HTML `pane` with its `css`) the browser saves these and asks nobody.
    """
    return {"name": name, "label": label, **about}


def withheld(actions: list[dict[str, Any]], refusal: str) -> list[dict[str, Any]]:
    """The buttons for who may not press them: disabled, each saying why; as they are where there is no refusal."""
    return [{**one, "disabled": True, "title": refusal} for one in actions] if refusal else actions


class ActionBar(Component):
    """The function given is called with the name of a button that can be pressed.

    One component and not a widget per button: each of those costs the server three milliseconds and the browser ten when a page opens,
    and each is told of every change by itself.
    """

    actions = param.List(default=[], doc="as of `action`, from left to right")
    label = param.String(default="", doc="what the buttons are for, for screen readers")
    summons = param.Integer(default=0, doc="one more, and the bar takes the focus as soon as it is seen; what had it gets it back")

    _stylesheets = [TOKENS]

    def can(self, name: str) -> bool:
        """Whether there is such a button and it can be pressed."""
        return any(one["name"] == name and not one.get("disabled") for one in self.actions)

    def save(self, name: str, text: str) -> None:
        """Have the browser save a text as a file."""
        self._send_msg({"save": name, "text": text})

    def _handle_msg(self, msg: Any) -> None:
        if isinstance(msg, str) and self.can(msg):
            self._on(msg)
