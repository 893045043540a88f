"""A path that is not there: whether its file may still come, or nobody could mean it, and the nearest that is there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from avh_ui.errors import UsageError
from avh_ui.history.batch_dates import BatchDate

_DIGITS = re.compile(r"\d+")
_SCHEME = re.compile(r"file:/+(?=/)")


def mistyped(path: str) -> UsageError | None:
    """What to say of an input that is not there and that no delivery will bring; None where it is there, may come, or is in a store.

    It may come where its first part that is missing is a name with a date, or like its neighbours' but for the digits: the file of today
    beside that of yesterday. Not where a neighbour has the same digits: then the ending is wrong.
    """
    missing = _missing(path)
    if missing is None or _may_come(missing):
        return None
    return UsageError(f"{path} is not there.", hint=nearest_to(path))


def mistyped_batch(batch: str, known: Iterable[str]) -> bool:
    """Whether no delivery can bring a batch of this id: none of those that are `known` is written like it but for the digits, or all the
    others name a date and it names none (`2026-13-01`). Where none is known nothing is said of it.
    """
    shapes = {_DIGITS.sub("0", one): one for one in known}
    if not shapes:
        return False
    shape = _DIGITS.sub("0", batch)
    return shape not in shapes or (BatchDate.of(batch) is None and BatchDate.of(shapes[shape]) is not None)


def nearest_to(path: str) -> str:
    """What is there in place of a path that is not: the nearest name beside its first part that is missing."""
    missing = _missing(path)
    if missing is None:
        return "Check the path of the input."
    where = "" if missing == Path(_SCHEME.sub("", path)) else f"There is no {str(missing)!r}. "
    if close := get_close_matches(missing.name, _beside(missing)):
        return f"{where}Did you mean {' or '.join(repr(str(missing.parent / name)) for name in close)}?"
    return where.strip() or f"Nothing in {missing.parent.absolute()} is called like it."


def _missing(path: str) -> Path | None:
    """The first part of a local path that is not there, with what is above it; None where all is there, or cannot be asked."""
    plain = _SCHEME.sub("", path)
    if "://" in plain:
        return None
    try:
        return next((part for part in (*reversed(Path(plain).parents), Path(plain)) if "*" not in part.name and not part.exists()), None)
    except OSError:
        return None


def _may_come(missing: Path) -> bool:
    beside, digits = _beside(missing), _DIGITS.findall(missing.name)
    if not digits or any(_DIGITS.findall(name) == digits for name in beside):
        return False
    shape = _DIGITS.sub("0", missing.name)
    return BatchDate.of(missing.name.split(".")[0]) is not None or any(_DIGITS.sub("0", name) == shape for name in beside)


def _beside(missing: Path) -> list[str]:
    try:
        return sorted(path.name for path in missing.parent.iterdir() if not path.name.startswith("."))
    except OSError:
        return []
