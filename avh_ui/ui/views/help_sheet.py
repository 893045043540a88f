"""The sheet of keyboard shortcuts; the bindings here are the ones the keyboard listens to."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui

from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.components.panes import html

# Keys -> command, what it does. The first key of each is the one shown first.
SHORTCUTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("j", "ArrowDown"), "next", "next suggestion"),
    (("k", "ArrowUp"), "previous", "previous suggestion"),
    (("a",), "accept", "accept; with edited bounds in the form, save them"),
    (("r",), "reject", "reject"),
    (("e",), "edit", "edit the bounds"),
    (("s",), "save", "save the edit"),
    (("u", "ctrl+z"), "undo", "undo the last decision"),
    (("x",), "tick", "select for a decision on several"),
    (("m",), "space", "draw as compared or as measured"),
    (("/",), "search", "search"),
    (("Escape",), "escape", "leave a field, drop an edit, clear the selection"),
    (("?",), "help", "this sheet"),
)
BINDINGS = {key: command for keys, command, _ in SHORTCUTS for key in keys}
_NAMES = {"ArrowDown": "↓", "ArrowUp": "↑", "Escape": "Esc", "ctrl+z": "Ctrl Z"}


def help_sheet() -> Any:
    """A dialog; open it by its `open` parameter."""
    return pmui.Dialog(
        html(shortcut_table()),
        title="Keyboard shortcuts",
        title_variant="h6",
        width_option="sm",
        show_close_button=True,
        close_on_click=True,
    )


def shortcut_table() -> Markup:
    """Each command with its keys."""
    rows = [tag("tr", tag("td", _keys(keys)), tag("td", text)) for keys, _, text in SHORTCUTS]
    hint = (
        "Accept and reject mean the selected suggestions where there are some, else the one looked at. Drag the band's edges in the chart."
    )
    return join(tag("table", *rows, cls="plain"), tag("p", hint, cls="quiet prose", style="margin-top: 10px"))


def _keys(keys: tuple[str, ...]) -> Markup:
    return join(*(join(" or " if at else None, tag("kbd", _NAMES.get(key, key))) for at, key in enumerate(keys)))
