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
# The seconds of the years 1 to 9999: beyond them there is no calendar.
_FIRST, _END = -62_135_596_800, 253_402_300_800


def parts(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """The columns of whole numbers that are a part of a time."""
    times = [name for name in mined.varied if mined.cells[name].form == "time" and name not in without]
    whole = [name for name in mined.numeric if mined.places[name] == 0 and name not in without]
    for time in times:
        for part in PARTS:
            values = _values(mined.numbers(time), part)
            for name in whole:
                both = ~np.isnan(values) & ~mined.cells[name].null
                if both.any() and np.array_equal(values[both], mined.numbers(name)[both]):
                    yield _relation(mined, name, time, part)


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
