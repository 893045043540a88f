"""A slider with two handles below a chart: which of the batches are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import panel_material_ui as pmui

from avh_ui.ui.components.markup import tag
from avh_ui.ui.components.panes import PaneView, html, row

# The label is for screen readers: what is drawn stands beside the slider.
_NO_LABEL = ".MuiFormLabel-root { display: none; }"


class RangeStrip(PaneView):
    """`on_range` is called with the positions of the first and the last batch; `cover` says which batches there are."""

    def __init__(self, on_range: Callable[[tuple[int, int]], None]) -> None:
        super().__init__()
        self._on_range, self._own = on_range, False
        self._batches: tuple[str, ...] = ()
        self.slider = pmui.IntRangeSlider(
            label="Batches drawn", start=0, end=1, value=(0, 1), show_value=False, size="small", sizing_mode="stretch_width", margin=(0, 8),
            styles={"flex": "1 1 200px"}, stylesheets=[_NO_LABEL],
        )  # fmt: skip
        self.slider.param.watch(self._moved, "value")
        self.words = html(sizing_mode=None)
        self.body = row(self.slider, self.words, gap=12, padding="0 14px 0 52px", flex_wrap="nowrap")

    def cover(self, batches: Sequence[str]) -> None:
        """The batches that can be drawn; other ones than before are drawn all."""
        if tuple(batches) == self._batches:
            return
        self._batches = tuple(batches)
        last = max(len(batches) - 1, 1)
        self._own = True
        try:
            self.slider.param.update(start=0, end=last, value=(0, last))
        finally:
            self._own = False
        self._tell()

    def _moved(self, event: Any) -> None:
        self._tell()
        if not self._own:
            first, last = event.new
            self._on_range((int(first), int(last)))

    def _tell(self) -> None:
        if not self._batches:
            return
        first, last = (min(int(at), len(self._batches) - 1) for at in self.slider.value)
        text = f"{self._batches[first]} – {self._batches[last]}"
        self.words.object = tag("span", text, cls="quiet num", style="white-space: nowrap", role="status")
