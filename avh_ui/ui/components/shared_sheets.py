"""The style sheets that many parts of a page have: one model of each in a document."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from bokeh.document import Document
from bokeh.models import InlineStyleSheet
from panel.io.state import state

from avh_ui.ui.theme import CSS, TOKENS

# A page that held them once per pane and component was twice as large: the review's first view 454 KB instead of 219.
_COMMON = (CSS, TOKENS)
_OF: WeakKeyDictionary[Document, dict[str, InlineStyleSheet]] = WeakKeyDictionary()


class SharedSheets:
    """A viewable refers to its document's models of them; in a notebook, where each cell is a document, it has its own."""

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = super()._process_param_change(params)  # type: ignore[misc]
        if "stylesheets" in found and state.curdoc is not None:
            models = _OF.setdefault(state.curdoc, {})
            found["stylesheets"] = [_shared(models, sheet) if sheet in _COMMON else sheet for sheet in found["stylesheets"]]
        return found


def _shared(models: dict[str, InlineStyleSheet], sheet: str) -> InlineStyleSheet:
    if sheet not in models:
        models[sheet] = InlineStyleSheet(css=sheet)
    return models[sheet]
