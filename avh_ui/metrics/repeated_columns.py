"""Several columns of numbers of which no one value makes up more than a share, such as a default filled in: one rule in the place of each.

As of columns that are never below a bound (`metrics.lowest_columns`), what it says of a column that column's own values tell.
"""

from __future__ import annotations

import sys

from avh_ui.metrics.column import NUMERIC, OF_ROWS
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.rows import Need
from avh_ui.metrics.wording import Wording


def _wanted(measure: Measure) -> tuple[Need, ...]:
    return tuple(Need(DistributionState, (name,), measure.where) for name in measure.columns)


def _most(*states: DistributionState) -> float | None:
    """The largest of the shares of those columns that have a number; None where none has."""
    return max((float(shares.max()) for _, shares in (one.support() for one in states) if len(shares)), default=None)


MOST_REPEATED = Metric(
    "most_top_ratio", OF_ROWS, (DistributionState,), 1, "ratio", "largest share of one value in several columns", single=_most,
    wants=_wanted, least=2, most=sys.maxsize, of=(NUMERIC,), lowest=0, highest=1, extreme="greatest", asked=True, plain="always",
    each=TOP_RATIO.name,
    says=Wording(
        "How many of the values are the most frequent one, as a share, in that of several columns where it is most.",
        "the share of the most frequent value in {columns}",
        "In one of {columns} the most frequent value makes up {low} to {high}, in none more",
        "In one of {columns} the most frequent value makes up at least {low}",
        "No one value, such as a filled-in default, makes up more than {high} of the values of any of {columns}",
        "In one of {columns} the most frequent value makes up {low}, always, in none more",
    ),
)  # fmt: skip
