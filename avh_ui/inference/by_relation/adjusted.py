"""One column is two others multiplied, with a third added or taken away: price times pieces less a discount, rounded as it is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.products import LEAST_ROWS, SCREENED, near, slack_of, within
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null

# Of 40 columns 780 pairs are tried with 1,560 ends each, which takes 0.2 seconds.
_COLUMNS = 40


def adjusted_products(mined: Mined, without: set[str], multiplied: Collection[frozenset[str]]) -> Iterator[Relation]:
    """Products that a third column adjusts, of four columns one of them. Of two columns that make a third by themselves (`multiplied`)
    there is none: sums say the rest.
    """
    names = [name for name in mined.numeric if name not in without]
    if not 4 <= len(names) <= _COLUMNS:
        return
    table = np.stack([mined.numbers(name) for name in names])
    slack = np.stack([slack_of(mined.places[name], row) for name, row in zip(names, table, strict=True)])
    few = np.argsort(np.sum((table == 0) | np.isnan(table), axis=0), kind="stable")[:SCREENED]
    told = set[frozenset[str]]()
    for one, other in combinations(range(len(names)), 2):
        if frozenset((names[one], names[other])) in multiplied:
            continue
        for total, third, sign in _screened(table[:, few], slack[:, few], one, other):
            columns = (names[total], names[one], names[other], names[third])
            if frozenset(columns) not in told and _holds(table, slack, (total, one, other, third), sign):
                told.add(frozenset(columns))
                yield _relation(mined, columns, sign)


def _screened(table: Floats, slack: Floats, one: int, other: int) -> Iterator[tuple[int, int, int]]:
    """Which column may be their product with which other one added (1) or taken away (-1), by few rows."""
    for sign in (1, -1):
        with np.errstate(all="ignore"):
            wrong = np.abs(table[:, None] - (table[one] * table[other] + sign * table)[None]) > slack[:, None]
        for total, third in np.argwhere(~np.any(wrong, axis=2)).tolist():
            # What is taken away and what is left are the same relation: the larger is the total.
            larger = sign > 0 or np.nansum(np.abs(table[total])) >= np.nansum(np.abs(table[third]))
            if len({total, third, one, other}) == 4 and larger:
                yield total, third, sign


def _holds(table: Floats, slack: Floats, places: tuple[int, int, int, int], sign: int) -> bool:
    total, one, other, third = (table[place] for place in places)
    with np.errstate(all="ignore"):
        apart = np.abs(total - (one * other + sign * third))
    there = ~(np.isnan(total) | np.isnan(one) | np.isnan(other) | np.isnan(third))
    telling = there & (third != 0) & (one != 0) & (other != 0) & (np.abs(one) != 1) & (np.abs(other) != 1)
    return bool(telling.sum() >= LEAST_ROWS and np.all(apart[there] <= slack[places[0]][there]))


def _relation(mined: Mined, names: tuple[str, str, str, str], sign: int) -> Relation:
    total, one, other, third = names
    places = mined.places[total]

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        found = numbers(cells, total)
        made = numbers(cells, one) * numbers(cells, other) + sign * numbers(cells, third)
        return near(places, found, made)

    operator = "+" if sign > 0 else "-"
    said = f"{total} is {one} x {other} {operator} {third}{'' if places is None else ', rounded'}"
    first, second, last, named = (reckoned(mined, name) for name in (one, other, third, total))
    condition = within(places, named, f"({first} * {second} {operator} {last})")
    return Relation("product", names, said, unless_null(names, condition), keeps)
