"""A path that is not there: whether its file may still come, or nobody could mean it, and the nearest that is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import combinations
from pathlib import Path

from avh_ui.errors import UsageError
from avh_ui.history.batch_dates import BatchDate

_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
# `nroth` for `north` is 0.8, `east` beside `west` 0.75.
_NEAR = 0.79
# So many words are compared with each other: 5,000 pairs take a tenth of a second.
_COMPARED = 100
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
    """Whether no delivery can bring a batch of this id. Where none is `known` nothing is said of it.

    One that is written like one of them but for the digits may come, and not where all others name a date and it names none
    (`2026-13-01`). Where ids differ by their words (shops, countries) so may another word, but for one that is nearer to one of them than
    they are to each other (`nroth` beside `north` and `south`).
    """
    shapes = {_DIGITS.sub("0", one): one for one in known}
    if not shapes:
        return False
    shape = _DIGITS.sub("0", batch)
    if BatchDate.of(batch) is None and BatchDate.of(shapes.get(shape, "")) is not None:
        return True
    return shape not in shapes and not _another_word(shape, list(shapes))


def _another_word(shape: str, known: Sequence[str]) -> bool:
    wordy = [one for one in known if _LETTER.search(one)][:_COMPARED]
    if not _LETTER.search(shape) or not wordy or ("0" in shape) not in {"0" in one for one in wordy}:
        return False
    if len(wordy) == 1:
        return "0" not in shape and _likeness(shape, wordy[0]) < _NEAR
    alike = max(_likeness(one, other) for one, other in combinations(wordy, 2))
    return max(_likeness(shape, one) for one in wordy) <= max(alike, _NEAR)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


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
