"""A column that slipped by a row: its numbers go with another column's of the next row, and no more with those of their own.

What it holds is what it held, so that no distribution tells of it. It is told from the rows of a batch in their order, beside one before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from avh_ui.metrics.column import Floats
from avh_ui.metrics.group_means import numbers_of
from avh_ui.metrics.ranks import ranks

# So many standard errors of a correlation of ranks are chance once in 4,000; of fewer rows none is that sure, and a lesser one says
# little of what a column goes with.
_SURE, _LEAST, _GOES = 3.5, 15, 0.4
# In their own row so little of that is left: of numbers that grow from row to row the next row's are as near.
_LEFT = 0.5
# Header lines come and go by one or two.
_FARTHEST = 2


@dataclass(frozen=True)
class Shifted:
    """The numbers of `column` go with those of `beside` so many rows further `down` (up where it is below 0): their correlation in ranks is
    `there` at that place and `here` in their own row, where it was `before`.
    """

    column: str
    beside: str
    down: int
    here: float
    there: float
    before: float

    def words(self, batch: str) -> str:
        """As a sentence, beside `batch`."""
        rows = "a row" if abs(self.down) == 1 else f"{abs(self.down)} rows"
        side = "above" if self.down > 0 else "below"
        return (
            f"{self.column} seems to have slipped {'down' if self.down > 0 else 'up'} by {rows}: it goes with {self.beside} {rows} {side} "
            f"(correlation {self.there:.2f}), and no more with that of its own row ({self.here:.2f}; {self.before:.2f} in batch {batch})."
        )


def shifted(ours: pa.Table, theirs: pa.Table, columns: Sequence[str]) -> Shifted | None:
    """The one of these columns of numbers that slipped against most others of the table, with the one that it goes with best; None where
    none did. Against one that slipped all others seem to have.
    """
    found = [list(_against_others(ours, theirs, name)) for name in columns]
    most = max(found, key=len, default=[])
    return max(most, key=lambda one: one.there, default=None)


def _against_others(ours: pa.Table, theirs: pa.Table, name: str) -> Iterator[Shifted]:
    now, then = numbers_of(ours, name), numbers_of(theirs, name)
    if now is None or then is None:
        return
    for other in (column for column in ours.column_names if column != name):
        beside, was = numbers_of(ours, other), numbers_of(theirs, other)
        if beside is None or was is None or (before := _together(then, was, 0)) < _sure(then):
            continue
        here = _together(now, beside, 0)
        for down in (k for far in range(1, _FARTHEST + 1) for k in (far, -far)):
            there = _together(now, beside, down)
            if there >= _sure(now) and here <= _LEFT * there and _together(then, was, down) <= _LEFT * before:
                yield Shifted(name, other, down, here, there, before)


def _sure(numbers: Floats) -> float:
    return max(_GOES, _SURE / math.sqrt(max(int(np.isfinite(numbers).sum()), 1)))


def _together(one: Floats, other: Floats, down: int) -> float:
    """The correlation in ranks of a column with another one so many rows above it; 0 of few numbers, and where all are equal."""
    one, other = (one[down:], other[: len(other) - down]) if down >= 0 else (one[:down], other[-down:])
    there = np.isfinite(one) & np.isfinite(other)
    if there.sum() < _LEAST:
        return 0.0
    first, second = (ranks(side[there]) for side in (one, other))
    return float(np.corrcoef(first, second)[0, 1]) if first.std() and second.std() else 0.0
