"""One column says how long it is from one date or time to another: nights of a stay, minutes of a trip."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.products import LEAST_ROWS, half, slack_of
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null, written
from avh_ui.inference.by_relation.screening import FIRST

_DAY = 86_400.0


@dataclass(frozen=True)
class _Unit:
    """What is counted from `earlier` to `later` (seconds since 1970): in NumPy, in SQL and in words."""

    words: str
    of: Callable[[Floats, Floats], Floats]
    sql: str


def _elapsed(words: str, seconds: int) -> _Unit:
    sql = "(cast(cast({} AS TIMESTAMP) AS DOUBLE) - cast(cast({} AS TIMESTAMP) AS DOUBLE))" + (f" / {seconds}" if seconds > 1 else "")
    return _Unit(words, lambda later, earlier: (later - earlier) / seconds, sql)


# Midnights between first: of two dates they are the days, of two times what people call nights.
_UNITS = (
    _Unit("days", lambda later, earlier: np.floor(later / _DAY) - np.floor(earlier / _DAY), "datediff({}, {})"),
    _elapsed("days", 86_400),
    _elapsed("hours", 3_600),
    _elapsed("minutes", 60),
    _elapsed("seconds", 1),
)


def lengths(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """The columns of numbers that count the days, hours, minutes or seconds between two others, rounded as they are written."""
    times = [name for name in mined.varied if mined.cells[name].form == "time" and name not in without]
    names = [name for name in mined.numeric if name not in without]
    if not names:
        return
    table = np.stack([mined.numbers(name) for name in names])
    slack = np.stack([slack_of(mined.places[name], row) for name, row in zip(names, table, strict=True)])
    told = set[str]()
    for later, earlier in permutations(times, 2):
        for unit in _UNITS:
            apart = unit.of(mined.numbers(later), mined.numbers(earlier))
            some = np.flatnonzero(_fits(table[:, :FIRST], slack[:, :FIRST], apart[:FIRST]))
            some = some[_fits(table[some], slack[some], apart)]
            # Whose ends are never apart, a column of zeros would count as well.
            telling = np.count_nonzero(~np.isnan(table[some]) & ~np.isnan(apart) & (table[some] != 0), axis=1) >= LEAST_ROWS
            for place in some[telling].tolist():
                if names[place] not in told:
                    told.add(names[place])
                    yield _relation(mined, (names[place], later, earlier), unit)


def _fits(table: Floats, slack: Floats, apart: Floats) -> Mask:
    """Which columns say in each of these rows how far apart two times are; where one is NaN nothing is known."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.all((np.abs(table - apart) <= slack) | np.isnan(table) | np.isnan(apart), axis=1))


def _relation(mined: Mined, names: tuple[str, str, str], unit: _Unit) -> Relation:
    name, later, earlier = names
    places = mined.places[name]

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        found = numbers(cells, name)
        return np.asarray(np.abs(found - unit.of(numbers(cells, later), numbers(cells, earlier))) <= slack_of(places, found))

    counted, number = unit.sql.format(written(mined, later), written(mined, earlier)), reckoned(mined, name)
    within = f"1e-9D * abs({number})" if places is None else f"{half(places)!r}D"
    said = f"{name} is the {unit.words} from {earlier} to {later}"
    return Relation("length", names, said, unless_null(names, f"abs({number} - {counted}) <= {within}"), keeps)
