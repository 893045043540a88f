"""Buttons that save what is drawn as pictures: charts, and bars that are HTML."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui

from avh_ui.ui.theme import CSS

_SAVE = """
const save = (canvas, name) => canvas.toBlob((blob) => {
  const link = document.createElement("a")
  link.download = `${name}.png`
  link.href = URL.createObjectURL(blob)
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
})
const sheet = (width, height, ground) => {
  const canvas = document.createElement("canvas")
  Object.assign(canvas, { width, height })
  const pen = canvas.getContext("2d")
  pen.fillStyle = ground
  pen.fillRect(0, 0, width, height)
  return [canvas, pen]
}
"""
# The figures' own pictures as their toolbars save them, side by side on their own ground: the dark theme's letters cannot be read on white.
_CHARTS = """
const drawn = figures.map((figure) => Bokeh.index.find_one(figure)?.export().canvas).filter(Boolean)
if (drawn.length) {
  const width = drawn.reduce((sum, one) => sum + one.width, 0)
  const [canvas, pen] = sheet(width, Math.max(...drawn.map((one) => one.height)), figures[0].background_fill_color ?? "#ffffff")
  drawn.reduce((left, one) => { pen.drawImage(one, left, 0); return left + one.width }, 0)
  save(canvas, figures.map((figure) => figure.name).join("-"))
}
"""
# The pane's HTML and stylesheet as an SVG image. XML has no control characters.
_HTML = """
const drawn = Bokeh.index.find_one(pane)?.container
if (drawn?.offsetWidth) {
  const look = getComputedStyle(drawn)
  const [width, height] = [drawn.offsetWidth + 32, drawn.offsetHeight + 32]
  const text = new XMLSerializer().serializeToString(drawn).replace(/[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]/g, "\\ufffd")
  const style = `color-scheme: ${look.colorScheme}; font-family: ${look.fontFamily.replaceAll('"', "'")}`
  const page = `<div xmlns="http://www.w3.org/1999/xhtml" class="ground">${text}</div>`
  const image = new Image()
  image.onload = () => {
    const [canvas, pen] = sheet(2 * width, 2 * height, "#ffffff")
    pen.drawImage(image, 0, 0, 2 * width, 2 * height)
    save(canvas, name)
  }
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" style="${style}">` +
    `<style><![CDATA[${css}]]></style><foreignObject width="100%" height="100%">${page}</foreignObject></svg>`
  )
}
"""
_GROUND = ".ground { padding: 16px; height: 100%; box-sizing: border-box; background: var(--avh-paper); }"


def png_button(*figures: Any) -> Any:
    """Saves figures as one picture."""
    return _button({"figures": list(figures)}, _CHARTS)


def html_png_button(pane: Any, name: str) -> Any:
    """Saves an HTML pane (of `panes.html`) under a name."""
    return _button({"pane": pane, "name": name, "css": CSS + _GROUND}, _HTML)


def _button(args: dict[str, Any], code: str) -> Any:
    made = pmui.Button(label="Chart PNG", variant="text", margin=0)
    made.js_on_click(args=args, code=_SAVE + code)
    return made
