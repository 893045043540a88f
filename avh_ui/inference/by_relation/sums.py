"""One column is the sum of two to five others, or 100 (60, 1,000) times one plus another, to the last digit; or some are taken away.

A sum of columns is the same sum of any fixed combination of their rows. So each column becomes one 64-bit word, its rows times random odd
words modulo 2^64, in which a sum of columns is a sum of words, exactly: two, three, four or five terms are found by sorting the words of
pairs, and each find is checked on all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.balances import balances
from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.relation import Family, Relation, numbers, reckoned, unless_null

Words = NDArray[np.uint64]
# Sums of four are looked for among so many columns (780 pairs), of five among fewer: 40 columns take half a second.
_OF_FOUR, _OF_FIVE = 60, 40
# How often one unit is in the next larger: percent and clock times written as 1830, minutes, days, thousands.
_UNITS = (100, 60, 24, 7, 12, 1000, 10)
# Fewer rows with all values are no evidence of a sum.
_LEAST_ROWS = 20


@dataclass(frozen=True)
class Sum:
    """`total = factors[0] terms[0] + factors[1] terms[1] + ...`, by places of columns."""

    total: int
    terms: tuple[int, ...]
    factors: tuple[int, ...]


def sums(mined: Mined, without: set[str]) -> list[Relation]:
    """A basis of the sums and balances of columns: none follows from the others; sums first, the shortest first."""
    names = [name for name in mined.numeric if name not in without and mined.places[name] is not None]
    names, rows = _with_rows(mined, names)
    if len(names) < 3:
        return []
    places = max(mined.places[name] or 0 for name in names)
    table = np.stack([np.round(mined.numbers(name)[rows] * 10.0**places) for name in names], axis=1).astype(np.int64)
    basis, found = _Basis(len(names)), []
    for one in _found(table):
        terms = sum(factor * table[:, term] for term, factor in zip(one.terms, one.factors, strict=True))
        if np.array_equal(table[:, one.total], terms) and basis.adds(one):
            found.append(_relation(mined, names, one))
    return found


def _with_rows(mined: Mined, names: Sequence[str]) -> tuple[list[str], Mask]:
    """The columns that have a value in enough common rows, and these rows: those with the most nulls are dropped until there are."""
    kept, rows = set[str](), np.ones(mined.rows, dtype=bool)
    for name in sorted(names, key=lambda name: int(mined.cells[name].null.sum())):
        common = rows & ~mined.cells[name].null
        if common.sum() < max(_LEAST_ROWS, mined.rows // 5):
            break
        kept.add(name)
        rows = common
    return ([name for name in names if name in kept], rows) if len(kept) > 2 else ([], np.zeros(mined.rows, dtype=bool))


def _found(table: NDArray[np.int64]) -> Iterator[Sum]:
    """What may be a sum, by its words, the shortest first."""
    random = np.random.default_rng(0).integers(1, 2**63, size=len(table), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    with np.errstate(over="ignore"):
        words = (table.view(np.uint64) * random[:, None]).sum(axis=0, dtype=np.uint64)
        # The largest column is the total, and nothing is a term of what is smaller.
        yield from _of_two(words)
        yield from _of_units(words)
        count = len(words)
        one, other = (np.array(side, dtype=np.int64) for side in zip(*combinations(range(count), 2), strict=True))
        pairs = words[one] + words[other]
        order = np.argsort(pairs)
        for total in range(count):
            yield from _longer(words, total, (pairs[order], one[order], other[order]), count)
    sizes = np.abs(table).sum(axis=0, dtype=np.float64)
    yield from (_ledger(some, others, sizes) for some, others in balances(words))


def _ledger(some: tuple[int, ...], others: tuple[int, ...], sizes: Floats) -> Sum:
    """What is there at the end: of the largest columns of both sides the one that stands later in the table."""
    start, total = sorted(max(side, key=lambda place: sizes[place]) for side in (some, others))
    taken, added = (some, others) if total in some else (others, some)
    terms = (start, *(place for place in sorted(added) if place != start), *(place for place in sorted(taken) if place != total))
    return Sum(total, terms, (1,) * len(added) + (-1,) * (len(taken) - 1))


def _of_two(words: Words) -> Iterator[Sum]:
    known = _Known(words)
    for one in range(len(words)):
        for other, total in known.among(words[one] + words[one + 1 :]):
            if total not in (one, one + 1 + other):
                yield Sum(total, (one, one + 1 + other), (1, 1))


def _of_units(words: Words) -> Iterator[Sum]:
    known = _Known(words)
    for unit in _UNITS:
        times = words * np.uint64(unit)
        for total in range(len(words)):
            for large, rest in known.among(words[total] - times):
                if len({total, large, rest}) == 3:
                    yield Sum(total, (large, rest), (unit, 1))


class _Known:
    """Words by value; of equal ones the last."""

    def __init__(self, words: Words) -> None:
        self._order = np.argsort(words, kind="stable")
        self._words = words[self._order]

    def among(self, wanted: Words) -> Iterator[tuple[int, int]]:
        """The places of the wanted words that are known, each with its place among the known ones."""
        at = np.maximum(np.searchsorted(self._words, wanted, "right") - 1, 0)
        for place in np.flatnonzero(self._words[at] == wanted).tolist():
            yield place, int(self._order[at[place]])


def _longer(words: Words, total: int, pairs: tuple[Words, NDArray[np.int64], NDArray[np.int64]], count: int) -> Iterator[Sum]:
    """Sums of three, four and five: what is left of the total is looked for among the pairs."""
    known, one, other = pairs
    left = words[total] - words
    first, last = np.searchsorted(known, left, "left"), np.searchsorted(known, left, "right")
    for term in np.flatnonzero(last > first).tolist():
        for place in range(int(first[term]), int(last[term])):
            yield from _distinct(total, (term, int(one[place]), int(other[place])))
    if count > _OF_FOUR:
        return
    rests = words[total] - known
    for at, place in _places(known, rests):
        yield from _distinct(total, (int(one[at]), int(other[at]), int(one[place]), int(other[place])))
    if count > _OF_FIVE:
        return
    for term in range(count):
        for at, place in _places(known, rests - words[term]):
            yield from _distinct(total, (term, int(one[at]), int(other[at]), int(one[place]), int(other[place])))


def _places(known: Words, wanted: Words) -> Iterator[tuple[int, int]]:
    """Where each wanted word stands among the sorted ones, should it be there."""
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    for place in np.flatnonzero(known[at] == wanted).tolist():
        yield place, int(at[place])


def _distinct(total: int, terms: tuple[int, ...]) -> Iterator[Sum]:
    if total not in terms and len(set(terms)) == len(terms) and terms == tuple(sorted(terms)):
        yield Sum(total, terms, (1,) * len(terms))
    elif total not in terms and len(set(terms)) == len(terms):
        yield Sum(total, tuple(sorted(terms)), (1,) * len(terms))


class _Basis:
    """The sums so far as rows in echelon form over the rationals."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._rows: dict[int, list[Fraction]] = {}

    def adds(self, one: Sum) -> bool:
        """Whether it says more than those before it; then it is one of them."""
        row = [Fraction(0)] * self._columns
        row[one.total] = Fraction(-1)
        for term, factor in zip(one.terms, one.factors, strict=True):
            row[term] += factor
        for at, other in self._rows.items():
            if row[at]:
                scale = row[at] / other[at]
                row = [value - scale * its for value, its in zip(row, other, strict=True)]
        pivot = next((k for k, value in enumerate(row) if value), None)
        if pivot is None:
            return False
        self._rows[pivot] = row
        return True


def _relation(mined: Mined, names: Sequence[str], one: Sum) -> Relation:
    total, terms = names[one.total], [names[term] for term in one.terms]
    factors = dict(zip(terms, one.factors, strict=True))
    fractional = any(mined.places[name] != 0 for name in (total, *terms))
    # Half of the last digit that any of them has: what is between are sums of doubles.
    slack = 0.5 * 10.0 ** -max(mined.places[name] or 0 for name in (total, *terms)) if fractional else 0.0

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        expected: Floats = np.add.reduce([factors[term] * numbers(cells, term) for term in terms])
        return np.asarray(np.abs(numbers(cells, total) - expected) <= slack)

    said, made = _added(factors, {t: t for t in terms}, "{:,} x "), _added(factors, {t: reckoned(mined, t) for t in terms}, "{} * ")
    # Of doubles NaN is equal to NaN in SQL, and no sum.
    condition = f"{reckoned(mined, total)} - ({made}) = 0"
    if fractional:
        condition = f"abs({reckoned(mined, total)} - ({made})) <= {slack!r}D"
    family: Family = "balance" if min(one.factors) < 0 else "total"
    return Relation(family, (total, *terms), f"{total} is {said}", unless_null((total, *terms), condition), keeps)


def _added(factors: Mapping[str, int], names: Mapping[str, str], times: str) -> str:
    """The terms with their factors, as words or SQL say them: `a + 60 * b - c`."""
    said = ""
    for term, factor in factors.items():
        sign = " - " if factor < 0 else " + " if said else ""
        said += f"{sign}{times.format(abs(factor)) if abs(factor) != 1 else ''}{names[term]}"
    return said
