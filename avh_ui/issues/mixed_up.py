"""Values that come to other rows, and the largest row gone wrong alone: no statistic of the column shows it, only what is known of its rows
does, and relations between columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from avh_ui.issues.sample import Codes, Sample
from avh_ui.issues.swapping import filled, some_of, swapped

# Of a hundredth of the rows two alone take each other's values, as where two keys are mistaken for each other.
EXCHANGED, SHIFTED_ROW = "exchanged between rows", "shifted by a row"
LARGEST_ZERO, LARGEST_TENFOLD, LARGEST_HALF = "the largest alone becomes 0", "the largest alone x10", "the largest alone halved"
_TWO = 0.01
# Rows that are mistaken for each other are seldom of another size: two of the upper half, a sixteenth of the rows apart.
_PART = 16


def of_few_rows(way: str, severity: float) -> bool:
    """Whether it happens to one row or two, however many there are."""
    return way in (LARGEST_ZERO, LARGEST_TENFOLD, LARGEST_HALF) or (way == EXCHANGED and severity <= _TWO)


def mixed_up(sample: Sample, severity: float, rng: np.random.Generator) -> Iterator[tuple[str, Sample | None]]:
    """By way the sample with values in other rows; of all rows each has those of the one before, too."""
    there = filled(sample)
    some = _two(sample, there, rng) if severity <= _TWO else some_of(there, severity, rng)
    yield EXCHANGED, swapped(sample, some, sample.values, sample.codes[np.roll(some, 1)])
    if severity == 1:
        yield SHIFTED_ROW, swapped(sample, np.arange(sample.rows), sample.values, np.roll(sample.codes, 1))


def largest_alone(sample: Sample, severity: float) -> Iterator[tuple[str, Sample | None]]:
    """By way the sample with its largest number gone wrong, which is a hundredth of the rows at most where there are many."""
    if severity > _TWO or not isinstance(sample.values, np.ndarray) or sample.kind != "numeric":
        return
    there = filled(sample)
    if len(there) < 2:
        return
    row = there[np.argsort(sample.values[sample.codes[there]], kind="stable")[-1:]]
    for way, factor in ((LARGEST_ZERO, 0.0), (LARGEST_TENFOLD, 10.0), (LARGEST_HALF, 0.5)):
        with np.errstate(over="ignore", invalid="ignore"):
            changed = sample.values * factor + 0.0
        yield way, swapped(sample, row, changed, sample.codes[row])


def _two(sample: Sample, there: Codes, rng: np.random.Generator) -> Codes:
    """Two rows with different values: of numbers two that are alike."""
    values = sample.codes[there]
    if isinstance(sample.values, np.ndarray):
        there = there[np.argsort(sample.values[values], kind="stable")]
        one = len(there) // 2 + len(there) // 4 if len(there) >= _PART else len(there) - 1
        others = there[: one - len(there) // _PART + 1][::-1]
    else:
        there = rng.permutation(there)
        one, others = 0, there
    other = next((row for row in others.tolist() if sample.codes[row] != sample.codes[there[one]]), None) if len(there) else None
    return there[:0] if other is None else np.array([there[one], other], dtype=there.dtype)
