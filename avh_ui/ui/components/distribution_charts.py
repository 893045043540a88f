"""Two distributions of numbers over one another: histograms, cumulative curves, and quantiles against quantiles."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, CustomJS, HoverTool, NoOverlap, NumeralTickFormatter, Range1d
from bokeh.plotting import figure

from avh_ui.ui.components.model_writer import ModelWriter
from avh_ui.ui.components.panes import PaneView
from avh_ui.ui.components.scripts import BROWSER, inlined
from avh_ui.ui.components.ticks import tick_formatter, write_ticks
from avh_ui.ui.theme import LINE, ORANGE, QUIET

# Where ticks stand: at round numbers; of moments at full hours and days, a date being twice as wide as most numbers.
_NUMBERS: dict[str, Any] = {"base": 10, "mantissas": [1, 2, 5], "desired_num_ticks": 4}
_HOURS, _DAYS = [3_600 * hours for hours in (1, 3, 6, 12)], [1, 2, 7, 14, 30, 91, 365]
_MOMENTS: dict[str, Any] = {"base": 86_400, "mantissas": [*_DAYS, *_HOURS], "desired_num_ticks": 3}

# Narrower a title is cut: on a telephone they stand below one another.
_PLACE = {"flex": "1 1 240px", "min-width": "200px"}

# By the name of a drawing what it shows, in words that need no statistics.
_TITLES = {"histogram": "Share of the values", "cumulative": "Share up to a value", "quantiles": "Value for value, in order"}


class DistributionCharts(PaneView):
    """Three persistent figures whose data are exchanged; ours is filled and solid, theirs outlined and dashed."""

    def __init__(self, *, height: int = 220) -> None:
        super().__init__()
        empty: dict[str, Any] = {name: [] for name in ("left", "right", "ours", "theirs", "range", "ours_text", "theirs_text")}
        self.bars = ColumnDataSource(empty)
        self.outline = ColumnDataSource({"x": [], "y": []})
        self.curves = [ColumnDataSource({"x": [], "y": []}) for _ in range(2)]
        self.points = ColumnDataSource({"x": [], "y": [], "q": []})
        self.diagonal = ColumnDataSource({"x": [], "y": []})
        self.figures = [self._figure(name, height) for name in _TITLES]
        self._glyphs()
        self.panes = [pn.pane.Bokeh(fig, sizing_mode="stretch_width", margin=0) for fig in self.figures]
        self._writers = [ModelWriter(pane) for pane in self.panes]
        self.body = pn.Row(*self.panes, sizing_mode="stretch_width", margin=0, styles={"flex-wrap": "wrap", "gap": "6px"})

    @staticmethod
    def _figure(name: str, height: int) -> Any:
        fig = figure(
            title=_TITLES[name],
            name=name,
            height=height,
            sizing_mode="stretch_width",
            tools="save",
            toolbar_location="right",
            # Beside the drawing: inside it, they lie over its right end as soon as the mouse is there.
            toolbar_inner=False,
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            min_border_right=14,
            styles=_PLACE,
        )
        fig.toolbar.autohide = True
        fig.toolbar.logo = None
        fig.js_on_change("inner_width", CustomJS(code=inlined(BROWSER / "no_tab_stop.js")))  # once it is laid out
        fig.title.text_font_size = "12px"
        fig.title.text_font_style = "normal"
        fig.xgrid.visible = False
        fig.ygrid.grid_line_alpha = 0.35
        fig.outline_line_color = None
        fig.background_fill_alpha = fig.border_fill_alpha = 0
        for axis in fig.axis:
            axis.major_label_text_font_size = "11px"
            axis.axis_line_alpha = axis.major_tick_line_alpha = 0.4
            axis.minor_tick_line_color = None
            axis.ticker.desired_num_ticks = 4
            axis.major_label_policy = NoOverlap()
        for axis in fig.axis if name == "quantiles" else fig.xaxis:
            axis.formatter = tick_formatter()
        return fig

    def _glyphs(self) -> None:
        histogram, cumulative, quantiles = self.figures
        bars = histogram.quad("left", "right", "ours", 0, source=self.bars, fill_color=LINE, fill_alpha=0.55, line_alpha=0)
        histogram.line("x", "y", source=self.outline, line_color=ORANGE, line_width=2, line_dash=[5, 3])
        # Bokeh escapes what it fills into a tooltip.
        histogram.add_tools(HoverTool(renderers=[bars], tooltips=[("", "@range"), ("this", "@ours_text"), ("against", "@theirs_text")]))
        cumulative.line("x", "y", source=self.curves[0], line_color=LINE, line_width=2)
        cumulative.line("x", "y", source=self.curves[1], line_color=ORANGE, line_width=2, line_dash=[5, 3])
        quantiles.line("x", "y", source=self.diagonal, line_color=QUIET, line_dash=[3, 3])
        dots = quantiles.scatter("x", "y", source=self.points, size=5, color=LINE, alpha=0.8)
        quantiles.add_tools(HoverTool(renderers=[dots], tooltips=[("share below", "@q%"), ("this", "@y"), ("against", "@x")]))
        for fig in (histogram, cumulative):
            fig.yaxis[0].formatter = NumeralTickFormatter(format="0.[0]%")

    def draw(self, shapes: Any, temporal: bool, read: Any) -> None:
        """Show the shapes of `ui.state.comparison.NumberShapes`; `read` puts a value into words."""
        for writer, change in zip(self._writers, (self._histogram, self._curves, self._quantiles), strict=True):
            writer.clear()
            writer.add(partial(change, shapes, temporal, read))

    def _axis(self, axis: Any, temporal: bool) -> None:
        write_ticks(axis, "moment" if temporal else "plain")
        axis.ticker.update(**(_MOMENTS if temporal else _NUMBERS))

    def _histogram(self, shapes: Any, temporal: bool, read: Any) -> None:
        fig, edges = self.figures[0], shapes.edges
        self._axis(fig.xaxis[0], temporal)
        ranges = [f"{read(a)} – {read(b)}" for a, b in pairwise(edges.tolist())]
        self.bars.data = {
            "left": edges[:-1],
            "right": edges[1:],
            "ours": shapes.ours,
            "theirs": shapes.theirs,
            "range": ranges,
            "ours_text": [f"{v:.2%}" for v in shapes.ours],
            "theirs_text": [f"{v:.2%}" for v in shapes.theirs],
        }
        self.outline.data = {"x": np.repeat(edges, 2), "y": np.concatenate([[0.0], np.repeat(shapes.theirs, 2), [0.0]])}
        top = max(float(shapes.ours.max()), float(shapes.theirs.max()), 1e-9)
        _scale(fig, edges[0], edges[-1], 0.0, 1.06 * top)

    def _curves(self, shapes: Any, temporal: bool, read: Any) -> None:  # noqa: ARG002 (as the others are called)
        fig = self.figures[1]
        self._axis(fig.xaxis[0], temporal)
        for source, (x, y) in zip(self.curves, (shapes.ours_curve, shapes.theirs_curve), strict=True):
            source.data = {"x": x, "y": y}
        _scale(fig, shapes.edges[0], shapes.edges[-1], 0.0, 1.03)

    def _quantiles(self, shapes: Any, temporal: bool, read: Any) -> None:  # noqa: ARG002 (as the others are called)
        fig = self.figures[2]
        for axis in fig.axis:
            self._axis(axis, temporal)
        ours, theirs = shapes.quantiles
        self.points.data = {"x": theirs, "y": ours, "q": list(range(1, 100))}
        low, high = min(ours.min(), theirs.min()), max(ours.max(), theirs.max())
        low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
        self.diagonal.data = {"x": [low, high], "y": [low, high]}
        pad = 0.04 * (high - low)
        _scale(fig, low - pad, high + pad, low - pad, high + pad)


def _scale(fig: Any, left: float, right: float, bottom: float, top: float) -> None:
    fig.x_range.update(start=float(left), end=float(right))
    fig.y_range.update(start=float(bottom), end=float(top))
