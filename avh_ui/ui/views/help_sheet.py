"""The sheet of keyboard shortcuts; the bindings here are the ones the keyboard listens to."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui

from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.components.panes import html
from avh_ui.ui.state.address import TABS

# Keys -> command, what it does; by page. The first key of each is the one shown first.
Shortcut = tuple[tuple[str, ...], str, str]
PAGES: tuple[tuple[str, tuple[Shortcut, ...]], ...] = (
    (
        "Everywhere",
        (
            (("j", "ArrowDown"), "next", "next line"),
            (("k", "ArrowUp"), "previous", "previous line"),
            *(((str(at),), f"tab-{at}", f"to {name.capitalize()}") for at, name in enumerate(TABS, 1)),
            (("?",), "help", "this sheet"),
        ),
    ),
    (
        "Overview, runs and drift",
        (
            (("h", "ArrowLeft"), "earlier", "earlier batch"),
            (("l", "ArrowRight"), "later", "later batch"),
            (("o",), "open", "investigate the drift of what is looked at"),
            (("P",), "profile", "profile new batches now, or cancel that"),
            (("F",), "label-false_alarm", "label the alarm a false alarm"),
            (("C",), "label-expected_change", "label it an expected change"),
            (("K",), "label-known_error", "label it a known error"),
            (("I",), "label-real_issue", "label it a real issue"),
        ),
    ),
    (
        "Review",
        (
            (("a",), "accept", "accept; with edited bounds in the form, save them"),
            (("r",), "reject", "reject"),
            (("e",), "edit", "edit the bounds"),
            (("s",), "save", "save the edit"),
            (("n",), "skip", "skip for now, on to the next"),
            (("u", "ctrl+z"), "undo", "undo the last decision"),
            (("U", "ctrl+y", "ctrl+Z"), "redo", "do it again"),
            (("p",), "reopen", "back to pending, as suggested"),
            (("x",), "tick", "select for a decision on several"),
            (("X",), "tick-all", "select all that the filter shows"),
            (("f",), "filter", "show all, or the pending, accepted, edited or rejected alone"),
            (("g",), "group", "group by column, metric or evidence"),
            (("t",), "toggle", "open or close the group"),
            (("v",), "value", "sort by value: what only it catches per false alarm"),
            (("c",), "comment", "comment"),
            (("w",), "assign", "assign to a person"),
            (("m",), "space", "draw as compared or as measured"),
            (("/",), "search", "search"),
            (("S",), "again", "suggest again from the newest history, or cancel that"),
            (("Escape",), "escape", "leave a field, drop an edit, clear the selection"),
        ),
    ),
)
SHORTCUTS: tuple[Shortcut, ...] = tuple(shortcut for _, shortcuts in PAGES for shortcut in shortcuts)
# These put the cursor into a field.
FOCUSING = ["search", "edit", "comment", "assign"]
BINDINGS = {key: command for keys, command, _ in SHORTCUTS for key in keys}
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
_NAMES |= {capital: f"Shift {capital}" for capital in "FCKIPSUX"}


def help_sheet() -> Any:
    """A dialog; open it by its `open` parameter."""
    return pmui.Dialog(
        html(shortcut_table()),
        title="Keyboard shortcuts",
        title_variant="h6",
        width_option="md",
        show_close_button=True,
        close_on_click=True,
    )


def shortcut_table() -> Markup:
    """Each command with its keys."""
    parts = [
        tag("section", tag("h3", name), tag("table", *(_line(keys, text) for keys, _, text in shortcuts), cls="plain"))
        for name, shortcuts in PAGES
    ]
    hint = (
        "Accept and reject mean the selected suggestions where there are some, else the one looked at. Drag the band's edges in the chart."
    )
    return join(tag("div", *parts, cls="sheet"), tag("p", hint, cls="quiet prose", style="margin-top: 10px"))


def _line(keys: tuple[str, ...], text: str) -> Markup:
    return tag("tr", tag("td", _keys(keys)), tag("td", text))


def _keys(keys: tuple[str, ...]) -> Markup:
    return join(*(join(" or " if at else None, tag("kbd", _NAMES.get(key, key))) for at, key in enumerate(keys[:2])))
