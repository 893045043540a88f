"""Renaming values throughout: for each a name that does not occur, as long and of the same characters."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

import numpy as np
import pyarrow as pa

from avh_ui.issues.sample import Codes, Floats, Sample
from avh_ui.issues.swapping import filled, swapped
from avh_ui.metrics.column import EXACT, NUMBER_KINDS

# Each ASCII letter and digit to the next of its kind, so that lengths and patterns stay.
_NEXT = str.maketrans(ascii_letters + digits, f"{ascii_lowercase[1:]}a{ascii_uppercase[1:]}A{digits[1:]}0")
# Where nearly every value is another, new ones are no fault. Half of the rows: a value occurs twice on average.
_REPEATED_SHARE = 0.5


def repeats(sample: Sample) -> bool:
    """Whether values come again and again, more than one of them, so that a new one is a fault."""
    there = filled(sample)
    return 1 < len(np.unique(sample.codes[there])) <= min(EXACT, _REPEATED_SHARE * len(there))


def values_of_share(sample: Sample, share: float, rng: np.random.Generator) -> tuple[Codes, int]:
    """The rows of whole values, drawn until they hold the share of the filled rows; and the most frequent value of the others, of all
    where no other is left.
    """
    there = filled(sample)
    codes, counts = np.unique(sample.codes[there], return_counts=True)
    order = rng.permutation(len(codes))
    needed = int(np.searchsorted(np.cumsum(counts[order]), share * len(there))) + 1
    taken = codes[order[: min(needed, len(codes))]]
    left = ~np.isin(codes, taken)
    to = codes[left][np.argmax(counts[left])] if left.any() else codes[np.argmax(counts)]
    return there[np.isin(sample.codes[there], taken)], int(to)


def renamed(sample: Sample, rows: Codes) -> Sample | None:
    """The sample with the values of these rows called otherwise; None where that is not possible."""
    if sample.kind not in ("string", *NUMBER_KINDS):
        return None
    codes = np.unique(sample.codes[filled(sample)])
    places = np.searchsorted(codes, sample.codes[rows])
    if sample.is_number:
        numbers = np.asarray(sample.values, dtype=np.float64)[codes]
        new = _beyond(numbers[np.isfinite(numbers)], len(codes))
        return None if new is None else swapped(sample, rows, new, places)
    known = [str(value) for value in sample.values.take(pa.array(codes)).to_pylist()]
    return swapped(sample, rows, pa.array(_names_like(known), pa.large_string()), places)


def _beyond(numbers: Floats, count: int) -> Floats | None:
    """So many numbers above these finite ones; None where there are none, and above the largest that a double holds."""
    if not len(numbers):
        return None
    top = float(numbers.max())
    # Beside a huge number 1 is nothing: two of its last places are a step, also where the places above it are twice as wide.
    with np.errstate(over="ignore"):
        new = top + max(1.0, 2 * float(np.spacing(abs(top)))) * np.arange(1, count + 1, dtype=np.float64)
    return new if np.isfinite(new).all() else None


def _names_like(known: Sequence[str]) -> list[str]:
    """For each of these names another one: two that were two stay two."""
    taken, made = set(known), []
    for value in known:
        made.append(_like(value, taken))
        taken.add(made[-1])
    return made


def _like(value: str, taken: set[str]) -> str:
    """The value with every letter and digit one further, as often as it takes to be new; what has none gets one, or several."""
    new = value
    for _ in range(9):
        new = new.translate(_NEXT)
        if new not in taken and new != value:
            return new
    new = f"{value}x"
    while new in taken:
        new += "x"
    return new
