"""Several columns that are never null, or of which as few may be: one fact of a table, which was one rule of each of its columns.

It needs no state of its own: what it says of a column that column's own count of nulls tells, also of batches that are past.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from avh_ui.metrics.column import OF_ROWS, SINGLE_KINDS
from avh_ui.metrics.counts import COMPLETE_RATIO, CountState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.rows import Need
from avh_ui.metrics.wording import Wording


def _wanted(measure: Measure) -> tuple[Need, ...]:
    return tuple(Need(CountState, (name,), measure.where) for name in measure.columns)


def _least(*counts: CountState) -> float | None:
    return min((one.rows - one.nulls) / one.rows for one in counts) if all(one.rows for one in counts) else None


LEAST_COMPLETE = Metric(
    "least_complete_ratio", OF_ROWS, (CountState,), 3, "ratio", "share of non-null values of the column that has the fewest",
    single=_least, wants=_wanted, least=2, most=sys.maxsize, of=(SINGLE_KINDS | {"skipped"},), lowest=0, highest=1, asked=True,
    always_defined=True, plain="always", each=COMPLETE_RATIO.name,
    says=Wording(
        "How many of the rows have a value, as a share, in that one of several columns in which the fewest have one.",
        "the share of {columns} that is not null", "Between {not_high} and {not_low} of each of {columns} are null",
        "At most {not_low} of each of {columns} are null", "At least {not_high} of one of {columns} are null",
        "{not_low} of one of {columns} are null, always", {1.0: "{columns} are never null"},
    ),
)  # fmt: skip
# Beside those that are never null there may be some of which few are.
LEAST_FILLED = replace(LEAST_COMPLETE, name="least_filled_ratio")
