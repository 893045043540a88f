"""Marks along the lower edge of a chart: one glyph per sort of happening, told apart by shape and colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import ColumnDataSource, HoverTool, Scatter

from avh_ui.ui.theme import GREEN, ORANGE, PURPLE, QUIET, STRATEGY

# Sort -> Bokeh's marker, its colour, and how it is written in a legend.
SHAPES = {
    "missing": ("square", QUIET, "□"),
    "untold": ("square_x", QUIET, "⊠"),
    "excluded": ("circle_x", ORANGE, "⊗"),
    "labelled": ("inverted_triangle", PURPLE, "▽"),
    "published": ("diamond", GREEN, "◇"),
    "strategy": ("triangle", STRATEGY, "△"),
}
# Of a sort, in the part of the history that is looked at: a mark is 10 pixels wide, so that more lie over one another.
MOST = 100


class ChartMarks:
    """Added to a figure once; `fill` exchanges what is marked. Every mark has `x`, `kind` (a key of `SHAPES`) and `text`."""

    def __init__(self, fig: Any) -> None:
        self.source = ColumnDataSource({"x": [], "y": [], "marker": [], "color": [], "text": []})
        look = Scatter(x="x", y="y", marker="marker", size=10, line_color="color", line_width=1.6, fill_color="color", fill_alpha=0.25)
        glyphs = fig.add_glyph(self.source, look)
        # Bokeh escapes what it fills into a tooltip.
        fig.add_tools(HoverTool(renderers=[glyphs], tooltips=[("", "@text")]))

    def fill(self, marks: Sequence[Any], part: tuple[float, float], sight: tuple[float, float]) -> None:
        """Other marks, a little above the bottom of what is seen; nothing for nothing, since every exchange repaints the figure."""
        if not marks and not len(self.source.data["x"]):
            return
        bottom, top = sight
        marks = [mark for kind in SHAPES for mark in _some([mark for mark in marks if mark.kind == kind], part)]
        shapes = [SHAPES[mark.kind] for mark in marks]
        self.source.data = {
            "x": [mark.x for mark in marks],
            "y": [bottom + 0.035 * (top - bottom)] * len(marks),
            "marker": [shape[0] for shape in shapes],
            "color": [shape[1] for shape in shapes],
            "text": [mark.text for mark in marks],
        }


def _some(marks: Sequence[Any], part: tuple[float, float]) -> list[Any]:
    """Of too many marks of a sort, some in the part that is looked at and as many around it, evenly."""
    if len(marks) <= 2 * MOST:
        return list(marks)
    inside = [mark for mark in marks if part[0] <= mark.x <= part[1]]
    outside = [mark for mark in marks if not part[0] <= mark.x <= part[1]]
    return [mark for some in (inside, outside) for mark in some[:: -(-len(some) // MOST) or 1]]
