"""Light or dark as it was chosen last, else as the system is, in cookies that the server reads before it draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from avh_ui.ui.components.component import Component


def chosen_dark(cookies: Mapping[str, str]) -> bool:
    """Whether dark was chosen last; what the browser said of its system counts until somebody chooses."""
    return (cookies.get("avh_theme") or cookies.get("avh_system")) == "dark"


class ThemeKeeper(Component):
    """`dark` is what is seen; each change of it that a person makes is kept.

    A browser says how its system is set once the page stands: on the first visit the page turns dark then, on later ones it is drawn so.
    The function given is called with whether it is dark.
    """

    width = height = 0
    dark = param.Boolean(default=False)

    def _handle_msg(self, msg: Any) -> None:
        self._on(bool(msg.get("dark")))
