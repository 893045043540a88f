"""One column is two or three others multiplied, and a constant: pieces x price x (1 - discount), long x wide x high / 5,000.

The constant is not tried, it is told: rounding lets each row say between which two numbers it lies, and where all rows have one in common
the one of the fewest digits is it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.constants import Constant, roundest
from avh_ui.inference.by_relation.products import LEAST_ROWS, SCREENED, near, slack_of, within
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null

# Of 16 columns, each with 1 less and 1 more of it, 17,000 threes are tried with 16 totals each: 0.4 seconds.
_COLUMNS = 16
# Of a total known no better than this any constant fits.
_KNOWN = 0.02
# Of so many different products: 20 rows of one order are one.
_DIFFERENT = 10
# And of so many totals: that all books are lent for 28 days made them "isbn / 350,000,000,000, rounded".
_TOTALS = 5


@dataclass(frozen=True)
class Factor:
    """A column as a factor: itself, or 1 with it taken away or added, as a share or `per` 100 of one."""

    column: str
    sign: int = 0
    per: int = 1

    def of(self, values: Floats) -> Floats:
        """Of its column's values, shape (m,)."""
        return values if not self.sign else 1 + self.sign * values / self.per

    def written(self, name: str) -> str:
        """With the column as it is called, in SQL and in words."""
        return f"(1 {'+' if self.sign > 0 else '-'} {name}{'' if self.per == 1 else f' / {self.per}'})" if self.sign else name


def multiples(mined: Mined, without: set[str], told: Collection[frozenset[str]], made: Collection[frozenset[str]]) -> Iterator[Relation]:
    """Products of two or three factors with a constant, the shortest first; none of columns of which some are `told` to make others, nor
    of just those that make a product as they are (`made`). What is paid by the price, rounded, are the pieces also where a discount is left
    out.
    """
    names = [name for name in mined.numeric if name not in without]
    if not 2 <= len(names) <= _COLUMNS:
        return
    values = {name: mined.numbers(name) for name in names}
    totals = np.stack([values[name] for name in names])
    slack = np.stack([slack_of(mined.places[name], row) for name, row in zip(names, totals, strict=True)])
    few = np.argsort(np.sum((totals == 0) | np.isnan(totals), axis=0), kind="stable")[:SCREENED]
    known = [*told]
    for factors in _products(values):
        product = _made(factors, values)
        fits = interval(totals[:, few], slack[:, few], product[few])
        for place in np.flatnonzero(fits[0] <= fits[1]).tolist():
            columns = frozenset((names[place], *(factor.column for factor in factors)))
            if len(columns) != len(factors) + 1 or columns in made or any(one <= columns for one in known):
                continue
            constant = constant_of(totals[place], slack[place], product)
            if constant is not None:
                known.append(columns)
                yield _relation(mined, names[place], factors, constant)


def _products(values: Mapping[str, Floats]) -> Iterator[tuple[Factor, ...]]:
    factors = [factor for name, found in values.items() for factor in _factors(name, found)]
    for several in (2, 3):
        for some in combinations(factors, several):
            if len({factor.column for factor in some}) == several and not all(factor.sign for factor in some):
                yield some


def _factors(name: str, values: Floats) -> Iterator[Factor]:
    yield Factor(name)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0 and high <= 100:
        yield from (Factor(name, sign, 1 if high <= 1 else 100) for sign in (-1, 1))


def _made(factors: Sequence[Factor], values: Mapping[str, Floats]) -> Floats:
    with np.errstate(all="ignore"):
        return np.asarray(np.prod([factor.of(values[factor.column]) for factor in factors], axis=0))


def interval(totals: Floats, slack: Floats, made: Floats) -> tuple[Floats, Floats]:
    """Between what the constants of these totals lie by all of their rows, shapes (..., m): lower ends above upper ones where none fits."""
    with np.errstate(all="ignore"):
        ends = (totals - slack) / made, (totals + slack) / made
        low, high = np.minimum(*ends), np.maximum(*ends)
        # 0 is any constant times 0, and nothing else is.
        none, wrong = made == 0, (made == 0) & (np.abs(totals) > slack)
        low, high = np.where(none | np.isnan(low), -np.inf, low), np.where(none | np.isnan(high), np.inf, high)
    high = np.where(wrong, -np.inf, high)
    return low.max(axis=-1), high.min(axis=-1)


def constant_of(total: Floats, slack: Floats, made: Floats) -> Constant | None:
    """The constant `total / made` that all m rows have in common, `total` (m,) being off by at most `slack` (m,); NaN of `made` tells
    nothing. None where there is none, or where too few rows tell it.
    """
    with np.errstate(invalid="ignore"):
        telling = (made != 0) & (slack < _KNOWN * np.abs(total)) & ~np.isnan(made)
    if telling.sum() < LEAST_ROWS or len(np.unique(made[telling])) < _DIFFERENT or len(np.unique(total[telling])) < _TOTALS:
        return None
    low, high = (float(end) for end in interval(total, slack, made))
    return roundest(low, high) if 0 < low <= high < math.inf else None


def _relation(mined: Mined, total: str, factors: Sequence[Factor], constant: Constant) -> Relation:
    places = mined.places[total]

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        found = numbers(cells, total)
        made = _made(factors, {factor.column: numbers(cells, factor.column) for factor in factors})
        return near(places, found, constant.times * made)

    columns = (total, *(factor.column for factor in factors))
    product = " x ".join(factor.written(factor.column) for factor in factors)
    said = f"{total} is {constant.words(product)}{'' if places is None else ', rounded'}"
    made, named = " * ".join(factor.written(reckoned(mined, factor.column)) for factor in factors), reckoned(mined, total)
    return Relation("product", columns, said, unless_null(columns, within(places, named, constant.sql(made))), keeps)
