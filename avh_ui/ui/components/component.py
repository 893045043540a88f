"""The base of the components that are drawn in the browser, and the one message in which their changes travel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from panel.custom import JSComponent
from panel.io.document import hold
from panel.io.state import state


@contextmanager
def together() -> Iterator[None]:
    """All that changes within reaches the browser in one message, so that it is laid out and painted once.

    Panel sends every change of every widget by itself: one selection was some forty messages. Notebooks have their own way.
    """
    document = state.curdoc
    if document is None or document.session_context is None or not state.loaded:
        yield
        return
    with hold(document):
        yield


class Component(JSComponent):
    """Answers a message of its own in the browser with one message."""

    __abstract = True

    def _process_event(self, event: Any) -> None:
        with together():
            super()._process_event(event)
