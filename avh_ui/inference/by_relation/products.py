"""One column is two others multiplied or divided, rounded as it is written; a share may be in per cent, and so may what is added or
a change from one to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.constants import RELATIVE
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null
from avh_ui.inference.by_relation.screening import fitting

# So many rows screen the columns before all rows are looked at.
SCREENED = 12
# Fewer rows that are not 0 are no evidence of a product.
LEAST_ROWS = 20
# Nor is it one that the same few numbers come out: "version is tipLength / zDimension, rounded" was 1 of 0.5 to 0.97.
_RESULTS = 3


@dataclass(frozen=True)
class Way:
    """How two columns make a third: in NumPy, in SQL and in words."""

    of: Callable[[Floats, Floats], Floats]
    sql: str
    words: str
    symmetric: bool = False


WAYS = (
    Way(np.multiply, "{} * {}", "{} x {}", symmetric=True),
    Way(np.divide, "{} / {}", "{} / {}"),
    Way(lambda one, other: 100 * one / other, "100 * {} / {}", "{} / {} in per cent"),
    Way(lambda one, other: one * (1 + other / 100), "{} * (1 + {} / 100)", "{} x (1 + {} / 100)"),
    Way(lambda one, other: one * (1 - other / 100), "{} * (1 - {} / 100)", "{} x (1 - {} / 100)"),
    # What is charged on top comes before: it tells its columns in whole per cent.
    Way(lambda one, other: 100 * (one - other) / other, "100 * ({0} - {1}) / {1}", "the change from {1} to {0} in per cent"),
    Way(lambda one, other: (one - other) / other, "({0} - {1}) / {1}", "the change from {1} to {0} as a share"),
)


def products(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """Products and quotients, of three columns one of them."""
    names = [name for name in mined.numeric if name not in without]
    if len(names) < 3:
        return
    table = np.stack([mined.numbers(name) for name in names])
    slack = np.stack([slack_of(mined.places[name], row) for name, row in zip(names, table, strict=True)])
    few = np.argsort(np.sum((table == 0) | np.isnan(table), axis=0), kind="stable")[:SCREENED]
    told = set[frozenset[int]]()
    for way in WAYS:
        for total, one, other in _screened(table[:, few], slack[:, few], way):
            if frozenset((total, one, other)) not in told and _holds(table, slack, (total, one, other), way):
                told.add(frozenset((total, one, other)))
                yield _relation(mined, (names[total], names[one], names[other]), way)


def slack_of(places: int | None, values: Floats) -> Floats:
    """By how much a rounded value may be off."""
    exact: Floats = np.abs(values) * RELATIVE
    return exact if places is None else np.full(len(values), half(places))


def half(places: int) -> float:
    """Half of the last digit, and what doubles are off by."""
    return 0.5 * 10.0**-places * (1 + RELATIVE)


def near(places: int | None, found: Floats, made: Floats) -> Mask:
    """Whether values rounded to `places` (None: as doubles are) are what is `made` of others, one for one."""
    apart = np.abs(found - made)
    return np.asarray(apart - RELATIVE * np.abs(found) <= 0 if places is None else apart <= half(places))


def within(places: int | None, found: str, made: str) -> str:
    """The same in SQL, in which NaN and infinity are at most themselves: what depends on values stands on the left."""
    apart = f"abs({found} - {made})"
    return f"{apart} - {RELATIVE!r}D * abs({found}) <= 0.0D" if places is None else f"{apart} <= {half(places)!r}D"


def _screened(table: Floats, slack: Floats, way: Way) -> Iterator[tuple[int, int, int]]:
    """Which column may be what two others make, by few rows. Of columns that have no number but -1, 0 and 1 none tells anything: what two
    such make is one of them, or nothing.
    """
    units = np.all(np.isnan(table) | (table == 0) | (np.abs(table) == 1), axis=1)
    every, few, rest = np.arange(len(table)), np.flatnonzero(units), np.flatnonzero(~units)
    for one in every.tolist():
        with np.errstate(all="ignore"):
            made = way.of(table[one], table)
        among = [(every, rest), (rest, few)] if units[one] else [(every, every)]
        found = [fitting(table, slack, made, totals, others) for totals, others in among]
        totals, others = (np.concatenate(side) for side in zip(*found, strict=True))
        for place in np.lexsort((others, totals)).tolist():
            total, other = int(totals[place]), int(others[place])
            if len({total, one, other}) == 3 and not (way.symmetric and other < one):
                yield total, one, other


def _holds(table: Floats, slack: Floats, places: tuple[int, int, int], way: Way) -> bool:
    total, one, other = (table[place] for place in places)
    with np.errstate(all="ignore"):
        apart = np.abs(total - way.of(one, other))
    there = ~(np.isnan(total) | np.isnan(one) | np.isnan(other))
    # One times a number, or nothing per cent of it, is the number itself.
    telling = there & (total != 0) & (np.abs(total) != np.abs(one)) & (np.abs(total) != np.abs(other))
    enough = telling.sum() >= LEAST_ROWS and len(np.unique(total[telling])) >= _RESULTS
    return bool(enough and np.all(apart[there] <= slack[places[0]][there]))


def _relation(mined: Mined, names: tuple[str, str, str], way: Way) -> Relation:
    total, one, other = names
    places = mined.places[total]

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        found = numbers(cells, total)
        return near(places, found, way.of(numbers(cells, one), numbers(cells, other)))

    said = f"{total} is {way.words.format(one, other)}{'' if places is None else ', rounded'}"
    made, named = way.sql.format(*(reckoned(mined, name) for name in (one, other))), reckoned(mined, total)
    return Relation("product", names, said, unless_null(names, within(places, named, made)), keeps)
