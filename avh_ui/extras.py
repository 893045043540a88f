"""The packages that only a part of avh_ui needs, by the extra that brings them, and what is said where one is not there."""

from __future__ import annotations

from importlib.util import find_spec

from avh_ui.errors import MissingPackageError

# As in pyproject.toml, by the names that are imported (a test compares them).
EXTRAS = {
    "app": ("panel", "panel_material_ui", "bokeh", "holoviews", "param"),
    "notebook": ("jupyterlab",),
    "postgres": ("psycopg",),
    "s3": ("s3fs",),
    "vocabularies": ("airportsdata", "pycountry"),
}


def install(extra: str) -> str:
    """What brings an extra; avh_ui is on no package index."""
    return f"Install it in the clone of avh_ui: `pip install -c versions.txt '.[{extra}]'`."


def lacking(extra: str) -> tuple[str, ...]:
    """The packages of an extra that are not installed; nothing is imported."""
    return tuple(name for name in EXTRAS[extra] if not _there(name))


def require(extra: str, what: str) -> None:
    """`MissingPackageError` where `what` (the sentence's subject: 'The app') needs packages of an extra that are not installed."""
    if names := lacking(extra):
        lack = f"{names[0]}, which is" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}, which are"
        raise MissingPackageError(f"{what} needs {lack} not installed.", hint=install(extra))


def explained(error: ImportError) -> MissingPackageError | None:
    """The error for a package of an extra that could not be imported; None for any other."""
    top = (error.name or "").partition(".")[0]
    extra = next((extra for extra, names in EXTRAS.items() if top in names), None)
    if extra is None:
        return None
    return MissingPackageError(f"This needs the package {top}, which is not installed.", hint=install(extra))


def _there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        # Something refuses to find it, or it was put into sys.modules without a spec.
        return False
