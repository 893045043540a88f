"""A button that saves charts as pictures, beside the tool of their own toolbars, which only show under the mouse."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui

# The figure's own picture, as its toolbar saves it.
_SAVE = """
for (const figure of figures) {
  const view = Bokeh.index.find_one(figure)
  if (view == null) { continue }
  view.export().canvas.toBlob((blob) => {
    const link = document.createElement("a")
    link.download = `${figure.name}.png`
    link.href = URL.createObjectURL(blob)
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  })
}
"""


def png_button(*figures: Any) -> Any:
    """Saves each figure under its name."""
    made = pmui.Button(label="Chart PNG", variant="text", margin=0)
    made.js_on_click(args={"figures": list(figures)}, code=_SAVE)
    return made
