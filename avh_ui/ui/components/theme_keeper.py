"""Light or dark as it was chosen last, in a cookie that the server reads before it draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from avh_ui.ui.components.component import Component


def chosen_dark(cookies: Mapping[str, str]) -> bool:
    """Whether dark was chosen last."""
    return cookies.get("avh_theme") == "dark"


class ThemeKeeper(Component):
    """`dark` is what is seen; each change of it is kept."""

    dark = param.Boolean(default=False)

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"width": 0, "height": 0, **params})
