"""The base of the components that are drawn in the browser, and the one message in which their changes travel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

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
    _bundle_css: ClassVar[list[str]] = []  # styles go with the shadow root

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Code that a browser runs as it is: a page then names it, once per kind, where it would else hold it per component and have the
        # browser translate each.
        cls._bundle = cls._esm

    def _process_event(self, event: Any) -> None:
        with together():
            super()._process_event(event)
