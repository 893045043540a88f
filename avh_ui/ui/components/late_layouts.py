"""Rows and columns that hold back what is hidden until something of it is shown."""

from __future__ import annotations

from typing import Any

import panel as pn

from avh_ui.ui.components.shared_sheets import SharedSheets


class _Late:
    """Makes no models of hidden objects: a page would pay for them at once, in the server and in the browser, and may never show them.

    Of the 239 models of the review's first view 43 were of hidden objects. The first of them that is shown brings all: a browser that is
    told of two changes of the same children at once draws what is new twice (Bokeh 3.9). From then on hiding is a style.
    """

    _whole = False  # whether all objects have models

    def _get_objects(self, model: Any, old_objects: list[Any], doc: Any, root: Any, comm: Any = None) -> tuple[list[Any], list[Any]]:
        objects, ref = self.objects, root.ref["id"]  # type: ignore[attr-defined]
        children, known = [], []
        for gone in old_objects:
            if gone not in objects:
                gone._cleanup(root)
        for item in objects:
            if ref in item._models:
                children.append(item._models[ref][0])
                known.append(children[-1])
            elif self._whole or item.visible:
                children.append(item._get_model(doc, root, model, comm))
        if not self._whole:
            self._await([item for item in objects if ref not in item._models])
        return children, known

    def _await(self, hidden: list[Any]) -> None:
        """Have all of them drawn when the first is shown."""
        for item in hidden:
            item.param.watch(self._bring, "visible")

    def _bring(self, event: Any) -> None:
        if event.new and not self._whole:
            self._whole = True
            self.param.trigger("objects")  # type: ignore[attr-defined]


class Row(_Late, SharedSheets, pn.Row):
    """Side by side."""


class Column(_Late, SharedSheets, pn.Column):
    """One below the other."""
