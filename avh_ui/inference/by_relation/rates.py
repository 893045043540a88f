"""One amount is another times a rate that a third column says: the tax of each country, the fee of each plan, the price of each size.

As of `multiples` the rate is not tried but told, by the rows of each value of the third column.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from avh_ui.constraints.constraint import number
from avh_ui.inference.by_relation.cells import Cells, Floats, Form, Mask, Mined
from avh_ui.inference.by_relation.constants import RELATIVE, Constant
from avh_ui.inference.by_relation.multiples import constant_of, interval
from avh_ui.inference.by_relation.products import LEAST_ROWS, SCREENED, near, slack_of, within
from avh_ui.inference.by_relation.relation import FormError, Relation, numbers, reckoned, unless_null, written
from avh_ui.inference.by_relation.sides import ASIDE, Value, Valued, among, valued, words_of

# Of 40 columns 1,560 pairs are screened by the rows of one value each.
_COLUMNS = 40
# So many rates are told of in a sentence.
_TOLD = 4
# A rate of more digits is read more easily as what divides.
_DIGITS = 5
_NOTHING = Constant(0.0)


@dataclass(frozen=True)
class _Rates:
    """The rate of each value of the column `of`, by key, with the value as it reads."""

    of: str
    form: Form
    values: Mapping[int, Value]
    rates: Mapping[int, Constant]


def rated(mined: Mined, without: set[str], told: Collection[frozenset[str]]) -> Iterator[Relation]:
    """For each amount the other one and the column of the fewest values that make it; none of columns `told` to make each other, by way of
    what was found, too: of net, tax and gross one rate says both.
    """
    names = [name for name in mined.numeric if name not in without]
    if not 2 <= len(names) <= _COLUMNS:
        return
    few = sorted((one for one in valued(mined, mined.varied) if not one.split and one.of not in without), key=lambda one: len(one.values))
    table = {name: mined.numbers(name) for name in names}
    slack = {name: slack_of(mined.places[name], values) for name, values in table.items()}
    done = set[str]()
    known = [*told]
    for by in few:
        for total, base in _perhaps(mined, table, slack, by):
            columns = frozenset((total, base))
            if total in done or by.of in columns or columns in known or any(columns | {by.of} <= more for more in known):
                continue
            found = _rates(mined, table[total], slack[total], table[base], by)
            if found is not None:
                done.add(total)
                known += [columns, *(frozenset(pair) for three in told if columns < three for pair in combinations(three, 2))]
                yield _relation(mined, total, base, found)


def _perhaps(mined: Mined, table: Mapping[str, Floats], slack: Mapping[str, Floats], by: Valued) -> list[tuple[str, str]]:
    """The pairs of amounts that have one rate in some rows of the most frequent value; nearly all have none."""
    keys, counts = np.unique(by.keys[~mined.cells[by.of].null], return_counts=True)
    rows = np.flatnonzero((by.keys == keys[counts.argmax()]) & ~mined.cells[by.of].null)
    values = np.stack([its[rows] for its in table.values()])
    full = np.argsort(np.sum((values == 0) | np.isnan(values), axis=0), kind="stable")[:SCREENED]
    values, slacks = values[:, full], np.stack([its[rows[full]] for its in slack.values()])
    low, high = interval(values[:, None], slacks[:, None], values[None])
    names = list(table)
    return [(names[a], names[b]) for a, b in permutations(range(len(names)), 2) if low[a, b] <= high[a, b]]


def _rates(mined: Mined, total: Floats, slack: Floats, base: Floats, by: Valued) -> _Rates | None:
    """The rate of each value; None where some have none, all the same one, or too few rows tell."""
    there = ~np.isnan(total) & ~np.isnan(base) & ~mined.cells[by.of].null
    rates: dict[int, Constant] = {}
    left = 0
    for key in by.values:
        rows = there & (by.keys == key)
        nothing = not np.any(total[rows])
        found = _NOTHING if nothing and np.count_nonzero(base[rows]) >= LEAST_ROWS else constant_of(total[rows], slack[rows], base[rows])
        if found is not None:
            rates[key] = _decimal(found)
        elif np.count_nonzero(rows) < LEAST_ROWS or (nothing and not np.any(base[rows])):
            left += 0 if nothing else int(np.count_nonzero(rows))
        else:
            return None
    if left > ASIDE * there.sum() or len({one.times for one in rates.values()}) < 2:
        return None
    return _Rates(by.of, mined.cells[by.of].form, {key: by.values[key] for key in rates}, rates)


def _decimal(rate: Constant) -> Constant:
    """The rate as a decimal where it is a short one: 0.2 is a tax, and a fifth is not."""
    short = float(f"{rate.times:.{_DIGITS}g}")
    return Constant(short) if abs(short - rate.times) <= RELATIVE * rate.times else rate


def _groups(found: _Rates) -> list[tuple[Constant, tuple[Value, ...]]]:
    """Each rate with the values that have it, the one of the most values first."""
    groups: dict[Constant, list[Value]] = {}
    for key, rate in found.rates.items():
        groups.setdefault(rate, []).append(found.values[key])
    ordered = [(rate, tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))) for rate, values in groups.items()]
    return sorted(ordered, key=lambda one: (-len(one[1]), one[0].times))


def _relation(mined: Mined, total: str, base: str, found: _Rates) -> Relation:
    places = mined.places[total]
    keys = np.array(sorted(found.rates), dtype=np.uint64)
    times = np.array([found.rates[key].times for key in keys.tolist()])

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        its, told = cells[found.of], numbers(cells, total)
        if its.form != found.form and not its.null.all():
            raise FormError(found.of)
        place = np.minimum(np.searchsorted(keys, its.keys), len(keys) - 1)
        made = times[place] * numbers(cells, base)
        return np.asarray((keys[place] != its.keys) | near(places, told, made))

    named, beside, by = reckoned(mined, total), reckoned(mined, base), written(mined, found.of)
    groups = _groups(found)
    held = (f"(NOT ({among(by, values)}) OR {within(places, named, rate.sql(beside))})" for rate, values in groups)
    columns = (total, base, found.of)
    return Relation("product", columns, _says(total, base, found.of, groups, places), unless_null(columns, " AND ".join(held)), keeps)


def _says(total: str, base: str, of: str, groups: Sequence[tuple[Constant, tuple[Value, ...]]], places: int | None) -> str:
    """`tax is 0.19 x net where country is DE, 0.2 x net where it is AT or FR, rounded`."""
    told = [
        f"{number(0) if rate == _NOTHING else rate.words(base)} where {'it' if k else of} is {words_of(values)}"
        for k, (rate, values) in enumerate(groups[:_TOLD])
    ]
    more = len(groups) - len(told)
    return f"{total} is {', '.join(told)}{f', and {more} more such' if more else ''}{'' if places is None else ', rounded'}"
