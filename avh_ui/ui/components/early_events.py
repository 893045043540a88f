"""What a person does before the browser has drawn the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from bokeh.document import Document
from panel.io.state import set_curdoc, state
from panel.reactive import Syncable

# Panel's handlers of what a browser tells of a widget: an event, and a value that was set.
_HANDLERS = ("_event_coroutine", "_change_coroutine")


def await_the_page() -> None:
    """Have Panel answer it once the page stands; once per process, for all sessions.

    Panel (1.9.4, `hold`) drops what an answer changes before that, as if the browser had not read the document yet; and whatever a browser
    sends has Bokeh (3.9, `Document.apply_json_patch`) take all models that the document holds for known there. So a key that was pressed
    while a slow browser drew the page brought models that no browser heard of, the next change of one was refused ("reference p2272 isn't
    known") with all that came in its message, and the page showed nothing new any more. These names are Panel's own: a release without
    them is left as it is.
    """
    for name in _HANDLERS:
        handler = vars(Syncable).get(name)
        if handler is not None and not hasattr(handler, "__wrapped__"):
            setattr(Syncable, name, _patient(handler))


def once_it_stands(answer: Callable[[], object]) -> None:
    """Run it now, or once the page stands: for what Bokeh's own models tell, which no handler of Panel's sees."""
    document = state.curdoc
    if document is None or _stands(document):
        answer()
    else:
        state.onload(answer)


def _stands(document: Document) -> bool:
    return document.session_context is None or bool(state._loaded.get(document))


def _patient(handler: Any) -> Any:
    @wraps(handler)
    async def answer(self: Any, doc: Document, *args: Any, **options: Any) -> None:
        if _stands(doc):
            await handler(self, doc, *args, **options)
        else:
            with set_curdoc(doc):
                state.onload(partial(handler, self, doc, *args, **options))

    return answer
