"""avh_ui: keeps recurring tables healthy. `avh.open(DIR)` gives a workspace; `avh.validate(df, ...)` judges a batch.

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from avh_ui.bootstrap import open_workspace as open  # noqa: A004
    from avh_ui.bootstrap import validate
    from avh_ui.workflows.workspace import Workspace

__version__ = "0.1.0"
__all__ = ["Workspace", "__version__", "open", "validate"]

_HOMES = {
    "open": ("avh_ui.bootstrap", "open_workspace"),
    "validate": ("avh_ui.bootstrap", "validate"),
    "Workspace": ("avh_ui.workflows.workspace", "Workspace"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'avh_ui' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return __all__
