"""A constraint over several steps: its bounds where a batch is compared with one further back, since those between failed or never came."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.history.series import Series

# Up to this share the rows that change may be others in each batch.
_OTHER_ROWS = 0.25


def over_steps(constraint: Constraint, steps: int, changes: Series | None = None) -> Constraint:
    """The constraint on the change over so many times its lag, or against a batch so many steps before. `changes` are those of single
    steps that its bounds were learned from, in the order of their batches; None where they are not known.

    Without it what grows fails each day after a failure, further from the batch that it is compared with. The bounds are those of any
    number of steps up to these: what failed or never came may have brought nothing that grows.
    """
    if steps == 1:
        return constraint
    if not constraint.transform.lag:
        return _adding_up(constraint, steps)
    numbers = np.arange(1, steps + 1, dtype=np.float64)
    # Where no change is known, each step may be as large as a step may be.
    drift, spread = 0.0, numbers
    if changes is not None and len(changes):
        drift, spread = float(changes.mean()), _spread(changes, steps, constraint.transform.lag)
    lower, upper = constraint.lower, constraint.upper
    # Of one step they are as they are, to the last bit.
    low = None if lower is None else min(lower, float((numbers * drift + spread * (lower - drift)).min()))
    high = None if upper is None else max(upper, float((numbers * drift + spread * (upper - drift)).max()))
    return replace(constraint, lower=low, upper=high)


def _spread(changes: Series, steps: int, lag: int) -> Series:
    """How many times as far from their mean the sums of 1, 2, ... `steps` changes are as single changes: at least as a random walk, at most
    as what repeats itself. Changes of a `lag` that follow upon each other are so many places apart.
    """
    numbers = np.arange(1, steps + 1, dtype=np.float64)
    least, found = np.sqrt(numbers), numbers.copy()
    off = changes - changes.mean()
    single = float(np.abs(off).max())
    if single == 0:
        return least
    sums, taken = off, 1
    # Of fewer sums than terms nothing is learned.
    while taken <= steps and len(sums) > taken:
        found[taken - 1] = float(np.abs(sums).max()) / single
        later = off[taken * lag :]
        sums, taken = sums[: len(later)] + later, taken + 1
    return np.clip(found, least, numbers)


def _adding_up(constraint: Constraint, steps: int) -> Constraint:
    """The constraint on a share of rows against a batch so many steps before: where p of the rows change in a batch, 1 - (1 - p)^steps of
    them have after so many, and where they are others each time, steps * p. On an invented table of stock a change failed on 20 days,
    until it was answered, and on 13 of them other rules did too, since each day was further away; now on none.

    As many rows leave a window as change in it, so that these are a share of fewer: of 91 days a day changes 1 of the 90 that were there
    the day before, and four days change 4 of 87, 4.60 % and not 4.44 %. 4 of 698 quiet batches of such a window alarmed.
    """
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is None or not declared.adds_up or constraint.upper is None:
        return constraint
    share = min(constraint.upper, 1.0)
    left = 1 - steps * share
    # Of larger shares that would soon let all rows pass.
    others = min(steps * share * (1 - share) / left, _OTHER_ROWS) if left > 0 else _OTHER_ROWS
    return replace(constraint, upper=max(1 - (1 - share) ** steps, others))
