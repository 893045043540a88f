"""The sheet of keyboard shortcuts: those that hold everywhere, then each page's own."""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any

from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.components.sheet import scrolling, sheet
from avh_ui.ui.views.page import Shortcut
from avh_ui.ui.views.pages import EVERYWHERE, PAGES

_TITLE = "Keyboard shortcuts"
_NAMES = {
    "ArrowDown": "↓",
    "ArrowUp": "↑",
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "Escape": "Esc",
    "ctrl+z": "Ctrl Z",
    "ctrl+y": "Ctrl Y",
    "ctrl+Z": "Ctrl Shift Z",
}
# Beside small letters a capital alone is read as the same key.
_NAMES |= {capital: f"Shift {capital}" for capital in ascii_uppercase}


def help_sheet() -> Any:
    """A dialog; open it by its `open` parameter."""
    return sheet(_TITLE, shortcut_table())


def shortcut_table() -> Markup:
    """Each command with its keys."""
    sections = [("Everywhere", EVERYWHERE)]
    # The longest last: the two columns of the sheet then come out even.
    own = ((page.name.capitalize(), tuple(s for s in page.keys if s not in EVERYWHERE)) for page in PAGES)
    sections += sorted(own, key=lambda section: len(section[1]))
    parts = [tag("section", tag("h3", name), tag("table", *map(_line, keys), cls="plain")) for name, keys in sections if keys]
    hint = (
        "Accept and reject mean the selected suggestions where there are some, else the one looked at. Drag the band's edges in the chart."
    )
    return join(scrolling(_TITLE, *parts, cls="sheet"), tag("p", hint, cls="quiet prose", style="margin-top: 10px"))


def _line(shortcut: Shortcut) -> Markup:
    return tag("tr", tag("td", _keys(shortcut.keys)), tag("td", shortcut.does))


def _keys(keys: tuple[str, ...]) -> Markup:
    return join(*(join(" or " if at else None, tag("kbd", _NAMES.get(key, key))) for at, key in enumerate(keys[:2])))
