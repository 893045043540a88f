"""The base of the app's state: param classes whose changes views watch."""

from __future__ import annotations

from typing import Any

import param


class Observable(param.Parameterized):
    """A param class; here is the one place that calls param's untyped constructor."""

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
