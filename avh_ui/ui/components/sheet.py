"""A sheet that lies over the page: what is asked for by a key, read and closed again."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui

from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.panes import html

# Its own grey is 1.7 to 1 on a dark sheet.
_SEEN = {".MuiIconButton-root": {"color": "inherit"}}


def sheet(title: str, content: Markup) -> Any:
    """A dialog; open it by its `open` parameter."""
    return pmui.Dialog(
        html(content), title=title, title_variant="h6", width_option="md", show_close_button=True, close_on_click=True, sx=_SEEN
    )


def scrolling(label: str, *parts: Markup, **about: str) -> Markup:
    """What may be higher than the window: focusable, so that the keyboard can scroll it."""
    return tag("div", *parts, tabindex="0", role="region", aria_label=label, **about)
