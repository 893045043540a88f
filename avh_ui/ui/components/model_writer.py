"""Writing to raw Bokeh models from any callback, in a server and in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from panel.io.notebook import push_notebook
from panel.io.state import state

from avh_ui.ui.components.component import together


class ModelWriter:
    """Runs changes of the models below a Bokeh pane when they may be made.

    Panel runs some callbacks without the session's lock, in which Bokeh refuses changes of its models (`_pending_writes should be
    non-None`); in the next tick they are allowed, and while the session holds its messages back.
    In a notebook, models that Panel did not make are not synchronised by themselves.
    """

    def __init__(self, pane: Any) -> None:
        self._pane = pane
        self._changes: list[Callable[[], None]] = []

    def add(self, change: Callable[[], None]) -> None:
        """Run a change: at once where it may be made (see above) or nothing is drawn yet, else in the session's next tick."""
        document, comm = self._where()
        if comm is not None:
            change()
            push_notebook(self._pane)
        elif document is None or document.session_context is None or (document.callbacks.hold_value and not self._changes):
            change()
        else:
            self._changes.append(change)
            if len(self._changes) == 1:
                document.add_next_tick_callback(self._run)

    def clear(self) -> None:
        """Forget the changes that wait: what comes next replaces them."""
        del self._changes[1:]
        if self._changes:  # the first one's place is what the tick was asked for
            self._changes[0] = _nothing

    def _run(self) -> None:
        changes, self._changes = self._changes, []
        with together():
            for change in changes:
                change()

    def _where(self) -> tuple[Any, Any]:
        """The document and the notebook's comm that the pane is drawn in."""
        for reference in list(self._pane._models):
            view = state._views.get(reference)
            if view is not None:
                return view[2], view[3]
        return None, None


def _nothing() -> None:
    """A change that was replaced."""
