"""Counters that fell by a tenth or more in some row: what only ever grows, but for small corrections.

How far a row of a counter ever fell is a bound that one correction makes wide: after one of 2.6 % in 117 batches one of 68 % passed, and so
did 223,000 tests of a region that were gone. That none falls by a tenth is said of columns whose rows hardly ever fall.
"""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.marked_rows import Marked
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import MatchedChange
from avh_ui.metrics.row_mistakes import FEW
from avh_ui.metrics.wording import seldom

# Of the counters of Italy's regions and provinces, where hardly any of 120 batches had such a fall, it happened on 14 and 5 of 1,700 days
# without a documented fault, and on 29 of faults and their mending.
_PART = 0.1
# Of the middle row: small counts fall by a tenth where one is corrected, and what nobody has counted to a province yet becomes 0 and comes
# back.
_SMALL = 0.25


def fell_far(change: MatchedChange) -> Mask:
    """In which matched rows a number that is not small is less by a tenth of it or more."""
    small = float(change.numbers.size(1.0, _SMALL, FEW)[change.at])
    with np.errstate(invalid="ignore"):
        return np.asarray(change.fallen & change.both & (change.before >= small) & (change.after <= (1 - _PART) * change.before))


FALLEN = Marked(lambda change: fell_far(change) if change.numeric else None, "rows whose {} fell")
FALLEN_COUNTERS = FALLEN.metric(
    "fallen_counters", "share of the matched rows in which one of these columns is less by a tenth or more",
    seldom(
        "Of the rows that both batches have: in how many one of these columns fell by a tenth or more, from a number that is not small (a "
        "quarter of the middle one or more, of counts 20 at least).",
        "the share of rows in which {columns} fell by a tenth or more",
        "In at most {high} of the rows matched by {key} does a value of {columns} fall by a tenth or more",
        "No value of {columns} falls by a tenth or more in the rows matched by {key}",
    ),
    least=1, of_faults=True, of_quantities=True, each="fallen_counters",
)  # fmt: skip
