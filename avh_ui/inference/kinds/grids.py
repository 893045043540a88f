"""Numbers on a grid: each of them as often as every other in each batch, as the hours of a day or the quantiles of a forecast are.

The average of such is the same by design and says nothing: "the average hour is always 12.5". What says all is which values there are.
"""

from __future__ import annotations

import numpy as np

from avh_ui.inference.kinds.facts import ColumnFacts
from avh_ui.metrics.moments import MAX, MEAN, MIN, STANDARD_DEVIATION

# A day of 23 hours, or one whose file is cut, is no other table: as many batches as this are whole.
_MOST = 0.9
# Of two values, half of the rows each, amounts may be, too; and in fewer batches anything is alike.
_VALUES, _BATCHES = 3, 7
# Where each value is there once, numbers from 0 or 1 on tell a grid from a list of amounts that nobody changes.
_ROUNDING = 1e-9
# Of numbers that are not rounded a fifth ends in 0 or 5: of 3,789 speeds of planes in knots 94 % did, and one value in six did not.
_ROUND, _ROUNDED, _OTHERS = 5, 0.6, 0.05
# And nearly all of numbers rounded to tens do, of which no neighbour is there for that: areas in square feet were taken for codes.
_TENS = 10.0
# One account of a dozen that is not round is no habit.
_SOME = 5


def grid(facts: ColumnFacts) -> str | None:
    """Why its values are a grid: the same in nearly all batches, each as often as the others; None where they are not."""
    values = facts.distinct
    if len(values) < _VALUES or len(facts.history.batches) < _BATCHES or not (facts.values >= 2 * len(values) or _counted(values)):
        return None
    ends = (MIN, values[0]), (MAX, values[-1]), (MEAN, values.mean()), (STANDARD_DEVIATION, values.std())
    unknown = np.full(len(facts.history.batches), np.nan)
    scale = max(float(np.abs(values).max()), 1.0)
    same = [np.abs(facts.history.values.get(metric.name, unknown) - number) <= _ROUNDING * scale for metric, number in ends]
    if np.mean(np.all(same, axis=0)) < _MOST:
        return None
    return f"each of its {len(values)} values is there as often as the others in nearly all batches, so that they are no amounts"


def _counted(values: np.ndarray) -> bool:
    return bool(np.array_equal(values, np.arange(len(values)) + min(1.0, values[0])))


def rounded_by_people(facts: ColumnFacts) -> bool:
    """Whether most rows have round numbers and some have others, of several lengths: what people read off returns as codes do. Codes of one
    length may be round, too, as accounts are.
    """
    others = np.count_nonzero(facts.distinct % _ROUND)
    some = others >= max(_SOME, _OTHERS * len(facts.distinct))
    return bool(some and _of_several_lengths(facts) and np.mean(facts.numbers % _ROUND == 0) >= _ROUNDED)


def step_between(facts: ColumnFacts) -> float:
    """How far neighbours are from each other: ten of numbers of several lengths that people rounded to tens, else one."""
    tens = _of_several_lengths(facts) and len(facts.numbers) and np.mean(facts.numbers % _TENS == 0) >= _ROUNDED
    return _TENS if tens else 1.0


def _of_several_lengths(facts: ColumnFacts) -> bool:
    return len(f"{facts.lowest:.0f}") < len(f"{facts.highest:.0f}")
