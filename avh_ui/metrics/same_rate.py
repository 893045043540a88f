"""Whether a column is as many times another one as in the batch before, in each row: cases per 100,000 people, miles per flight.

What the one is counted by stands in no column: the people of a region, the miles of a route. But it is the same from batch to batch, so
that a number that another row had, or a rate of another day, is not as many times what stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.metrics.carried import places_of, rounded, whole_rows
from avh_ui.metrics.column import OF_ROWS, Floats
from avh_ui.metrics.joining import Join, join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.wording import Wording

# What programs make of the last digits of a product.
_NOISE = 1e-9
_TWO = 2


@dataclass(frozen=True, eq=False)
class Rates:
    """The matched rows, a column `told` and the `other` one now and then, and in which rows all four are numbers; shapes (rows,). The first
    column may be rounded, to so many decimal `places`.
    """

    joined: Join
    told: tuple[Floats, Floats]
    other: tuple[Floats, Floats]
    there: Mask
    places: int

    @property
    def allowed(self) -> Floats:
        """How far told now times other then may be from told then times other now."""
        (now, then), (_, before) = self.other, self.told
        half = 0.5 * 10.0**-self.places
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray((half * (np.abs(now) + np.abs(then))) * (1 + _NOISE) + _NOISE * np.abs(before * now))

    def beyond(self, told: Floats) -> Mask:
        """The rows in which what is `told` now is not as many times the other as before."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(self.there & ~(np.abs(told * self.other[1] - self.told[1] * self.other[0]) <= self.allowed))

    @property
    def broken(self) -> Mask:
        """The rows in which it is not."""
        return self.beyond(self.told[0])

    @property
    def speaking(self) -> Mask:
        """The rows that keep it, and would not, had the column stayed as it was."""
        return self.beyond(self.told[1]) & ~self.broken


def rates(ours: RowSample, theirs: RowSample, columns: Sequence[str]) -> Rates | None:
    """The matched rows with both columns; None where a side lacks one."""
    if any(name not in side.columns for side in (ours, theirs) for name in columns):
        return None
    joined = join(ours, theirs)
    told, other = ((ours.column(name).numbers[joined.ours], theirs.column(name).numbers[joined.theirs]) for name in columns)
    there = np.all(np.isfinite([*told, *other]), axis=0)
    return Rates(joined, told, other, there, max(map(places_of, told)))


def _share(ours: RowSample, theirs: RowSample, columns: Sequence[str] = ()) -> float | None:
    found = rates(ours, theirs, columns) if len(columns) == _TWO else None
    if found is None or not found.there.any():
        return None
    return 1 - np.count_nonzero(found.broken) / np.count_nonzero(found.there)


def _rows(ours: RowSample, theirs: RowSample, columns: Sequence[str] = ()) -> Keys:
    found = rates(ours, theirs, columns) if len(columns) == _TWO else None
    if found is None:
        return Keys("rows", ours, np.empty(0, dtype=np.int64), 0)
    wrong = found.broken
    places, its = found.joined.ours[wrong], ours.column(columns[0])
    with np.errstate(all="ignore"):
        wanted = rounded(found.told[1][wrong] / found.other[1][wrong] * found.other[0][wrong], found.places)
    said = [f"{its.shown(int(at))}, not {its.number(float(number))}" for at, number in zip(places, wanted, strict=True)]
    return Keys(f"rows whose {columns[0]} is not as many times {columns[1]} as before", ours, places, found.joined.now, tuple(said))


SAME_RATE = Metric(
    "same_rate", OF_ROWS, (RowSample,), 2, "ratio",
    "share of the matched rows whose first column is as many times the second as in the batch before, as it is rounded",
    lowest=0, highest=1, least=_TWO, most=_TWO, asked=True, by_key=True, parameters=(KEY, ROWS), wants=whole_rows, pair=_share,
    rows_of=_rows, plain="always", of_every_value=True,
    says=Wording(
        "Of the rows that both batches have: in how many a column is as many times another one as in the batch before, where the first "
        "may be rounded.",
        "the share of rows whose {column} is as many times {other} as before",
        least="In at least {low} of the rows matched by {key} {column} is as many times {other} as in the batch before",
        at={1.0: "In every row {column} is as many times {other} as in the batch before"},
    ),
)  # fmt: skip
