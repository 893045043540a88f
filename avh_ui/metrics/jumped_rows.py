"""Rows that jump alone: far, to 0, or to the other sign, while most rows of the column barely move.

What rows of mistakes ask for is ten times as much, or 0 or the other sign after a large number. A unit in one row, a tenth of what was
there, and a small rate at 0 or with a minus are none of these, and as plain where hardly anything else moves.
"""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.marked_rows import Marked
from avh_ui.metrics.matched_numbers import Mask, MatchedNumbers
from avh_ui.metrics.matching import MatchedChange
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.ranks import quantile_of
from avh_ui.metrics.remembering import kept_beside
from avh_ui.metrics.row_mistakes import FEW, LEAP, not_small
from avh_ui.metrics.sampled_values import TIME
from avh_ui.metrics.scales import apart, rooted
from avh_ui.metrics.wording import seldom

TIMES = Parameter("times", "above 1", lambda v: isinstance(v, int | float) and v > 1, optional=True, of_value=True)
# Alone is a row whose factor is so many times that of nine in ten of the others, on the log scale, of which there are so many.
_FARTHER, _OTHERS, _LEAST = 4.0, 0.9, 8
# A count errs by 0.5 on the scale of square roots (Poisson): 3 is no multiple of 2.
_APART = 2.0


def jumped(change: MatchedChange, times: float = LEAP, part: float = 1.0) -> Mask:
    """In which matched rows, shape (m,), a number that is not small became so many `times` as large, a part so small, 0, or one of the
    other sign, and most others moved by far less; or went so large a `part` of that way, on the log scale.
    """
    nothing = np.zeros(change.rows, dtype=bool)
    if not change.numeric or change.still or change.ours.form == TIME:
        return nothing
    far, steps = (table[change.at] for table in _factors(change.numbers))
    way = float(np.log(times))
    jumps = far & (steps >= part * way)
    if not jumps.any():
        return nothing
    others = steps[change.both & ~jumps & np.isfinite(steps)]
    return jumps if len(others) >= np.count_nonzero(jumps) and _least_alone(others) <= way else nothing


def farthest(change: MatchedChange) -> float:
    """How far such a number went that went farthest, on the log scale, whatever the others did; 0 of none."""
    if not change.numeric or change.still or change.ours.form == TIME:
        return 0.0
    moved, steps = (table[change.at] for table in _factors(change.numbers))
    return float(steps[moved].max(initial=0.0))


def barely_moves(change: MatchedChange, times: float = LEAP) -> bool:
    """Whether a row that becomes so many `times` as large would be alone: what a batch in which it would not says nothing of."""
    if not change.numeric:
        return False
    return _usual(change) <= float(np.log(times))


@kept_beside
def _usual(change: MatchedChange) -> float:
    steps = _factors(change.numbers)[1][change.at]
    return _least_alone(steps[change.both & np.isfinite(steps)])


def _least_alone(others: Floats) -> float:
    """How far a row moves at least that does so alone beside these; infinite beside too few."""
    return _FARTHER * quantile_of(np.sort(others), _OTHERS) if len(others) >= _LEAST else np.inf


@kept_beside
def _factors(numbers: MatchedNumbers) -> tuple[Mask, Floats]:
    """By column in which rows a number that is not small may have jumped, and the logarithms of the factors that they moved by: infinite to
    and from 0 and where such a number changed its sign, and 0 where both are 0.
    """
    then, now = np.abs(numbers.before), np.abs(numbers.after)
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(then == now, 0.0, np.abs(np.log(now) - np.log(then)))
    far = numbers.both & (then > 0) & (then >= not_small(numbers)[:, None])
    turned, whole = far & (numbers.after * np.sign(numbers.before) < 0), np.array(numbers.sizes[2])[:, None]
    moved = np.where(turned, rooted(now) + rooted(then), apart(rooted(now), rooted(then)))
    return far & (~whole | ((np.maximum(then, now) >= FEW) & (moved >= _APART))), np.where(turned, np.inf, steps)


ALONE = Marked(lambda change, **given: jumped(change, **given) if change.numeric else None, "rows that jump alone in {}")
JUMPED_ROWS = ALONE.metric(
    "jumped_rows", "share of the matched rows that jump alone in one of these columns: far, to 0, or to the other sign, where most do not",
    seldom(
        "Of the rows that both batches have: how many jump alone in one of these columns. A number that is not small becomes so many times "
        "as large or more, a part so small, 0, or one of the other sign, while nine in ten of the other rows move by a fourth of that at "
        "most, on a log scale.",
        "the share of rows that jump alone in {columns}",
        "In at most {high} of the rows matched by {key} does a large value of {columns} change by {times} or more",
        "No large value of {columns} changes by {times} or more in the rows matched by {key}",
    ),
    least=1, of_faults=True, of_quantities=True, each="jumped_rows", parameters=(TIMES,),
)  # fmt: skip
