"""One column is another times a constant, or that and a constant more: 1.19 x net, 1.8 x celsius + 32, within what both are rounded to.

The constants are not tried, they are told: rounding lets each row say between which lines it lies, and where all rows have some in common
the one of the fewest digits is it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.line_fitting import LEAST_ROWS, TOTALS, Pair
from avh_ui.inference.by_relation.lines import Line
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null
from avh_ui.inference.by_relation.rounding import Rounding
from avh_ui.inference.by_relation.screening import spread

# Rows that rule out nearly all pairs of columns, and of these the first ones.
_SCREENED, _FIRST = 64, 16
# So many times as far apart as rounding may move them are two rows that tell a slope.
_TELLING = 10.0


def linear(mined: Mined, without: set[str], added: Collection[Relation], told: Collection[frozenset[str]]) -> Iterator[Relation]:
    """Of columns of which each is a line of another the one that says most with each of the others; none that follows from these and from
    what is `added` up: of net, tax and gross one rate says both. Nor any of two that are `told` to make each other.
    """
    table = {name: mined.numbers(name) for name in mined.numeric if name not in without}
    rounded = {name: Rounding.of(mined, name) for name in table}
    names = sorted((name for name in table if _tells(table[name], rounded[name])), key=lambda name: finest(mined, name))
    if len(names) < 2:
        return
    classes = _Classes(added)
    screen = _Screen([table[name] for name in names], [rounded[name] for name in names])
    for place, base in enumerate(names[:-1]):
        for other in (names[place + 1 + k] for k in screen.perhaps(place)):
            if classes.same(base, other) or frozenset((base, other)) in told:
                continue
            found = _line(mined, (base, other), table, rounded)
            # What is left over where digits are cut off is the third column of such a sum: 100 x hour + minute.
            if found is not None and not (found.shift and any({base, other} <= {*one.columns} for one in added)):
                classes.join(base, other)
                yield _relation(mined, found)


def finest(mined: Mined, name: str) -> tuple[int, int, int]:
    """By what columns are ordered so that the first of some that are lines of one another says most: it is there, and has most values."""
    cells = mined.cells[name]
    return int(cells.null.sum()), -len(np.unique(cells.keys[~cells.null])), list(mined.cells).index(name)


def told_by(mined: Mined, lines: Collection[Relation]) -> dict[str, str]:
    """By column that is a line of another one that other one."""
    pairs = (sorted(line.columns, key=lambda name: finest(mined, name)) for line in lines)
    return {other: base for base, other in pairs}


class _Classes:
    """Columns of which each is a line of the others: what is added up of such ones, but for one column, makes this one such, too."""

    def __init__(self, added: Collection[Relation]) -> None:
        self._class: dict[str, str] = {}
        self._added = [one.columns for one in added]

    def same(self, one: str, other: str) -> bool:
        return self._of(one) == self._of(other)

    def join(self, one: str, other: str) -> None:
        self._class[self._of(other)] = self._of(one)
        for columns in self._added:
            classes = [self._of(name) for name in columns]
            for left in set(classes):
                rest = [name for name, its in zip(columns, classes, strict=True) if its != left]
                if len(rest) == 1 and len(set(classes)) == 2:
                    return self.join(left, rest[0])
        return None

    def _of(self, name: str) -> str:
        while name in self._class:
            name = self._class[name]
        return name


class _Screen:
    """Few rows of all columns, which rule out nearly all pairs: a row between two others lies between what they have."""

    def __init__(self, columns: list[Floats], rounded: list[Rounding]) -> None:
        table = np.stack(columns)
        self._table = table[:, spread(table, _SCREENED)]
        self._slack = np.stack([one.loose.slack(row) for one, row in zip(rounded, self._table, strict=True)])

    def perhaps(self, place: int) -> list[int]:
        """Which columns after this one may be a line of it, by how far they stand after it."""
        every = np.arange(place + 1, len(self._table))
        for rows in (slice(None, None, max(1, self._table.shape[1] // _FIRST)), slice(None)):
            every = every[self._fits(place, every, rows)]
        return (every - place - 1).tolist()

    def _fits(self, place: int, others: np.ndarray, rows: slice) -> Mask:
        x, dx = self._table[place, rows], self._slack[place, rows].max(initial=0.0, where=np.isfinite(self._slack[place, rows]))
        y, dy = self._table[others, rows], self._slack[others, rows]
        there, at = ~np.isnan(y) & ~np.isnan(x), np.arange(len(others))
        left = np.argmin(np.where(there, x, np.inf), axis=1)
        right = np.argmax(np.where(there, x, -np.inf), axis=1)
        with np.errstate(all="ignore"):
            wide, high = x[right] - x[left], y[at, right] - y[at, left]
            off = np.where(there, dy, 0.0).max(axis=1)
            steepest = (np.abs(high) + 2 * off) / (wide - 2 * dx)
            made = y[at, left][:, None] + (high / wide)[:, None] * (x - x[left][:, None])
            wrong = np.any(there & (np.abs(y - made) > (2 * (off + steepest * dx))[:, None]), axis=1)
            return np.asarray(~(wrong & (wide >= _TELLING * dx)))


def _tells(values: Floats, rounding: Rounding) -> bool:
    """Whether a column has numbers enough that are different by more than rounding makes them."""
    known = values[np.isfinite(values)]
    return len(known) >= LEAST_ROWS and len(np.unique(known)) >= TOTALS and bool(np.ptp(known) > rounding.slack(known).max())


def _line(mined: Mined, names: tuple[str, str], table: Mapping[str, Floats], rounded: Mapping[str, Rounding]) -> Line | None:
    there = mined.there(*names)
    return Pair({name: table[name][there] for name in names}, {name: rounded[name] for name in names}, mined.batch[there]).line()


def _relation(mined: Mined, line: Line) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return np.asarray(line.apart(numbers(cells, line.y), numbers(cells, line.x)) <= line.half)

    columns = (line.y, line.x)
    there = mined.there(*columns)
    said = line.words(exact=line.exact(*(mined.numbers(name)[there] for name in columns)))
    return Relation("linear", columns, said, unless_null(columns, line.condition(*(reckoned(mined, name) for name in columns))), keeps)
