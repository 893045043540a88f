"""One column is a part of another's date or time: its year, month, day, weekday, hour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.constraints.sql_text import quoted
from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.relation import Relation, numbers, unless_null, written

_Part = Callable[[pa.Array], pa.Array]
# By the name of Spark's function.
PARTS: Mapping[str, _Part] = {
    "year": pc.year,
    "quarter": pc.quarter,
    "month": pc.month,
    "day": pc.day,
    "hour": pc.hour,
    "minute": pc.minute,
    "dayofyear": pc.day_of_year,
    "weekofyear": pc.iso_week,
    "weekday": pc.day_of_week,
    "dayofweek": lambda days: pc.day_of_week(days, count_from_zero=False, week_start=7),
}
# A moment lies on two days around midnight, by the zone: what the rows near to it say is told of the zone too, what others say is not. The
# month of times in UTC is the local one until the last evening of a month, which hardly a sample has. So a part of a date needs so many
# rows of which the hours around have another; of a zone five hours off, 20 such rows all agree in 2 % of tables.
_HOURS, _NEAR = 14 * 3600.0, 20
_OF_CLOCK = ("hour", "minute")
# What turns with each day tells the zone in each batch. Months turn in two of sixty daily batches, and one that breaks a relation of sixty
# is taken for a fault: of flights in UTC the month was held on two ends of months. Where no day or hour tells the zone, so many of the
# batches have rows at a turn.
_DAILY, _TURNS = ("day", "dayofyear", "weekday", "dayofweek", "hour"), 7
# The seconds of the years 1 to 9999: beyond them there is no calendar.
_FIRST, _END = -62_135_596_800, 253_402_300_800


def parts(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """The columns of whole numbers that are a part of a time."""
    times = [name for name in mined.varied if mined.cells[name].form == "time" and name not in without]
    whole = [name for name in mined.numeric if mined.places[name] == 0 and name not in without]
    for time in times:
        known = not np.any(mined.numbers(time)[~mined.cells[time].null] % 86_400)
        # The daily ones first: they tell the zone of the others.
        for part in sorted(PARTS, key=lambda part: part not in _DAILY):
            if part not in _OF_CLOCK and not _turns(mined, time, part, known=known or part in _DAILY):
                continue
            values = _values(mined.numbers(time), part)
            for name in whole:
                both = ~np.isnan(values) & ~mined.cells[name].null
                # One part alone shows nothing: the hour of all dates is 0, and so is what is left of products that were given up.
                if len(np.unique(values[both])) > 1 and np.array_equal(values[both], mined.numbers(name)[both]):
                    known |= part in _DAILY
                    yield _relation(mined, name, time, part)


def _turns(mined: Mined, time: str, part: str, *, known: bool) -> bool:
    """Whether enough of the moments have another part some hours earlier or later, and in enough batches where the zone is not `known`."""
    seconds = mined.numbers(time)
    if known and not np.any(seconds[~np.isnan(seconds)] % 86_400):
        return len(seconds) >= _NEAR
    sooner, later = _values(seconds - _HOURS, part), _values(seconds + _HOURS, part)
    near = (sooner != later) & ~np.isnan(sooner) & ~np.isnan(later)
    return int(np.count_nonzero(near)) >= _NEAR and (known or len(np.unique(mined.batch[near])) >= _TURNS)


def _values(seconds: Floats, part: str) -> Floats:
    there = (seconds >= _FIRST) & (seconds < _END)
    found = np.full(len(seconds), np.nan)
    micros = pa.array((seconds[there] * 1e6).astype(np.int64)).view(pa.timestamp("us"))
    found[there] = PARTS[part](micros).to_numpy(zero_copy_only=False)
    return found


def _relation(mined: Mined, name: str, time: str, part: str) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return np.asarray(numbers(cells, name) == _values(numbers(cells, time), part))

    named = {"dayofyear": "day of the year", "weekofyear": "week", "dayofweek": "day of the week"}.get(part, part)
    condition = f"{written(mined, name)} = {part}({quoted(time)})"
    return Relation("part", (name, time), f"{name} is the {named} of {time}", unless_null((name, time), condition), keeps)
