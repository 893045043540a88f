"""What a notebook draws, as it is sent to the browser."""

from __future__ import annotations

import subprocess
import sys

# In an interpreter of its own: HoloViews keeps the backend that whoever was first has chosen.
DRAWN = """
import holoviews, numpy
from avh_ui.plots import bars, over, series
one = series(["2024-01-01", "2024-01-02"], numpy.ones(2), "mean", "weight")
for plot in (one, over([bars([name], numpy.ones(1), "x", "x") for name in "ab"], "both")):
    data, _ = holoviews.Store.renderers["bokeh"].components(plot)
    print(data["text/html"])
"""


def test_a_plot_brings_its_style_sheets_along() -> None:
    drawn = subprocess.run([sys.executable, "-c", DRAWN], capture_output=True, text=True, check=True).stdout
    assert drawn.count('"name":"InlineStyleSheet"') >= 2
    assert "ImportedStyleSheet" not in drawn
    assert "://cdn." not in drawn
