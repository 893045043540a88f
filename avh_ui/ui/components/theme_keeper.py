"""Light or dark as it was chosen last, in a cookie that the server reads before it draws."""

from __future__ import annotations

from collections.abc import Mapping

import param

from avh_ui.ui.components.component import Component


def chosen_dark(cookies: Mapping[str, str]) -> bool:
    """Whether dark was chosen last."""
    return cookies.get("avh_theme") == "dark"


class ThemeKeeper(Component):
    """`dark` is what is seen; each change of it is kept."""

    width = height = 0
    dark = param.Boolean(default=False)
