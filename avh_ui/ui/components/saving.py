"""Buttons that save what is seen as a file: tables as CSV, charts as pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action
from avh_ui.ui.theme import CSS

# Of a pane that is saved.
_SAVED = "saved"
_GROUND = ".ground { padding: 16px; height: 100%; box-sizing: border-box; background: var(--avh-paper); }"


def csv_download(name: str, text: Callable[[], str], label: str = "CSV") -> ActionBar:
    """A button that saves a table; `text` is called when it is pressed. Of several on a page, each has a `label` of its own."""
    bar = ActionBar(lambda _: bar.save(name, text()), actions=[action("save", label, icon=icons.DOWNLOAD)])
    return bar


def png_button(*figures: Any) -> ActionBar:
    """A button that saves figures side by side as one picture, on the ground of the theme."""
    pictures = [{"id": figure.id, "name": figure.name} for figure in figures]
    return ActionBar(lambda _: None, actions=[action("picture", "Chart PNG", pictures=pictures)])


def html_png_button(pane: Any) -> ActionBar:
    """A button that saves an HTML pane (of `panes.html`), which is found by a class, as it is drawn."""
    pane.css_classes = [*pane.css_classes, _SAVED]
    return ActionBar(lambda _: None, actions=[action("picture", "Chart PNG", pictures=[{"pane": _SAVED, "css": CSS + _GROUND}])])
