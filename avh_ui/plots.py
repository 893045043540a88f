"""What a notebook draws of histories and distributions: HoloViews objects, which compose with one's own, take options and are saved.

Arrays in, an object out. Nothing of avh_ui that knows such arrays is imported here, so that whatever has them can draw itself;
HoloViews is loaded by the first plot alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui.extras import require

Floats = NDArray[np.float64]

# Of the axes, in pixels: as wide as a notebook's cell leaves room for a legend beside them.
_SIZE = {"frame_width": 560, "frame_height": 190}


def series(batches: Sequence[str], values: Floats, name: str, title: str) -> Any:
    """A line with a point per batch, shape (K,) both: a gap where the value is NaN. Ids that are dates make an axis of time."""
    hv = _holoviews()
    batch, metric = hv.Dimension("batch"), hv.Dimension(name)
    rows = (_places(batches), values)
    turned: dict[str, Any] = {} if rows[0].dtype.kind == "M" else {"xrotation": 60}
    line = hv.Curve(rows, batch, metric, label=title).opts(**_SIZE, **turned)
    points = hv.Scatter(rows, batch, metric, label=title).opts(size=4, tools=["hover"])
    return (line * points).opts(show_legend=False, title=title)


def histogram(edges: Floats, shares: Floats, name: str, title: str) -> Any:
    """Shares of rows by bins: `edges` has shape (B + 1,), `shares` (B,)."""
    hv = _holoviews()
    made = hv.Histogram((edges, shares), kdims=hv.Dimension(name), vdims=hv.Dimension("share", label="share of rows"), label=title)
    return made.opts(**_SIZE, tools=["hover"], alpha=0.6, title=title)


def bars(values: Sequence[str], shares: Floats, name: str, title: str) -> Any:
    """Shares of rows by value, shape (D,) both, in the order given."""
    hv = _holoviews()
    rows = (np.asarray(values, dtype=object), shares)
    made = hv.Bars(rows, kdims=hv.Dimension(name), vdims=hv.Dimension("share", label="share of rows"), label=title)
    return made.opts(**_SIZE, tools=["hover"], xrotation=60, alpha=0.6, title=title)


def over(plots: Sequence[Any], title: str) -> Any:
    """Plots of the same axes over one another, told apart by a legend."""
    return _holoviews().Overlay([plot.opts(title="") for plot in plots]).opts(show_legend=True, legend_position="right", title=title)


def _places(batches: Sequence[str]) -> NDArray[Any]:
    """Dates where every id is one in ISO form, else the ids."""
    try:
        return np.array(list(batches), dtype="datetime64[ns]")
    except ValueError:
        return np.array(list(batches), dtype=object)


def _holoviews() -> Any:
    require("app", "A plot")
    import holoviews as hv

    # Whoever has chosen a backend keeps it. Inline: a notebook fetches nothing from outside the machine.
    if not hv.Store.renderers:
        hv.extension("bokeh", inline=True, logo=False)
        _keep_inside(hv.Store.renderers["bokeh"])
    return hv


def _keep_inside(renderer: Any) -> None:
    """Have what is drawn bring its style sheets along. HoloViews has its scripts alone inline: each plot fetched four of Panel's sheets
    from a server of theirs.
    """
    from panel.io.notebook import patch_inline_stylesheets

    render = renderer._render_panel

    def rendered(plot: Any, *args: Any, **options: Any) -> Any:
        model_of = plot.layout._render_model

        def with_sheets(*about: Any) -> Any:
            model = model_of(*about)
            for part in model.references():
                if hasattr(part, "stylesheets"):
                    patch_inline_stylesheets(part)
            return model

        plot.layout._render_model = with_sheets
        return render(plot, *args, **options)

    renderer._render_panel = rendered
