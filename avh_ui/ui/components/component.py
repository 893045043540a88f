"""The base of the components that are drawn in the browser, and the one message in which their changes travel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from bokeh.document import Document
from bokeh.embed.bundle import extension_dirs
from panel.custom import JSComponent
from panel.io.document import hold
from panel.io.resources import component_resource_path
from panel.io.state import state

from avh_ui.ui.components.scripts import BROWSER, FOLDER, needed, whole
from avh_ui.ui.components.shared_sheets import SharedSheets

# A server has the scripts under one address, so that what several of them import is fetched once.
extension_dirs[FOLDER] = BROWSER


# By document what is to be drawn at the end of `together`, in the order in which it was asked for.
_ASKED: WeakKeyDictionary[Document, dict[Callable[[], None], None]] = WeakKeyDictionary()


@contextmanager
def together() -> Iterator[None]:
    """All that changes within reaches the browser in one message, so that it is laid out and painted once.

    Panel sends every change of every widget by itself: one selection was some forty messages. Notebooks have their own way.
    """
    document = state.curdoc
    if document is None or document.session_context is None or not state.loaded or document in _ASKED:
        yield
        return
    asked = _ASKED[document] = {}
    with hold(document):
        try:
            yield
            while asked:
                draw = next(iter(asked))
                del asked[draw]
                draw()
        finally:
            del _ASKED[document]


def once(draw: Callable[[], None]) -> None:
    """Draw once all that the message changes stands, however often it is asked for; at once where nothing is held together."""
    asked = _ASKED.get(state.curdoc) if state.curdoc is not None else None
    if asked is None:
        draw()
    else:
        asked[draw] = None


class Component(SharedSheets, JSComponent):
    """Drawn by the script and the style sheet that are named as its module; answers a message of its own with one message."""

    __abstract = True
    margin = 0
    _bundle_css: ClassVar[list[str]] = []  # styles go with the shadow root

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._esm = BROWSER / f"{cls.__module__.rpartition('.')[2]}.js"
        # Code that a browser runs as it is: a page then names it, once per kind, where it would else hold it per component and have the
        # browser translate each.
        cls._bundle = cls._esm
        # What Panel would work out at each use, by asking the disk: 30 components asked it 1,300 times.
        cls._bundle_path = cls._esm
        style = cls._esm.with_suffix(".css")
        if style.is_file():
            # Each component of a page carries its sheet: comments would be sent a hundred times.
            cls._stylesheets = [*cls._stylesheets, re.sub(r"/\*.*?\*/\s*", "", style.read_text(encoding="utf-8"), flags=re.DOTALL)]

    def __init__(self, on: Callable[..., object] = lambda *_: None, **params: Any) -> None:
        super().__init__(**params)
        self._on = on  # called with what a person did

    @classmethod
    def _render_esm(cls, compiled: Any = True, server: bool = False) -> str:
        """The script's address in a server; elsewhere all of it, since a notebook and a saved page have nowhere to import from."""
        return str(super()._render_esm(compiled, server)) if server else whole(cls._esm)

    @classmethod
    def addresses(cls) -> list[str]:
        """Where a server has the scripts of all components, and what they import: for a page to fetch ahead."""
        names = {name for kind in cls.__subclasses__() for name in needed(kind._esm)}
        return [f"./{component_resource_path(cls, '_bundle_path', BROWSER / name)}" for name in sorted(names)]

    def _process_event(self, event: Any) -> None:
        with together():
            super()._process_event(event)
