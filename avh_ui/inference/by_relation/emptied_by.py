"""A column is null exactly where another has certain values: the day of sending where the status is not sent, a coupon where the discount
is 0.

What holds of some of the values alone is not taken: of a year of earthquakes 5 % of the batches broke it, whose sources leave a number out
now and then, and notes that a region never had came in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import number
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.inference.by_relation.cells import MOST_NAMES, Cells, Mask, Mined
from avh_ui.inference.by_relation.relation import FormError, Relation, unless_null, written

# A value is told of where it has so many rows, in half of the batches.
_LEAST_ROWS = 30
# So many of the rows would be of the other sort by chance: none is then by chance once in e^20.
_EXPECTED = 20
# Of one column so many others are offered: one may break in batches that are not mined.
_OFFERED = 2
# So many values are named in a sentence.
_NAMED = 5
# Of numbers that are many: all but 0.
_NOT_ZERO = "not 0"

Value = str | bool | float


@dataclass(frozen=True)
class _Sides:
    """By key the values of a column beside which another is always `null`, and those beside which it is always `there`. A column that is
    `split` has 0 and all other numbers for values.
    """

    null: Mapping[int, Value]
    there: Mapping[int, Value]
    split: bool

    @property
    def length(self) -> int:
        """Of how many values the shorter list is."""
        return min(len(self.null), len(self.there))


def emptied_by(mined: Mined) -> Iterator[Relation]:
    """For each column that has nulls, those that say in which rows, the shortest first; of columns that are null together the first."""
    told = set[bytes]()
    for name, cells in mined.cells.items():
        mask = cells.null.tobytes()
        if mask in told or not _EXPECTED <= cells.null.sum() <= mined.rows - _EXPECTED:
            continue
        told.add(mask)
        sides = [(other, _sides(mined, cells.null, other)) for other in mined.varied if mined.cells[other].null.tobytes() != mask]
        found = sorted(((other, split) for other, split in sides if split is not None), key=lambda one: one[1].length)
        yield from (_relation(mined, name, other, split) for other, split in found[:_OFFERED])


def _sides(mined: Mined, null: Mask, other: str) -> _Sides | None:
    """Which values of a column go with nulls of another; None where some go with both, or are too rare to tell."""
    cells = mined.cells[other]
    split, values = _values(cells)
    keys, known, batches = _keys(cells, split=split), ~cells.null, len(np.unique(mined.batch))
    sides: tuple[dict[int, Value], dict[int, Value]] = ({}, {})
    rows = [0, 0]
    for key, value in sorted(values.items(), key=lambda one: (isinstance(one[1], str), one[1])):
        mine = known & (keys == key)
        nulls, count = int(null[mine].sum()), int(mine.sum())
        if count < _LEAST_ROWS or nulls not in (0, count) or 2 * len(np.unique(mined.batch[mine])) < batches:
            return None
        sides[0 if nulls else 1][key] = value
        rows[0 if nulls else 1] += count
    all_told = sum(rows) == int(known.sum())
    return _Sides(*sides, split) if all_told and all(rows) and rows[0] * rows[1] >= _EXPECTED * sum(rows) else None


def _values(cells: Cells) -> tuple[bool, Mapping[int, Value]]:
    """By key the few values of a column. Of many numbers that are not negative 0 and all others, which is then true."""
    if cells.form == "text":
        return False, cells.names
    if cells.form == "time" or cells.numbers is None:
        return False, {}
    found = np.unique(cells.numbers[~cells.null]) + 0.0
    if len(found) <= MOST_NAMES:
        return False, dict(zip(found.view(np.uint64).tolist(), found.tolist(), strict=True))
    return True, {0: 0.0, 1: _NOT_ZERO} if found[0] == 0 and np.isfinite(found).all() else {}


def _keys(cells: Cells, *, split: bool) -> NDArray[np.uint64]:
    return (cells.numbers != 0).astype(np.uint64) if split and cells.numbers is not None else cells.keys


def _relation(mined: Mined, name: str, other: str, sides: _Sides) -> Relation:
    form = mined.cells[other].form
    null, there = (np.array(list(keys), dtype=np.uint64) for keys in (sides.null, sides.there))

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        its, gone = cells[other], cells[name].null
        if its.form != form and not its.null.all():
            raise FormError(other)
        keys = _keys(its, split=sides.split)
        wrong = (np.isin(keys, null) & ~gone) | (np.isin(keys, there) & gone)
        return np.asarray(its.null | ~wrong)

    value = written(mined, other)
    told = ((sides.null, "NULL"), (sides.there, "NOT NULL"))
    parts = [f"(NOT ({_among(value, tuple(v.values()))}) OR {quoted(name)} IS {what})" for v, what in told]
    condition = unless_null((other,), " AND ".join(parts))
    return Relation("filled", (name, other), _said(name, other, sides), condition, keeps, of_nulls=True)


def _among(value: str, values: Sequence[Value]) -> str:
    """In SQL that it is one of them."""
    return f"{value} <> 0" if values == (_NOT_ZERO,) else f"{value} IN ({', '.join(map(literal, values))})"


def _said(name: str, other: str, sides: _Sides) -> str:
    null, there = (_words(tuple(values.values())) for values in (sides.null, sides.there))
    by_null = len(sides.null) <= len(sides.there) and null != _NOT_ZERO
    return f"{name} is {'null' if by_null else 'there'} exactly where {other} is {null if by_null else there}"


def _words(values: Sequence[Value]) -> str:
    named = [str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else number(value) for value in values]
    if len(named) > _NAMED:
        return f"{', '.join(named[:_NAMED])} or one of {len(named) - _NAMED:,} more"
    return " or ".join((", ".join(named[:-1]), named[-1])) if len(named) > 1 else "".join(named)
