"""Metrics of what rows carry over from the batch before: a column that another one of their row rose by, or was.

A meter's reading of today less yesterday's is what it says was used; the rate before is the rate of the day before. No relation within one
row says so, and no metric of one column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from avh_ui.metrics.column import OF_ROWS, Floats
from avh_ui.metrics.joining import Join, join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need
from avh_ui.metrics.wording import Wording

# Numbers are the same to half of the last decimal place that any of them has, of so many as people write measurements with.
_MOST_PLACES = 6
_TWO = 2
# What is expected of a column of the matched rows: of the other column now and then.
_Expected = Callable[[Floats, Floats], Floats]


def rise(now: Floats, then: Floats) -> Floats:
    """How much numbers rose."""
    return now - then


def earlier(_: Floats, then: Floats) -> Floats:
    """What numbers were."""
    return then


def broken_rows(ours: RowSample, theirs: RowSample, columns: Sequence[str], expected: _Expected) -> tuple[Join, Mask, Mask] | None:
    """The matched rows, those of them in which all that is compared is a number, and those of these whose first column is not what is
    expected of the second; shapes (rows,). None where a side lacks a column.
    """
    column, other = columns
    sides = (ours, column), (ours, other), (theirs, other)
    if any(name not in rows.columns for rows, name in sides):
        return None
    joined = join(ours, theirs)
    told, now = (ours.column(name).numbers[joined.ours] for name in columns)
    then = theirs.column(other).numbers[joined.theirs]
    with np.errstate(invalid="ignore"):
        wanted = expected(now, then)
        there = np.isfinite(told) & np.isfinite(wanted)
        return joined, there, there & (np.abs(told - wanted) > 0.5 * 10.0 ** -max(map(_places, (told, now, then))))


def _places(numbers: Floats) -> int:
    """How many decimal places the numbers have, up to `_MOST_PLACES`."""
    known = numbers[np.isfinite(numbers)]
    for places in range(_MOST_PLACES):
        if np.all(np.round(known, places) == known):
            return places
    return _MOST_PLACES


def _whole_rows(measure: Measure) -> tuple[Need, ...]:
    return (Need(RowSample, (*measure.key, *measure.columns), None, Drawing(len(measure.key))),)


def _carried(name: str, description: str, expected: _Expected, what: str, says: Wording) -> Metric:
    def share(ours: RowSample, theirs: RowSample, columns: Sequence[str] = ()) -> float | None:
        found = broken_rows(ours, theirs, columns, expected) if len(columns) == _TWO else None
        if found is None or not found[1].any():
            return None
        return 1 - np.count_nonzero(found[2]) / np.count_nonzero(found[1])

    def rows(ours: RowSample, theirs: RowSample, columns: Sequence[str] = ()) -> Keys:
        found = broken_rows(ours, theirs, columns, expected) if len(columns) == _TWO else None
        if found is None:
            return Keys("rows", ours, np.empty(0, dtype=np.int64), 0)
        joined, _, broken = found
        places, (told, other) = joined.ours[broken], (ours.column(name) for name in columns)
        wanted = np.round(expected(other.numbers[places], theirs.column(columns[1]).numbers[joined.theirs[broken]]), _MOST_PLACES)
        said = [f"{told.shown(int(at))}, not {other.number(float(number))}" for at, number in zip(places, wanted, strict=True)]
        return Keys(what.format(*columns), ours, places, joined.now, tuple(said))

    return Metric(
        name, OF_ROWS, (RowSample,), 2, "ratio", description, lowest=0, highest=1, least=_TWO, most=_TWO, asked=True, by_key=True,
        parameters=(KEY, ROWS), wants=_whole_rows, pair=share, rows_of=rows, plain="always", of_every_value=True, next_to=True,
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
)  # fmt: skip

OF_CARRIED: tuple[Metric, ...] = (THE_RISE, EARLIER)
