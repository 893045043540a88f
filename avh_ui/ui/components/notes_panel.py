"""What was said of a suggestion and whose it is, with the fields to say more; drawn in the browser as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class NotesPanel(Component):
    """`comments` are dicts of `by`, `at` (in words) and `text`; `targets` says how many suggestions are meant.

    `on_comment` is called with a text, `on_assign` with a name ('' for nobody).
    """

    comments = param.List(default=[])
    assignee = param.String(default="")
    people = param.List(default=[])
    targets = param.Integer(default=0)
    refusal = param.String(default="", doc="why nothing may be said by this person; '' for who may")
    sent = param.Integer(default=0, doc="counts the comments that were kept: the field is emptied")

    answered = param.Integer(default=0, doc="counts the names that were adopted or refused: until then the one that was typed stays")

    _stylesheets = [CSS]

    def __init__(self, on_comment: Callable[[str], object], on_assign: Callable[[str], object], **params: Any) -> None:
        self._on_comment, self._on_assign = on_comment, on_assign
        super().__init__(**params)

    def focus(self, field: Literal["comment", "assign"]) -> None:
        """Put the cursor into a field."""
        self._send_msg({"focus": field})

    def _handle_msg(self, msg: Any) -> None:
        text = str(msg.get("text", ""))
        if msg.get("do") == "comment":
            self._on_comment(text)
        elif msg.get("do") == "assign":
            self._on_assign(text)
            self.answered += 1
