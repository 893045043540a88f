"""Metrics of what rows carry over from the batch before: a column that another one of their row rose by, or was.

A meter's reading of today less yesterday's is what it says was used; the rate before is the rate of the day before. No relation within one
row says so, and no metric of one column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.metrics.column import OF_ROWS, Floats
from avh_ui.metrics.joining import Join, join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_mistakes import FEW, LEAP
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need
from avh_ui.metrics.wording import Wording, seldom

# Numbers are the same to half of the last decimal place that any of them has, of so many as people write measurements with.
_MOST_PLACES = 6
_TWO = 2
# What is expected of a column of the matched rows: of the other column now and then.
_Expected = Callable[[Floats, Floats], Floats]


def rise(now: Floats, then: Floats) -> Floats:
    """How much numbers rose, one for one; NaN where either is."""
    return now - then


def earlier(_: Floats, then: Floats) -> Floats:
    """What numbers were: `then` as it is."""
    return then


@dataclass(frozen=True, eq=False)
class Carried:
    """The matched rows, what a column says in them and what was `wanted` of it, rounded to the decimal `places` that they have, and in
    which all of that is a number; shapes (rows,).
    """

    joined: Join
    told: Floats
    wanted: Floats
    there: Mask
    places: int

    @property
    def broken(self) -> Mask:
        """The rows in which it is another number."""
        return np.asarray(self.there & (np.abs(self.told - self.wanted) > 0.5 * 10.0**-self.places))

    @property
    def mistaken(self) -> Mask:
        """Those of the broken rows that have what was wanted of another row, 0, the negative or `LEAP` times as much, where that is large:
        of whole numbers `FEW` at least. What is said a day late, or put right a day later, is another number, and none of these.
        """
        few, at = 0.0 if self.places else FEW, np.flatnonzero(self.broken)
        told, wanted = rounded(self.told[at], self.places), self.wanted[at]
        large = np.abs(wanted) >= few
        gone = large & (wanted != 0) & ((told == 0) | (told == -wanted))
        leapt = (np.abs(told) >= few) & (wanted != 0) & (np.abs(told) / LEAP >= np.abs(wanted))
        found = np.zeros(len(self.told), dtype=bool)
        found[at] = gone | leapt | _exchanged(told, wanted, few)
        return found


def _exchanged(told: Floats, wanted: Floats, few: float) -> Mask:
    """In which rows two have what was wanted of each other, one of which is large."""
    pairs = list(zip(told.tolist(), wanted.tolist(), strict=True))
    known = set(pairs)
    return np.array([a != b and (b, a) in known and max(abs(a), abs(b)) >= few for a, b in pairs], dtype=bool)


def carried(ours: RowSample, theirs: RowSample, columns: Sequence[str], expected: _Expected) -> Carried | None:
    """The matched rows, and what is `expected` of the first column by the second; None where a side lacks a column."""
    column, other = columns
    sides = (ours, column), (ours, other), (theirs, other)
    if any(name not in rows.columns for rows, name in sides):
        return None
    joined = join(ours, theirs)
    told, now = (ours.column(name).numbers[joined.ours] for name in columns)
    then = theirs.column(other).numbers[joined.theirs]
    places = max(map(places_of, (told, now, then)))
    with np.errstate(invalid="ignore", over="ignore"):
        wanted = rounded(expected(now, then), places)
    return Carried(joined, told, wanted, np.isfinite(told) & np.isfinite(wanted), places)


def places_of(numbers: Floats) -> int:
    """How many decimal places the numbers (of any shape) have, up to `_MOST_PLACES`."""
    known = numbers[np.isfinite(numbers)]
    for places in range(_MOST_PLACES):
        if np.all(rounded(known, places) == known):
            return places
    return _MOST_PLACES


def rounded(numbers: Floats, places: int) -> Floats:
    """Numbers to so many decimal places; those that have none left to round, as 1e308, stay."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.round(numbers, places)
    return np.where(np.isfinite(found), found, numbers)


def whole_rows(measure: Measure) -> tuple[Need, ...]:
    """The sample of the rows with all columns that a measure is of."""
    return (Need(RowSample, (*measure.key, *measure.columns), None, Drawing(len(measure.key))),)


def _carried(
    name: str, description: str, expected: _Expected, what: str, says: Wording, *, of: Callable[[Carried], Mask], broken: bool = False
) -> Metric:
    """The share of the rows that do not (`broken`: do) belong to those `of` what is carried over."""

    def share(ours: RowSample, theirs: RowSample, columns: Sequence[str] = ()) -> float | None:
        found = carried(ours, theirs, columns, expected) if len(columns) == _TWO else None
        if found is None or not found.there.any():
            return None
        wrong = np.count_nonzero(of(found)) / np.count_nonzero(found.there)
        return wrong if broken else 1 - wrong

    def rows(ours: RowSample, theirs: RowSample, columns: Sequence[str] = ()) -> Keys:
        found = carried(ours, theirs, columns, expected) if len(columns) == _TWO else None
        if found is None:
            return Keys("rows", ours, np.empty(0, dtype=np.int64), 0)
        wrong = of(found)
        places, (told, other) = found.joined.ours[wrong], (ours.column(name) for name in columns)
        wanted = rounded(found.wanted[wrong], _MOST_PLACES)
        said = [f"{told.shown(int(at))}, not {other.number(float(number))}" for at, number in zip(places, wanted, strict=True)]
        return Keys(what.format(*columns), ours, places, found.joined.now, tuple(said))

    return Metric(
        name, OF_ROWS, (RowSample,), 2, "ratio", description, lowest=0, highest=1, least=_TWO, most=_TWO, asked=True, by_key=True,
        parameters=(KEY, ROWS), wants=whole_rows, pair=share, rows_of=rows, plain="always", of_every_value=True, next_to=True,
        says=says,
    )  # fmt: skip


THE_RISE = _carried(
    "the_rise", "share of the matched rows whose first column is the rise of the second one since the batch before", rise,
    "rows whose {0} is not the rise of {1}",
    Wording(
        "Of the rows that both batches have: in how many a column is the rise of another one since the batch before.",
        "the share of rows whose {column} is the rise of {other}",
        least="In at least {low} of the rows matched by {key} {column} is the rise of {other}",
        at={1.0: "{column} is the rise of {other} since the batch before"},
    ),
    of=lambda c: c.broken,
)  # fmt: skip
EARLIER = _carried(
    "earlier", "share of the matched rows whose first column is what the second one was in the batch before", earlier,
    "rows whose {0} is not what {1} was",
    Wording(
        "Of the rows that both batches have: in how many a column is what another one was in the batch before.",
        "the share of rows whose {column} is what {other} was in the batch before",
        least="In at least {low} of the rows matched by {key} {column} is what {other} was in the batch before",
        at={1.0: "{column} is what {other} was in the batch before"},
    ),
    of=lambda c: c.broken,
)  # fmt: skip

# Who puts earlier days right changes a total and not what is new: of Italy's regions one to five of 21 rows a day. Such a row is seldom 0,
# ten times the rise or that of another row; so it was on 16 of 1,742 days.
_MISTAKES = (
    f"is {{column}} far off the rise of {{other}}: 0, the negative of it, {LEAP:g} times it or more, or another row's (small rises may be)"
)
MISTAKEN_RISE = _carried(
    "mistaken_rise", "share of the matched rows whose first column is 0, another row's, the negative or many times the rise of the second",
    rise, "rows whose {0} is a mistake beside the rise of {1}",
    seldom(
        "Of the rows that both batches have: in how many a column is 0 where another one rose (of counts by 20 at least), says what "
        f"another row rose by, the negative of the rise, or {LEAP:g} times as much or more.",
        "the share of rows whose {column} is a mistake beside the rise of {other}",
        f"In at most {{high}} of the rows matched by {{key}} {_MISTAKES}",
        f"In no row matched by {{key}} {_MISTAKES}",
    ),
    of=lambda c: c.mistaken, broken=True,
)  # fmt: skip

OF_CARRIED: tuple[Metric, ...] = (THE_RISE, EARLIER)
