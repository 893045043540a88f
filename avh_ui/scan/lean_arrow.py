"""Arrow without pandas, for processes that measure and have no use for it."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec


class _Absent:
    """Finds no pandas, and leaves everything else to the others. Of no class of `importlib.abc`, which takes 5 ms to load."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        """Where a module is; `ModuleNotFoundError` for pandas."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
        return None


def without_pandas() -> None:
    """Let pyarrow make its first array as where pandas is not installed: it looks for it once, and loading it takes 0.3 s.

    pandas itself can be imported afterwards, but pyarrow neither makes tables of it nor gives any, and has no Python object for
    nanoseconds. So this is for the processes of the commands, never for a library's caller.
    """
    if "pandas" in sys.modules:
        return
    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        import pyarrow as pa

        pa.array([0])
    finally:
        sys.meta_path.remove(absent)
