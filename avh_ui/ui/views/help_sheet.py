"""The sheet of help: what the numbers mean, and the keyboard shortcuts, those that hold everywhere, then each page's own."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_uppercase
from typing import Any

from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.components.panes import button
from avh_ui.ui.components.sheet import scrolling, sheet
from avh_ui.ui.views.page import Shortcut
from avh_ui.ui.views.pages import EVERYWHERE, PAGES

_TITLE = "Help"
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


def help_text(numbers: Markup) -> Markup:
    """What `numbers` mean, where there are some, then the keys."""
    return scrolling(_TITLE, numbers, tag("h3", "Keyboard shortcuts"), shortcut_table(), cls="help")


def help_sheet(on_glossary: Callable[[], object]) -> Any:
    """A dialog; open it by its `open` parameter. It leads on to the glossary, which on a telephone no key opens."""
    made = sheet(_TITLE, Markup())
    made.append(button("What the metrics mean", on_glossary, variant="text"))
    return made


def shortcut_table() -> Markup:
    """Each command with its keys."""
    sections = [("Everywhere", EVERYWHERE)]
    # The longest last: the two columns of the sheet then come out even.
    own = ((page.name.capitalize(), tuple(s for s in page.keys if s not in EVERYWHERE)) for page in PAGES)
    sections += sorted(own, key=lambda section: len(section[1]))
    parts = [tag("section", tag("h4", name), tag("table", *map(_line, keys), cls="plain")) for name, keys in sections if keys]
    hint = (
        "Accept and reject mean the selected suggestions where there are some, else the one looked at. Drag the band's edges in the chart."
    )
    return join(tag("div", *parts, cls="sheet"), tag("p", hint, cls="quiet prose", style="margin-top: 10px"))


def _line(shortcut: Shortcut) -> Markup:
    return tag("tr", tag("td", _keys(shortcut.keys)), tag("td", shortcut.does))


def _keys(keys: tuple[str, ...]) -> Markup:
    return join(*(join(" or " if at else None, tag("kbd", _NAMES.get(key, key))) for at, key in enumerate(keys[:2])))
