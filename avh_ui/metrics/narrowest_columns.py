"""Several columns of numbers that are never one and the same value in all rows of a batch, which was one rule of each.

As of columns that are never below a bound (`metrics.lowest_columns`), what it says of a column that column's own span tells.
"""

from __future__ import annotations

import sys

from avh_ui.metrics.column import NUMERIC, OF_ROWS
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import RANGE, MomentsState, moments_of_each
from avh_ui.metrics.wording import Wording


def _narrowest(*moments: MomentsState) -> float | None:
    """The least of the spans of those columns that have a number; None where none has."""
    return min((one.high - one.low for one in moments if one.n), default=None)


NARROWEST = Metric(
    "narrowest_range", OF_ROWS, (MomentsState,), 1, "value", "smallest span of several columns", single=_narrowest, wants=moments_of_each,
    least=2, most=sys.maxsize, of=(NUMERIC,), lowest=0, grows=True, asked=True, plain="always", each=RANGE.name,
    says=Wording(
        "How far the smallest and the largest value of a batch are apart, in that of several columns where they are nearest.",
        "the smallest span of {columns}", "The smallest span of {columns} is between {low} and {high}",
        "The values of {columns} are {low} or more apart", "The smallest span of {columns} is {high} or less",
        "The smallest span of {columns} is always {low}",
        above={0.0: "None of {columns} is one and the same value in all rows of a batch"},
    ),
)  # fmt: skip
