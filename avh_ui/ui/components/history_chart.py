"""The history of a metric with its bounds: one persistent Bokeh figure whose data are exchanged, and a band that can be dragged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import panel as pn
from bokeh.models import BoxAnnotation, CustomJS, DatetimeTickFormatter, FixedTicker, HoverTool, LinearAxis, Range1d
from bokeh.plotting import figure
from numpy.typing import NDArray

from avh_ui.ui.components.charted import FAR, ChartData, Texts, extent, far
from avh_ui.ui.components.component import together
from avh_ui.ui.components.drawn_series import DrawnSeries
from avh_ui.ui.components.early_events import once_it_stands
from avh_ui.ui.components.model_writer import ModelWriter
from avh_ui.ui.components.panes import PaneView
from avh_ui.ui.components.scripts import BROWSER, inlined
from avh_ui.ui.components.ticks import position_ticks, tick_formatter, write_ticks
from avh_ui.ui.theme import LINE, QUIET, VERMILION

# The edges are drawn so far apart, as a share of the distance between two open sides (8 of some 230 pixels in sight): a constant's, which
# are one, could not be taken with the mouse.
GRIP = 0.035 / (2 * FAR + 1)


class HistoryChart(PaneView):
    """`draw` shows other data; dragging an edge of the band calls `on_drag` with the new bounds at every move (None: it is fixed)."""

    def __init__(self, on_drag: Callable[[float | None, float | None], None] | None, *, height: int = 270, name: str = "history") -> None:
        super().__init__()
        self._on_drag = on_drag
        self._own = False
        self.dragging = False  # while `on_drag` runs: the band is where the mouse holds it
        self.held: tuple[float, ...] = ()  # where the mouse has put the edges of the band last
        # Where the edges were drawn and the bounds that they stand for.
        self._edges: dict[str, tuple[float, float | None]] = {}
        self.data: ChartData | None = None
        self._sight = (0.0, 1.0)  # the values at the bottom and the top
        self.figure = self._figure(height, name)
        self._boxes()
        self.series = DrawnSeries(self.figure)
        self._tips()
        self.body = self.pane = pn.pane.Bokeh(self.figure, sizing_mode="stretch_width", margin=0)
        self._writer = ModelWriter(self.pane)

    def _figure(self, height: int, name: str) -> Any:
        fig = figure(
            height=height,
            sizing_mode="stretch_width",
            name=name,
            x_axis_type="datetime",
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            tools="xbox_zoom,xpan,reset,save",
            active_drag=None,
            active_scroll=None,
            toolbar_location="right",
            # Beside the drawing: inside it, they lie over the newest batches as soon as the mouse is there.
            toolbar_inner=False,
            min_border_left=58,
            min_border_top=0,
        )
        fig.toolbar.autohide = True
        fig.js_on_event("mouseenter", CustomJS(code=inlined(BROWSER / "patient_drags.js")))
        fig.js_on_change("inner_width", CustomJS(code=inlined(BROWSER / "no_tab_stop.js")))  # once it is laid out
        fig.toolbar.logo = None
        self.positions = LinearAxis(visible=False, ticker=FixedTicker(ticks=[]))
        fig.add_layout(self.positions, "below")
        self._dress(fig)
        fig.yaxis[0].formatter = tick_formatter()
        return fig

    @staticmethod
    def _dress(fig: Any) -> None:
        """Quiet grid and axes."""
        fig.xgrid.visible = False
        fig.ygrid.grid_line_alpha = 0.35
        fig.outline_line_color = None
        fig.background_fill_alpha = fig.border_fill_alpha = 0
        # The year below its months: labels so short that they fit a narrow pane.
        fig.xaxis[0].formatter = DatetimeTickFormatter(
            hours="%H:%M",
            days="%d %b",
            months="%b",
            years="%Y",
            context=DatetimeTickFormatter(hours="%d %b %Y", days="%Y", months="%Y", years=""),
            hide_repeats=True,
            context_location="below",
        )
        for axis in fig.axis:
            axis.major_label_text_font_size = "11px"
            axis.axis_line_alpha = 0.4
            axis.major_tick_line_alpha = 0.4
            axis.minor_tick_line_color = None

    def _boxes(self) -> None:
        """The window that was learned from, and the band whose edges are dragged."""
        self.window = BoxAnnotation(left=0, right=0, fill_color=QUIET, fill_alpha=0.13, line_alpha=0, level="image", editable=False)
        # No min_height: on an upward axis it makes a dragged edge infinite (Bokeh 3.9).
        self.band = BoxAnnotation(
            bottom=0,
            top=1,
            # Until there are data: its first drawing would stay behind (Bokeh 3.9).
            visible=False,
            editable=self._on_drag is not None,
            resizable="y",
            movable="none",
            level="underlay",
            fill_color=LINE,
            fill_alpha=0.13,
            line_color=LINE,
            line_alpha=0.9,
            line_width=2.5,
            hover_fill_color=LINE,
            hover_fill_alpha=0.18,
            hover_line_color=VERMILION,
            hover_line_alpha=1,
        )
        self.figure.add_layout(self.window)
        self.figure.add_layout(self.band)
        for edge in ("bottom", "top"):
            self.band.on_change(edge, self._moved)
            if self._on_drag is not None:
                self.band.js_on_change(edge, CustomJS(code=inlined(BROWSER / "dragged_band.js")))
        for end in ("start", "end"):
            self.figure.x_range.on_change(end, self._zoomed)

    def _tips(self) -> None:
        # Bokeh escapes what it fills into a tooltip. A pixel may hold several batches: one is told.
        tips = [("batch", "@batch"), ("value", "@value"), ("bounds", "@bounds")]
        hover = HoverTool(
            renderers=[self.series.glyph], tooltips=tips, mode="vline", line_policy="nearest", point_policy="snap_to_data", limit=1
        )
        self.figure.add_tools(hover)

    def show(self, data: ChartData | None, *beside: Any) -> None:
        """Draw other data, and show what stands beside the chart; where there are none, neither is seen."""
        for part in (self.pane, *beside):
            part.visible = data is not None
        if data is not None:
            self.draw(data)

    def draw(self, data: ChartData) -> None:
        """Show other data and scale to them."""
        self.data = data
        self._writer.clear()
        self._writer.add(lambda: self._draw(data))

    def _draw(self, data: ChartData) -> None:
        low, high = extent(data)
        with self._writing():
            self._axes(data)
            self.figure.y_range.update(start=low, end=high, reset_start=low, reset_end=high)
            left, right = (data.x[0], data.x[-1]) if len(data.x) else (0.0, 1.0)
            first, last = data.seen or (left, right)
            pad, air = (max(0.02 * width, data.step) for width in (right - left, last - first))
            self.figure.x_range.update(start=first - air, end=last + air, reset_start=left - pad, reset_end=right + pad)
            self._sight = (low, high)
            self.series.fill(data, (first, last), self._sight)
            self._band(data)
            self._tell(data.told)
            window = data.window or (0.0, 0.0)
            self.window.update(left=window[0], right=window[1], visible=data.window is not None)

    def _tell(self, told: str) -> None:
        """A drawing is nothing to a screen reader: it has the name that says what is to be seen."""
        self.figure.html_attributes = {"role": "img", "aria-label": told}

    def update_fired(self, fired: NDArray[np.bool_], ranges: Texts, told: str) -> None:
        """Other bounds on the same data, as while dragging: the band itself stays where the mouse has put it."""
        data = self.data
        if data is None:
            return

        def update() -> None:
            with self._writing():
                self.series.fire(data, fired, ranges)
                self._tell(told)

        self._writer.add(update)

    def _axes(self, data: ChartData) -> None:
        dates = self.figure.xaxis[0]
        dates.visible, self.positions.visible = data.dates, not data.dates
        if not data.dates:
            places, labels = position_ticks(data.batches)
            self.positions.ticker.ticks = places
            self.positions.major_label_overrides = labels
        write_ticks(self.figure.yaxis[0], data.style)

    def _band(self, data: ChartData) -> None:
        (lower, upper), (lowest, highest) = data.bounds, far(self._sight)
        bottom, top = lowest if lower is None else lower, highest if upper is None else upper
        if (lack := GRIP * (highest - lowest) - (top - bottom)) > 0:
            bottom, top = bottom - lack / 2, top + lack / 2
        self._edges = {"bottom": (bottom, lower), "top": (top, upper)}
        # The tags first: what is drawn here is no drag to the browser.
        self.band.update(tags=[bottom, top, self._near], bottom=bottom, top=top, visible=data.area is None)

    def _bound(self, edge: str) -> float | None:
        """What an edge stands for: the place it was dragged to, else its bound, which may be open or too near the other to be drawn."""
        place, (drawn, bound) = float(getattr(self.band, edge)), self._edges[edge]
        return place if abs(place - drawn) > self._near else bound

    @property
    def _near(self) -> float:
        """How far the rounding of pixels moves an edge."""
        return float(1e-6 * (self.figure.y_range.end - self.figure.y_range.start))

    def _moved(self, _edge: str, _: float, value: float) -> None:
        # Bokeh reports our own writes too, one property at a time.
        if not self._own and self._on_drag is not None and math.isfinite(value):
            once_it_stands(self._dragged)

    def _dragged(self) -> None:
        if self._on_drag is None:
            return
        self.dragging, self.held = True, (float(self.band.bottom), float(self.band.top))
        try:
            with together():
                self._on_drag(self._bound("bottom"), self._bound("top"))
        finally:
            self.dragging = False

    def _zoomed(self, _end: str, _: float, _place: float) -> None:
        """Another part of the axis is looked at: of a long history, its batches are sent. Both ends may still be moving."""
        if not self._own and self.data is not None:
            once_it_stands(lambda: self._writer.add(self._detail))

    def _detail(self) -> None:
        data, seen = self.data, self.figure.x_range
        part = self.series.look(data, seen.start, seen.end) if data is not None else None
        if data is not None and part is not None:
            with self._writing():
                self.series.fill(data, part, self._sight)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._own = True
        try:
            yield
        finally:
            self._own = False
