"""Small building blocks: rows, columns and cards, HTML with the app's stylesheet, and the pages that say why there is nothing to see.

Layouts are Panel's own: their host element is the flex box, so gaps and wrapping are plain CSS on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.viewable import Viewer

from avh_ui.ui.components.late_layouts import Column, Row
from avh_ui.ui.components.markup import Markup, join
from avh_ui.ui.components.shared_sheets import SharedSheets
from avh_ui.ui.components.text_fields import TextLine
from avh_ui.ui.theme import CSS, TOKENS

# Lets a flex child shrink below its content, so that it scrolls instead of pushing others out.
SHRINK = {"min-width": "0", "min-height": "0"}
# For a column in a card that scrolls: Bokeh holds all to the height of what is around it, and a long pane would lie over the next.
GROWING = {"flex": "none", "max_height": "none"}


# Panel ends each of its columns with a button that scrolls down: of no height where it is not asked for, yet the gap stands before it.
_NO_GAP_BELOW = ":host > .scroll-button { display: none; }"

# A list or a grid that takes what is left of its card, and scrolls by itself.
FILLING: dict[str, Any] = {"sizing_mode": "stretch_both", "styles": {"min-height": "0", "flex": "1"}}

_AS_HIGH_AS_NEEDED = ":host > div { flex: none !important; width: 100% !important; height: auto !important; max-height: none !important; }"
# Below this width two cards side by side show neither: half of 1440 pixels at a zoom of 200 %, and every telephone. There they stand one
# below the other and the page scrolls: the first, a list or a grid, in a height of its own, the others as high as what they hold.
STACKED = f"""
@container (max-width: 900px) {{
  :host {{ flex-direction: column !important; flex-wrap: nowrap !important; overflow-y: auto !important; }}
  {_AS_HIGH_AS_NEEDED}
  :host > div:first-of-type:not(:last-of-type) {{ height: max(440px, 75vh) !important; }}
}}
"""
# A list there that leaves the page to what is chosen in it.
LOW = "@container (max-width: 900px) { :host { height: 240px !important; min-height: 0 !important; } }"
# And a grid there with a head and a legend above and below its few lines.
HIGH = "@container (max-width: 900px) { :host { min-height: 400px !important; } }"
# And a form there, which has nothing to scroll.
FITTING = "@container (max-width: 900px) { :host { height: auto !important; } }"
# What stands in one of those cards, as in one column.
UNROLLED = f"@container (max-width: 900px) {{ {_AS_HIGH_AS_NEEDED} }}"


class PaneView(Viewer):
    """Drawn as its `body`."""

    body: Any

    def __panel__(self) -> Any:
        return self.body


class Html(SharedSheets, pn.pane.HTML):
    """Sends its text alone when that changes: Panel's own sends all stylesheets anew, which the browser then fetches and applies again."""

    def _update(self, ref: str, model: Any) -> None:  # noqa: ARG002 (Panel's signature)
        model.update(text=self._transform_object(self.object)["object"])


def html(content: Markup | str = "", **params: Any) -> Any:
    """A pane for `Markup`; plain text is escaped."""
    return Html(join(content), stylesheets=[CSS], **{"margin": 0, "sizing_mode": "stretch_width", **params})


def button(label: str, press: Callable[[], object], **look: Any) -> Any:
    """A button, outlined unless its `look` says otherwise."""
    return pmui.Button(label=label, margin=0, on_click=lambda _: press(), **{"variant": "outlined", **look})


def field(label: str, typed: Callable[[str], object] | None = None, **look: Any) -> Any:
    """A line to type in; `typed` is called with the text at every key."""
    made = TextLine(label=label, margin=0, **{"size": "small", **look})
    if typed is not None:
        made.param.watch(lambda event: typed(event.new), "value_input")
    return made


def withhold(pressed: Any, refusal: str, *, disabled: bool = False) -> None:
    """Disable a button for who may not press it, with the reason as its tooltip; where there is none, as `disabled` says."""
    pressed.param.update(disabled=disabled or bool(refusal), description=refusal or None)


def row(*objects: Any, gap: int = 8, **styles: str) -> Any:
    """Objects side by side, wrapping where they do not fit; `styles` are CSS properties with underscores."""
    made = _flex("row", gap, styles)
    if made["align-items"] == "center":
        for item in objects:  # their own alignment, at the top by default, would win
            item.align = "center" if isinstance(item.align, str) else item.align
    return Row(*objects, margin=0, sizing_mode="stretch_width", styles=made)


def side_by_side(*cards: Any, **styles: str) -> Any:
    """Cards that share the height there is, as far as their own styles let them; in a narrow window one below the other."""
    return Row(*cards, margin=0, sizing_mode="stretch_both", styles={**SHRINK, "gap": "12px", "flex": "1", **styles}, stylesheets=[STACKED])


def column(*objects: Any, gap: int = 0, sizing_mode: str = "stretch_width", **styles: str) -> Any:
    """Objects one below the other."""
    return Column(*objects, margin=0, sizing_mode=sizing_mode, stylesheets=_ends(gap), styles=_flex("column", gap, styles))


def card(*objects: Any, gap: int = 0, sizing_mode: str = "stretch_width", **styles: str) -> Any:
    """A column on an outlined surface."""
    surface = ":host { background: var(--avh-paper); border: 1px solid var(--avh-line); border-radius: 8px; box-sizing: border-box; }"
    styles = _flex("column", gap, styles)
    return Column(*objects, margin=0, sizing_mode=sizing_mode, stylesheets=[TOKENS, surface, *_ends(gap)], styles=styles)


def _ends(gap: int) -> list[str]:
    return [_NO_GAP_BELOW] if gap else []


def _flex(direction: str, gap: int, styles: dict[str, str]) -> dict[str, str]:
    base = {"flex-direction": direction, "gap": f"{gap}px", "box-sizing": "border-box", **SHRINK}
    if direction == "row":
        base |= {"align-items": "center", "flex-wrap": "wrap"}
    return {**base, **{name.replace("_", "-"): value for name, value in styles.items()}}
