"""Which columns may make which, by few rows: of 800 columns there are 500 million threes, and nearly all fail in the first row.

What is looked at in full is what a look at the first rows leaves; nothing that holds in all rows is lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.cells import Floats

Places = NDArray[np.int64]
# So many rows rule out nearly all pairs of columns: what determines what among 300 columns of texts takes 0.16 seconds and not 1.36.
FIRST = 64
# A number is looked for so much farther than it may be off, since ends of an interval are rounded.
_ROUNDING = 1e-12
# So few pairs are looked at as they are: of 808 columns with a fifth of nulls one look took 3.3 ms with 256, 2.4 with 1,024 or 2,048, and
# 3.1 with 8,192.
_FEW = 2_048


def spread(table: Floats, rows: int) -> Places:
    """The places of about so many rows of the half of them that have the most values other than 0; of shape (columns, rows)."""
    full = np.argsort(np.sum((table == 0) | np.isnan(table), axis=0), kind="stable")
    some = full[: max(rows, len(full) // 2)]
    return some[:: max(1, len(some) // rows)]


def fitting(table: Floats, slack: Floats, made: Floats, totals: Places, others: Places) -> tuple[Places, Places]:
    """The pairs of `totals`, columns of `table`, and `others`, columns of what is `made`, that are at most `slack` apart in every row; all
    three of shape (columns, rows). Where one of them is NaN nothing is known.
    """
    left, right = (np.concatenate(side) for side in zip(*_perhaps(table, slack, made, totals, others, 0), strict=True))
    for row in range(table.shape[1]):
        with np.errstate(invalid="ignore"):
            fits = ~(np.abs(table[left, row] - made[right, row]) > slack[left, row])
        left, right = left[fits], right[fits]
        if not len(left):
            break
    return left, right


def _perhaps(table: Floats, slack: Floats, made: Floats, totals: Places, others: Places, row: int) -> list[tuple[Places, Places]]:
    """Pairs, all that fit among them, each once: by the numbers of one row in their order, and where one of them tells nothing by the rows
    after it.
    """
    if len(totals) * len(others) <= _FEW or row == table.shape[1]:
        return [(np.repeat(totals, len(others)), np.tile(others, len(totals)))]
    mine, its, wanted = table[totals, row], slack[totals, row], made[others, row]
    # Infinity is as far off as may be.
    told, known = np.isfinite(mine) & np.isfinite(its), ~np.isnan(wanted)
    some, order = totals[told], np.argsort(wanted)[: np.count_nonzero(known)]
    reach = its[told] * (1 + _ROUNDING) + np.abs(mine[told]) * _ROUNDING
    ordered = wanted[order]
    first, last = np.searchsorted(ordered, mine[told] - reach, "left"), np.searchsorted(ordered, mine[told] + reach, "right")
    counts = last - first
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts - first, counts)
    found = [(np.repeat(some, counts), others[order[within]])]
    for rest, beside in ((totals[~told], others), (some, others[~known])):
        found += _perhaps(table, slack, made, rest, beside, row + 1)
    return found
