"""Several columns of numbers that are never below one bound: what each of them can be at all, which was one rule of each.

As of columns that are never null (`metrics.filled_columns`), what it says of a column that column's own least value tells.
"""

from __future__ import annotations

import math
import sys

from avh_ui.metrics.column import NUMERIC, OF_ROWS
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MIN, MomentsState, moments_of_each
from avh_ui.metrics.wording import Wording


def _lowest(*moments: MomentsState) -> float | None:
    """As of one column: its NaN are passed over where it has a number."""
    lows = [one.low for one in moments if one.n]
    return min(lows) if lows else math.nan if any(one.nans for one in moments) else None


LOWEST = Metric(
    "lowest_min", OF_ROWS, (MomentsState,), 1, "value", "smallest value of several columns", single=_lowest, wants=moments_of_each, least=2,
    most=sys.maxsize, of=(NUMERIC,), grows=True, extreme="least", asked=True, plain="always", each=MIN.name,
    says=Wording(
        "The smallest value that a batch has in any of several columns.",
        "the smallest value of {columns}", "The smallest value of {columns} is between {low} and {high}",
        "{columns} are never below {low}", "The smallest value of {columns} is {high} or less",
        "The smallest value of {columns} is always {low}",
        above={0.0: "{columns} are always above 0"},
    ),
)  # fmt: skip
