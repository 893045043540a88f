"""What a page says and does while its server cannot be reached."""

from __future__ import annotations

from avh_ui.ui.components.component import Component
from avh_ui.ui.theme import CSS


class Connection(Component):
    """A banner while the server is away. Keys and buttons are refused meanwhile, since nothing of it would be kept; what is typed stays.

    Once the server answers, the page goes on at the address that it shows. Where something is typed it waits for the person to say so.
    A page that could not take a change of the server says so, too, and asks to be read anew.
    """

    width = height = 0
    _stylesheets = [CSS]
