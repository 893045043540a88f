"""What a history chart has on its canvas of a metric's batches: its sources, filled with the batches that are worth sending."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, Line, Scatter, VArea
from numpy.typing import NDArray

from avh_ui.ui.components.chart_marks import ChartMarks
from avh_ui.ui.components.charted import ChartData, Floats, Texts, far
from avh_ui.ui.components.thinning import MOST, thinned
from avh_ui.ui.theme import LINE, PURPLE, STRATEGY, VERMILION

# Up to so many batches, each gets a dot: beyond, dots merge into a thicker line.
DOTS = 90
EDGES = ("lower", "upper")


class DrawnSeries:
    """The glyphs of a figure: the line with its batches, those that fired, the band per batch, the edges of the live version and of an
    anomaly strategy, and marks.

    Of a long history `fill` sends the part that is looked at, and of the rest an outline; `look` brings another part.
    """

    def __init__(self, fig: Any) -> None:
        self.line = ColumnDataSource({"x": [], "y": [], "batch": [], "value": [], "bounds": []})
        self.fired, self.area, self.reference = (ColumnDataSource({"x": [], **{n: [] for n in names}}) for names in (("y",), EDGES, EDGES))
        # As glyphs, without the copies for what is selected that `fig.line` makes: fewer models, a page that opens sooner.
        fig.add_glyph(self.area, VArea(x="x", y1="lower", y2="upper", fill_color=LINE, fill_alpha=0.15), level="underlay")
        for edge in EDGES:
            fig.add_glyph(self.area, Line(x="x", y=edge, line_color=LINE, line_alpha=0.7, line_width=1.2), level="underlay")
            fig.add_glyph(self.reference, Line(x="x", y=edge, line_color=PURPLE, line_dash=[6, 4], line_width=1.8))
        self.glyph = fig.add_glyph(self.line, Line(x="x", y="y", line_color=LINE, line_width=1.5))
        self.dots = fig.add_glyph(self.line, Scatter(x="x", y="y", size=4, fill_color=LINE, line_alpha=0))
        self.marks = ChartMarks(fig)
        fig.add_glyph(self.fired, Scatter(x="x", y="y", size=10, marker="x", line_color=VERMILION, line_width=2.4))
        self._figure = fig
        self._beside: ColumnDataSource | None = None
        self._places: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._part = (0.0, 0.0)  # of the axis, in which no batch is left out that could be told from its neighbours

    def fill(self, data: ChartData, part: tuple[float, float], sight: tuple[float, float]) -> None:
        """Send what is seen of other data in a part of the x axis; `sight` are the values at the bottom and the top of the figure."""
        places = self._places = thinned(data.x, data.y, data.fired, part)
        self._part = part
        x = data.x[places]
        self.line.data = {
            "x": x,
            "y": data.y[places],
            "batch": [data.batches[k] for k in places],
            "value": data.values(places),
            "bounds": data.ranges(places),
        }
        self.dots.visible = len(data.x) <= DOTS
        self._fire(data, data.fired)
        self._band(data, sight)
        lower, upper = data.reference or (np.empty(0), np.empty(0))
        there = places[places < len(lower)]
        _fill(self.reference, x=data.x[there], lower=lower[there], upper=upper[there])
        self._strategy(data, places)
        self.marks.fill(data.marks, part, sight)

    def _strategy(self, data: ChartData, places: NDArray[np.int64]) -> None:
        """The edges of a strategy; their glyphs are made when there are some, since most charts never have any."""
        if data.beside is None and self._beside is None:
            return
        if self._beside is None:
            self._beside = ColumnDataSource({"x": [], **{name: [] for name in EDGES}})
            for edge in EDGES:
                line = Line(x="x", y=edge, line_color=STRATEGY, line_dash=[2, 3], line_width=1.8)
                self._figure.add_glyph(self._beside, line)
        lower, upper = data.beside or (np.empty(0), np.empty(0))
        there = places[places < len(lower)]
        _fill(self._beside, x=data.x[there], lower=lower[there], upper=upper[there])

    def look(self, data: ChartData, start: float, end: float) -> tuple[float, float] | None:
        """The part of the axis that is to be filled in for who looks from `start` to `end`; None where that is drawn already."""
        first, last = self._part
        inside = first <= max(start, data.x[0]) and min(end, data.x[-1]) <= last if len(data.x) else True
        # A part whose own batches had to be thinned holds too few of them for a much smaller one.
        coarse = int(((data.x >= first) & (data.x <= last)).sum()) > MOST and end - start < (last - first) / 4
        if len(data.x) <= MOST or start >= end or (inside and not coarse):
            return None
        around = (end - start) / 2  # so that moving on a little asks for nothing
        return start - around, end + around

    def fire(self, data: ChartData, fired: NDArray[np.bool_], ranges: Texts) -> None:
        """Other bounds on the same data: who fires, and what the tips say."""
        self._fire(data, fired)
        self.line.data = {**self.line.data, "bounds": ranges(self._places)}

    def _fire(self, data: ChartData, fired: NDArray[np.bool_]) -> None:
        places = thinned(data.x, data.y, fired, self._part)
        shown = places[fired[places]]
        _fill(self.fired, x=data.x[shown], y=data.y[shown])

    def _band(self, data: ChartData, sight: tuple[float, float]) -> None:
        if data.area is None:
            _fill(self.area, x=np.empty(0), lower=np.empty(0), upper=np.empty(0))
            return
        low, high = (side[self._places] for side in data.area)
        known = np.isfinite(data.y[self._places]) & (np.isfinite(low) | np.isfinite(high))
        edges = [np.where(np.isfinite(side), side, end)[known] for side, end in zip((low, high), far(sight), strict=True)]
        _fill(self.area, x=data.x[self._places][known], lower=edges[0], upper=edges[1])


def _fill(source: ColumnDataSource, **columns: Floats) -> None:
    """Other data; nothing for nothing, since every exchange repaints the figure."""
    if len(columns["x"]) or len(source.data["x"]):
        source.data = dict(columns)
