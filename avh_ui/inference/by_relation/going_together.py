"""A column has certain values exactly where another has certain ones: a fee of 0 where the plan is free, bytes of 0 where the status is
304, no method of payment but none where the order is a gift.

Values that were ever seen in one row are in one group, by way of others, too. Where two columns of few values fall into several groups no
row has values of two. Of numbers that are many, 0 and one that stands out stand against all others. What the one column determines of
the other says `dependencies`, and where a column is null `emptied_by`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import number
from avh_ui.constraints.sql_text import literal
from avh_ui.inference.by_relation.cells import MOST_NAMES, Cells, Floats, Form, Mask, Mined
from avh_ui.inference.by_relation.relation import FormError, Relation, unless_null, written
from avh_ui.inference.by_relation.sides import ASIDE, DIFFERENT, EXPECTED, LEAST_ROWS, Value, among, words_of

# Each column is told with so many others: one may break in batches that are not mined.
_OFFERED = 2
# Of 64 columns 2,016 pairs take 0.1 seconds.
_COLUMNS = 64
# Of numbers that are many one stands for something else where so many times as many rows have it as the next one. The most frequent one
# alone was that of one row of New York's cases that every batch has.
_OFTEN = 5
# Of counts that are small together one comes to 0 before the other sooner or later. In 120 days of Italy's regions, 12 of which had 1 to 3
# patients, some of these always lay in wards; on 15 of the next 60 days all of a region's lay in intensive care. Where none of `LEAST_ROWS`
# different rows breaks it at most one of ten does (with 95 %).
_SMALL = 3
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Sorts:
    """A column's sorts of values: its few `values` by key, or `one` number and all others. `codes` say of each row which (-1: null, or of
    too few rows to tell), shape (m,), by place of `values`; of one number 0 is that one and 1 are all others.
    """

    of: str
    form: Form
    values: tuple[tuple[int, Value], ...]
    one: float | None
    codes: Codes

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.values) if self.one is None else 2

    def among(self, cells: Cells, some: Sequence[int]) -> Mask:
        """The rows of these sorts; `FormError` of values of another form."""
        if cells.form != self.form and not cells.null.all():
            raise FormError(self.of)
        if self.one is None:
            return np.isin(cells.keys, np.array([self.values[k][0] for k in some], dtype=np.uint64)) & ~cells.null
        its = np.zeros(len(cells.null), dtype=bool) if cells.numbers is None else cells.numbers == self.one
        return np.asarray((its if 0 in some else ~its) & ~cells.null)

    def sql(self, value: str, some: Sequence[int]) -> str:
        """In SQL that a value is of one of these sorts."""
        if self.one is None:
            return among(value, [self.values[k][1] for k in some])
        return f"{value} {'=' if 0 in some else '<>'} {literal(self.one)}"

    def words(self, some: Sequence[int]) -> str:
        """These sorts, as they read."""
        if self.one is None:
            return words_of([self.values[k][1] for k in some])
        return f"{'' if 0 in some else 'not '}{number(self.one)}"


Group = tuple[tuple[int, ...], tuple[int, ...]]


def going_together(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """For each column those that it goes together with, the shortest first, none of which determines the other."""
    told: dict[str, int] = {}
    sorts = [one for name in mined.varied[:_COLUMNS] if name not in without for one in _sorts(mined, name)]
    found = [(groups, a, b) for a, b in combinations(sorts, 2) if a.of != b.of and (groups := _groups(mined, a, b)) is not None]
    for groups, a, b in sorted(found, key=lambda one: _length(one[0])):
        # What has fewer words comes first: `fee is 0 exactly where plan is free`.
        told_of, by = (b, a) if b.one is not None and a.one is None else (a, b)
        if max(told.get(a.of, 0), told.get(b.of, 0)) < _OFFERED:
            told |= {one.of: told.get(one.of, 0) + 1 for one in (a, b)}
            yield _relation(mined, told_of, by, groups if told_of is a else [(theirs, ours) for ours, theirs in groups])


def _length(groups: Sequence[Group]) -> int:
    return sum(min(len(ours), len(theirs)) + len(theirs) for ours, theirs in groups)


def _sorts(mined: Mined, name: str) -> Iterator[Sorts]:
    """The few values of a column, or of many numbers those that stand out."""
    cells = mined.cells[name]
    if cells.form == "text":
        values: list[tuple[int, Value]] = sorted(cells.names.items(), key=lambda one: str(one[1]))
    elif cells.form == "time" or cells.numbers is None:
        return
    else:
        found, counts = np.unique(cells.numbers[~cells.null], return_counts=True)
        if len(found) > MOST_NAMES:
            for one in _standing_out(found, counts):
                yield Sorts(name, "number", (), one, np.where(cells.null, -1, cells.numbers != one).astype(np.int64))
            return
        values = [(int(np.float64(value + 0.0).view(np.uint64)), value + 0.0) for value in found.tolist()]
    if 1 < len(values) <= MOST_NAMES:
        kept = [(key, value, rows) for key, value in values if _tells(mined, rows := (cells.keys == key) & ~cells.null)]
        codes = np.full(mined.rows, -1, dtype=np.int64)
        for place, (_, _, rows) in enumerate(kept):
            codes[rows] = place
        if len(kept) > 1:
            yield Sorts(name, cells.form, tuple((key, value) for key, value, _ in kept), None, codes)


def _standing_out(found: Floats, counts: Codes) -> Iterator[float]:
    """Of many numbers 0, and the one that far more rows have than any other: 9,999 where nothing was measured."""
    second = np.sort(counts)[-2]
    for place in np.flatnonzero((found == 0) | (counts >= _OFTEN * second)).tolist():
        if counts[place] >= LEAST_ROWS and np.isfinite(found[place]):
            yield float(found[place]) + 0.0


def _tells(mined: Mined, rows: Mask) -> bool:
    return bool(rows.sum() >= LEAST_ROWS and 2 * len(np.unique(mined.batch[rows])) >= mined.batch[-1] + 1)


def _groups(mined: Mined, a: Sorts, b: Sorts) -> list[Group] | None:
    """The groups of sorts that go together, None where all are one, chance may be it, or a dependency says it."""
    both = (a.codes >= 0) & (b.codes >= 0)
    counts = np.bincount(a.codes[both] * b.count + b.codes[both], minlength=a.count * b.count).reshape(a.count, b.count)
    seen, rows = counts > 0, int(counts.sum())
    if seen.all() or not seen.any(axis=0).all() or not seen.any(axis=1).all():
        return None
    # One of few values that each value of the other has but one of is determined by it.
    if a.one is None and b.one is None and (np.all(seen.sum(axis=0) == 1) or np.all(seen.sum(axis=1) == 1)):
        return None
    groups = _parts(seen)
    sizes = [int(counts[list(ours)].sum()) for ours, _ in groups]
    left = int(mined.there(a.of, b.of).sum()) - rows
    if len(groups) < 2 or left > ASIDE * (rows + left) or any(size * (rows - size) < EXPECTED * rows for size in sizes):
        return None
    several = (mined.different(both & np.isin(a.codes, ours)) >= DIFFERENT for ours, _ in groups)
    return groups if all(several) and not _small_alike(mined, a, b) else None


def _small_alike(mined: Mined, a: Sorts, b: Sorts) -> bool:
    """Whether two counts are 0 together as they are small together, and too few different rows show that 0 is more than that. Where 0
    stands for something of its own hardly any row is near it.
    """
    if a.one != 0 or b.one != 0 or mined.places[a.of] != 0 or mined.places[b.of] != 0:
        return False
    one, other = (np.abs(mined.numbers(name)) for name in (a.of, b.of))
    small = [(numbers >= 1) & (numbers <= _SMALL) for numbers in (one, other)]
    near, zero = small[0] & small[1], (one == 0) & (other == 0)
    fewer = min(int(some.sum()) for some in small)
    if 2 * near.sum() < fewer or zero.sum() >= _OFTEN * near.sum():
        return False
    return mined.different(near) < LEAST_ROWS


def _parts(seen: Mask) -> list[Group]:
    """The rows and columns of a table of what was seen together, in parts that have nothing in common."""
    left, found = list(range(len(seen))), list[Group]()
    while left:
        ours: Mask = np.zeros(len(seen), dtype=bool)
        ours[left[0]] = True
        theirs: Mask = seen[left[0]]
        while not np.array_equal(more := np.asarray(seen[:, theirs].any(axis=1)), ours):
            ours, theirs = more, np.asarray(seen[more].any(axis=0))
        found.append((tuple(np.flatnonzero(ours).tolist()), tuple(np.flatnonzero(theirs).tolist())))
        left = [place for place in left if not ours[place]]
    return found


def _relation(mined: Mined, its: Sorts, by: Sorts, groups: Sequence[Group]) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        kept = np.ones(len(cells[its.of].null), dtype=bool)
        for ours, theirs in groups:
            there = by.among(cells[by.of], theirs)
            kept &= ~there | (its.among(cells[its.of], ours) if len(ours) == 1 else ~its.among(cells[its.of], _others(groups, ours)))
        return kept

    value, beside = written(mined, its.of), written(mined, by.of)
    conditions = []
    for ours, theirs in groups:
        own = its.sql(value, ours) if len(ours) == 1 else f"NOT ({its.sql(value, _others(groups, ours))})"
        conditions.append(f"(NOT ({by.sql(beside, theirs)}) OR {own})")
    columns = its.of, by.of
    return Relation("together", columns, _says(mined, its, by, groups), unless_null(columns, " AND ".join(conditions)), keeps)


def _others(groups: Sequence[Group], ours: Sequence[int]) -> tuple[int, ...]:
    return tuple(sort for others, _ in groups if others != ours for sort in others)


def _says(mined: Mined, its: Sorts, by: Sorts, groups: Sequence[Group]) -> str:
    """What follows from the others is not said: all other numbers than one, else the group of the most values."""
    last = max(
        groups, key=lambda group: (*(one.one is not None and 1 in some for one, some in zip((its, by), group, strict=True)), _size(group))
    )
    first, *more = (f"{its.words(ours)} exactly where {{}} is {by.words(theirs)}" for ours, theirs in groups if (ours, theirs) != last)
    some = int(np.count_nonzero((its.codes < 0) | (by.codes < 0))) > int(np.count_nonzero(~mined.there(its.of, by.of)))
    said = ", ".join((first.format(by.of), *(one.format("it") for one in more)))
    return f"{its.of} is {said}{' (rarer values aside)' if some else ''}"


def _size(group: Group) -> int:
    return len(group[0]) + len(group[1])
