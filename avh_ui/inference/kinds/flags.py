"""Numbers that say yes or no: 0 and 1, of which "never above 9", "in another unit" and a level say nothing that an owner would keep."""

from __future__ import annotations

import numpy as np

from avh_ui.inference.kinds.facts import ColumnFacts
from avh_ui.metrics.moments import MEAN

# Of so many that are to be expected there is one, but for 1 of 1,000 such columns.
_EXPECTED = 7.0


def flag(facts: ColumnFacts) -> str | None:
    """Why it is 0 or 1, and no count that might be 2: events as frequent (Poisson) would have come twice in some rows; None where it may be
    one.
    """
    if not facts.whole or facts.lowest != 0 or facts.highest != 1:
        return None
    there, means = facts.history.values_there(), facts.history.values.get(MEAN.name)
    if there is None or means is None or float(np.nansum(there * means**2 / 2)) < _EXPECTED:
        return None
    return f"0 or 1 in all {len(facts.history.batches):,} batches"
