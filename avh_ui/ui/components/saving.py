"""Buttons that save what is seen as a file: tables as CSV, charts as pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action


def csv_download(name: str, text: Callable[[], str], label: str = "CSV") -> ActionBar:
    """A button that saves a table; `text` is called when it is pressed. Of several on a page, each has a `label` of its own."""
    bar = ActionBar(lambda _: bar.save(name, text()), actions=[action("save", label, icon=icons.DOWNLOAD)])
    return bar


def png_button(*figures: Any) -> ActionBar:
    """Saves each figure under its name, as its own toolbar would, which only shows under the mouse."""
    pictures = [{"id": figure.id, "name": f"{figure.name}.png"} for figure in figures]
    return ActionBar(lambda _: None, actions=[action("picture", "Chart PNG", pictures=pictures)])
