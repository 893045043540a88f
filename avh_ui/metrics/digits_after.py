"""How many digits numbers have after the decimal point, without zeros at their end: what is left of them where amounts were cut or rounded.

It follows from the values that a distribution keeps, whatever the source: of a sketch those that it holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.text import MOST_DECIMALS, TextState
from avh_ui.metrics.type_names import is_number

# Of exchange rates with five digits the fifth came and went with the level of the rate; that of coordinates is noise.
MOST = MOST_DECIMALS
# Spark's type of numbers of 32 bits, of which 2.3 is 2.299999952 as a double.
_SINGLE = "float"


@dataclass(frozen=True)
class DigitsAfter:
    """Of `numbers` that were looked at, the share with at least 1, 2, ... `MOST` digits after the point."""

    numbers: int = 0
    shares: tuple[float, ...] = ()


def digits_after(column: ColumnProfile) -> DigitsAfter:
    """Those of a column of numbers, or of the numbers within texts (`12.50 EUR`); nothing of another, and of one without values."""
    texts = find(column.states, TextState) if column.kind == "string" else None
    if texts is not None and texts.n and texts.decimals is not None:
        counted = (*texts.decimals, *(0 for _ in range(MOST)))[:MOST]
        return DigitsAfter(texts.n, tuple(count / texts.n for count in counted))
    state = find(column.states, DistributionState)
    if state is None or not is_number(column.type):
        return DigitsAfter()
    values, weights = state.support()
    if not len(values):
        return DigitsAfter()
    places = _places(values, single=column.type == _SINGLE)
    shares = tuple(min(float(weights[places >= k].sum()), 1.0) for k in range(1, MOST + 1))
    return DigitsAfter(state.n if state.exact else len(values), shares)


def _places(values: Floats, *, single: bool) -> NDArray[np.int64]:
    """How many digits each has, at most `MOST`: it is that one which it is rounded to so many."""
    found = np.full(len(values), MOST)
    kind = np.float32 if single else np.float64
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(MOST - 1, -1, -1):
            # Both are whole below 2**53, so that their quotient is the nearest double.
            found[(np.rint(values * 10.0**k) / 10.0**k).astype(kind) == values.astype(kind)] = k
    found[~np.isfinite(values)] = 0
    return found
