"""Which values of other columns carry a change between two batches: each with its share of it, told from the states alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import TEXT_KINDS, Floats
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.matching import Matched, changes
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.row_groups import codes_of
from avh_ui.metrics.row_sample import RowSample

# So many are read at a glance.
LISTED = 10
# A column of more values names rows, and no groups of them.
_VALUES = 200
# A value that carries less beyond its own size is noise: a tenth of the change.
_BEYOND = 0.1
# So many standard errors more than rows drawn at random would carry: by chance in 1 of 30,000 groups, of which a table has hundreds. Of 91
# days, 25 of which fell to 0 in one district, another district's days with 12 cases carried 31 % instead of their 16 %: 2 standard errors.
_SURE = 4.0
# In a small table nothing is so sure: there a group that carries nearly all of the change is told. What held nearly all is no group.
_ALL = 0.9
# A row is in some group of every column: what one row did names none of them, and its own group of 93.7 % of the rows looked as sure as a
# group of 6.3 %. So many rows' worth of change must be of a group, of which the rows of two regions at 30 and 10 are 1.6.
_ROWS = 1.5
# A group that holds most rows has what happened to few of them by luck: it is named where rows at random would all be of it less often.
_LUCK = 0.1


@dataclass(frozen=True)
class Contribution:
    """One value of a column: its number `before` and `after`, and its `share` of the whole change; `size` is its share of what was there
    before, so that a value that merely changed as all others did has the same for both.
    """

    column: str
    value: str
    before: float
    after: float
    share: float
    size: float

    @property
    def beyond(self) -> float:
        """How much more of the change it carries than its size explains."""
        return self.share - self.size


def of_rows(ours: Mapping[str, ColumnProfile], theirs: Mapping[str, ColumnProfile], limit: int = LISTED) -> list[Contribution]:
    """Whose rows came or went: values of text columns by their share of the change in rows, those first that carry most beyond their size.

    Columns of many values, and those that are not counted exactly, are left out; nothing where no rows came or went.
    """
    found: list[Contribution] = []
    for name, column in ours.items():
        other = theirs.get(name)
        if other is None or column.kind not in TEXT_KINDS or other.kind != column.kind:
            continue
        now, then = find(column.states, FrequencyState), find(other.states, FrequencyState)
        if now is None or then is None or not (now.exact and then.exact):
            continue
        values = list(dict.fromkeys((*then.table, *now.table)))
        if len(values) > min(_VALUES, max(now.n, then.n) // 2):
            continue
        before, after = (np.array([table.get(v, 0) for v in values], dtype=np.float64) for table in (then.table, now.table))
        found += _shares(name, values, before, after)
    return _ranked(found, limit)


def of_numbers(ours: RowSample, theirs: RowSample, column: str, limit: int = LISTED) -> list[Contribution]:
    """Whose numbers changed: values of other columns by their share of the change of a column's sum, over the rows of both samples.

    Nothing where it holds no numbers, or the sum is as it was.
    """
    if ours.hashed or theirs.hashed or not {column} <= ours.columns.keys() & theirs.columns.keys():
        return []
    change = changes(Matched(ours, column), Matched(theirs, column))
    if change is None or not change.numeric:
        return []
    before, after = np.nan_to_num(change.before), np.nan_to_num(change.after)
    found: list[Contribution] = []
    for name in (name for name in theirs.columns if name != column):
        values = theirs.columns[name].take(change.joined.theirs)
        codes, count = codes_of(values)
        if not 1 < count <= min(_VALUES, change.rows // 2):
            continue
        sums: list[Floats] = [np.bincount(codes, weights=side, minlength=count).astype(np.float64) for side in (before, after)]
        sure = _beyond_chance(codes, before, after)
        first = np.unique(codes, return_index=True)[1][sure]
        found += _shares(name, [values.shown(int(at)) for at in first], sums[0], sums[1], sure)
    return _ranked(found, limit)


def _beyond_chance(codes: NDArray[np.int64], before: Floats, after: Floats) -> NDArray[np.bool_]:
    """By group whether its rows carry surely more of the change than as many drawn at random would, beyond what their size explains; or
    nearly all of it. A group that one row carries, or that has the rows by luck since most rows are of it, is none.
    """
    moved, whole = after - before, float(np.sum(np.abs(before))) or 1.0
    total, rows = float(np.sum(moved)), len(moved)
    beyond = (moved - total * np.abs(before) / whole) * np.sign(total)
    drawn = np.bincount(codes).astype(np.float64)
    error = np.sqrt(drawn * (rows - drawn) / max(rows - 1, 1) * np.var(beyond))
    found: NDArray[np.bool_] = np.bincount(codes, weights=beyond) > _SURE * error
    if total:
        found |= np.bincount(codes, weights=moved) / total >= _ALL
    carrying = _rows_worth(codes, np.maximum(beyond, 0.0))
    return found & (carrying >= _ROWS) & ((drawn / rows) ** carrying <= _LUCK)


def _rows_worth(codes: NDArray[np.int64], weights: Floats) -> Floats:
    """By group how many rows of equal weight its rows are worth, 1 where one has all of it: the squared sum by the sum of squares."""
    sums, squares = (np.bincount(codes, weights=weights**power) for power in (1, 2))
    worth: Floats = np.divide(sums**2, squares, out=np.zeros_like(sums), where=squares > 0)
    return worth


def _shares(
    column: str, values: list[str], before: Floats, after: Floats, among: NDArray[np.bool_] | None = None
) -> Iterator[Contribution]:
    """`values` name those `among` the groups that may carry it."""
    moved, total = after - before, float(np.sum(after - before))
    if not total:
        return
    whole = float(np.sum(np.abs(before))) or 1.0
    if among is not None:
        before, after, moved = before[among], after[among], moved[among]
    for at in range(len(values)):
        share, size = float(moved[at]) / total, abs(float(before[at])) / whole
        if share - size >= _BEYOND and size <= _ALL:
            yield Contribution(column, values[at], float(before[at]), float(after[at]), share, size)


def _ranked(found: list[Contribution], limit: int) -> list[Contribution]:
    def place(one: Contribution) -> tuple[Any, ...]:
        # What moved against the others may carry more than all of it; of equals the larger group says more.
        return -min(one.beyond, 1.0), -one.size, one.column, one.value

    return sorted(found, key=place)[:limit]
