"""Fields that text is typed into. What a person types is never replaced by an older text, however late the server is with its work."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui


class _Typed:
    """`value_input` is what stands in the field, `value` what stood there when it was left (by Enter, too)."""

    value: str
    value_input: str
    param: Any
    # What the browser has sent and nobody was told of yet: Panel hands it on 50 ms later, or when the server has time.
    _events: dict[str, Any]

    def _process_events(self, events: dict[str, Any]) -> None:
        """Adopt what the browser sent, of which `value` may be older than the text: the field was left, and typed into again.

        Both come at once where the server was busy meanwhile, and the widgets of Panel Material UI then put `value` back into the field.
        """
        if "value" in events:
            events = {**events, "value": events.get("value_input", self.value_input)}
        super()._process_events(events)  # type: ignore[misc]

    def show(self, text: str) -> None:
        """Put a text into the field, unless something newer was typed that nobody was told of yet."""
        if self.value_input != text and "value_input" not in self._events:
            self.param.update(value=text, value_input=text)


class TextLine(_Typed, pmui.TextInput):
    """One line."""


class TextArea(_Typed, pmui.TextAreaInput):
    """Several lines."""
