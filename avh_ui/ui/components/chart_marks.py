"""Marks along the lower edge of a chart: one glyph per sort of happening, told apart by shape and colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, Scatter

from avh_ui.ui.theme import GREEN, ORANGE, PURPLE, QUIET

# Sort -> Bokeh's marker, its colour, and how it is written in a legend.
SHAPES = {
    "missing": ("square", QUIET, "□"),
    "excluded": ("circle_x", ORANGE, "⊗"),
    "labelled": ("inverted_triangle", PURPLE, "▽"),
    "published": ("diamond", GREEN, "◇"),
}


class ChartMarks:
    """Added to a figure once; `fill` exchanges what is marked. Every mark has `x`, `kind` (a key of `SHAPES`) and `text`."""

    def __init__(self, fig: Any) -> None:
        self.source = ColumnDataSource({"x": [], "y": [], "marker": [], "color": [], "text": []})
        look = Scatter(x="x", y="y", marker="marker", size=10, line_color="color", line_width=1.6, fill_color="color", fill_alpha=0.25)
        glyphs = fig.add_glyph(self.source, look)
        # Bokeh escapes what it fills into a tooltip.
        fig.add_tools(HoverTool(renderers=[glyphs], tooltips=[("", "@text")]))

    def fill(self, marks: Sequence[Any], bottom: float, height: float) -> None:
        """Other marks, a little above the bottom of what is seen; nothing for nothing, since every exchange repaints the figure."""
        if not marks and not len(self.source.data["x"]):
            return
        shapes = [SHAPES[mark.kind] for mark in marks]
        self.source.data = {
            "x": [mark.x for mark in marks],
            "y": [bottom + 0.035 * height] * len(marks),
            "marker": [shape[0] for shape in shapes],
            "color": [shape[1] for shape in shapes],
            "text": [mark.text for mark in marks],
        }
