"""A slider with two handles below a chart: which of the batches are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import param

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import TOKENS


class RangeStrip(Component):
    """`on_range` is called with the positions of the first and the last batch; `cover` says which batches there are.

    Of its own: both handles of Material's slider have one name, and none says which batch it stands at.
    """

    ends = param.List(default=[0, 1], doc="the positions that the handles are at")
    last = param.Integer(default=1, doc="the position of the last batch")
    words = param.List(default=["", ""], doc="the batches that the handles are at")

    _stylesheets = [TOKENS]

    def __init__(self, on_range: Callable[[tuple[int, int]], None], **params: Any) -> None:
        super().__init__(on_range, **{"sizing_mode": "stretch_width", **params})
        self._batches: tuple[str, ...] = ()

    def cover(self, batches: Sequence[str]) -> None:
        """The batches that can be drawn; other ones than before are drawn all."""
        if tuple(batches) == self._batches:
            return
        self._batches = tuple(batches)
        self._put(0, max(len(batches) - 1, 1))

    def _put(self, first: int, last: int) -> None:
        most = len(self._batches) - 1
        words = [self._batches[min(at, most)] for at in (first, last)] if self._batches else ["", ""]
        self.param.update(last=max(most, 1), ends=[first, last], words=words)

    def _handle_msg(self, msg: Any) -> None:
        first, last = msg if isinstance(msg, list) and len(msg) == 2 else (None, None)
        if isinstance(first, int) and isinstance(last, int) and 0 <= first <= last <= self.last:
            self._put(first, last)
            self._on((first, last))
