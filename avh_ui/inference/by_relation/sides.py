"""Which values of a column go with what is so of another in a row, and which with what is not: all of its values the one or the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import number
from avh_ui.constraints.sql_text import literal
from avh_ui.inference.by_relation.cells import MOST_NAMES, Cells, Form, Mask, Mined
from avh_ui.inference.by_relation.relation import FormError, written

# A value is told of where it has so many rows, in half of the batches.
LEAST_ROWS = 30
# So many of the rows would be of the other sort by chance: none is then by chance once in e^20.
EXPECTED = 20
# So many different rows of each sort. A row that comes again in each batch is one: that age_35_44 is null exactly where age_0_4 is 0 rested
# on the first two weeks of New York's rates, which 59 batches had.
DIFFERENT = 5
# Of one column so many others are offered: one may break in batches that are not mined.
_OFFERED = 2
# Values of fewer rows are left aside, where they make at most this share of all: of 900 parcels a day there is not always a returned one.
ASIDE = 0.05
# So many values are named in a sentence.
_NAMED = 5
# Of numbers that are many: all but 0.
NOT_ZERO = "not 0"

Value = str | bool | float


@dataclass(frozen=True)
class Sides:
    """By key the values of the column `of`, of this form, beside which something is always so, and those beside which it never is. A column
    that is `split` has 0 and all other numbers for values. Of rarer ones left `aside` too few rows tell.
    """

    of: str
    form: Form
    so: Mapping[int, Value]
    never: Mapping[int, Value]
    split: bool
    aside: bool = False

    @property
    def length(self) -> int:
        """Of how many values the shorter list is."""
        return min(len(self.so), len(self.never))

    def rows(self, cells: Mapping[str, Cells]) -> tuple[Mask, Mask]:
        """In which rows it has to be so, and in which not: neither of null or a new value. `FormError` of values of another form."""
        its = cells[self.of]
        if its.form != self.form and not its.null.all():
            raise FormError(self.of)
        keys = _keys(its, split=self.split)
        so, never = (np.isin(keys, np.array(list(side), dtype=np.uint64)) & ~its.null for side in (self.so, self.never))
        return so, never

    def condition(self, mined: Mined, so: str, never: str) -> str:
        """In SQL that `so` holds beside the one values and `never` beside the others."""
        value = written(mined, self.of)
        told = ((self.so, so), (self.never, never))
        return " AND ".join(f"(NOT ({among(value, tuple(side.values()))}) OR {what})" for side, what in told)

    def says(self, so: str, never: str) -> str:
        """What is so `exactly where` the column has the values of the shorter list; `so` and `never` are words for both."""
        ours, others = (words_of(tuple(side.values())) for side in (self.so, self.never))
        shorter = len(self.so) <= len(self.never) and ours != NOT_ZERO
        aside = " (rarer values aside)" if self.aside else ""
        return f"{so if shorter else never} exactly where {self.of} is {ours if shorter else others}{aside}"


@dataclass(frozen=True)
class Valued:
    """The column `of` with its few `values` by key, or `split`, and the `keys` of all rows."""

    of: str
    split: bool
    values: Mapping[int, Value]
    keys: NDArray[np.uint64]


def valued(mined: Mined, names: Iterable[str]) -> list[Valued]:
    """Those of the columns that have few values: looked at once for all columns that may follow them."""
    found = ((name, *_values(mined.cells[name])) for name in names)
    return [Valued(name, split, values, _keys(mined.cells[name], split=split)) for name, split, values in found if values]


def sides_of(mined: Mined, so: Mask, among: Mask, by: Valued) -> Sides | None:
    """Which values of a column go with rows that are `so` of those `among` which it is told, beside a few that are too rare to tell; None
    where some go with both.
    """
    cells, keys, values = mined.cells[by.of], by.keys, by.values
    known = among & ~cells.null
    sides: tuple[dict[int, Value], dict[int, Value]] = ({}, {})
    rows, told = [0, 0], np.zeros(mined.rows, dtype=bool)
    for key, value in sorted(values.items(), key=lambda one: (isinstance(one[1], str), one[1])):
        mine = known & (keys == key)
        those, count = int(so[mine].sum()), int(mine.sum())
        if those not in (0, count):
            return None
        if count < LEAST_ROWS or 2 * len(np.unique(mined.batch[mine])) < mined.batches:
            continue
        sides[0 if those else 1][key] = value
        rows[0 if those else 1] += count
        told |= mine
    left = int(known.sum()) - sum(rows)
    if left > ASIDE * known.sum() or not all(rows) or rows[0] * rows[1] < EXPECTED * sum(rows):
        return None
    several = all(mined.different(told & sort) >= DIFFERENT for sort in (so, ~so))
    return Sides(by.of, cells.form, *sides, by.split, left > 0) if several else None


def offered(found: Iterable[Sides | None]) -> list[Sides]:
    """Of what was found for one column the shortest lists."""
    return sorted((sides for sides in found if sides is not None), key=lambda one: one.length)[:_OFFERED]


def _values(cells: Cells) -> tuple[bool, Mapping[int, Value]]:
    """By key the few values of a column. Of many numbers that are not negative 0 and all others, which is then true."""
    if cells.form == "text":
        return False, cells.names
    if cells.form == "time" or cells.numbers is None:
        return False, {}
    found = np.unique(cells.numbers[~cells.null]) + 0.0
    if len(found) <= MOST_NAMES:
        return False, dict(zip(found.view(np.uint64).tolist(), found.tolist(), strict=True))
    return True, {0: 0.0, 1: NOT_ZERO} if found[0] == 0 and np.isfinite(found).all() else {}


def _keys(cells: Cells, *, split: bool) -> NDArray[np.uint64]:
    return (cells.numbers != 0).astype(np.uint64) if split and cells.numbers is not None else cells.keys


def among(value: str, values: Sequence[Value]) -> str:
    """In SQL that it is one of them."""
    return f"{value} <> 0" if values == (NOT_ZERO,) else f"{value} IN ({', '.join(map(literal, values))})"


def words_of(values: Sequence[Value]) -> str:
    """The values as they read, the first few of many."""
    named = [str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else number(value) for value in values]
    if len(named) > _NAMED:
        return f"{', '.join(named[:_NAMED])} or one of {len(named) - _NAMED:,} more"
    return " or ".join((", ".join(named[:-1]), named[-1])) if len(named) > 1 else "".join(named)
