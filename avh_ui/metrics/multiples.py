"""Whole numbers that are all multiples of one number now: what another unit leaves that the batch before cannot be compared with.

A delay in minutes is seldom that of the day before, so that its quartiles tell no factor. In seconds all of them are multiples of 60.
"""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.metric import States, find
from avh_ui.metrics.mix_words import percent

# Of ten different numbers all are even by chance in one of a thousand batches, multiples of three in one of 60,000.
_DIFFERENT, _LEAST = 10, 3
# In the batch before so few were multiples of it that these are no habit, as prices of 50 are.
_FEW = 0.6
# Beyond 2^53 not all whole numbers are floats.
_WHOLE = 2.0**53
# What people change a unit by, and what that may be.
_UNITS = {60: "minutes as seconds, or hours as minutes", 3600: "hours as seconds", 24: "days as hours", 1000: "thousands as ones"}


def multiple_words(ours: States, theirs: States, batch: str) -> str:
    """`all its numbers are multiples of 60, and 9% in batch b6 (minutes as seconds, or hours as minutes?)`; '' where they are not."""
    now, then = (find(states, DistributionState) for states in (ours, theirs))
    if now is None or then is None or not (now.exact and then.exact):
        return ""
    values, _ = now.support()
    before, shares = then.support()
    if not _whole(values) or not _whole(before) or np.count_nonzero(values) < _DIFFERENT:
        return ""
    of = int(np.gcd.reduce(np.abs(values).astype(np.int64)))
    had = float(shares[before % of == 0].sum()) if of >= _LEAST else 1.0
    if had > _FEW:
        return ""
    unit = f" ({_UNITS[of]}?)" if of in _UNITS else ""
    return f"all its numbers are multiples of {of:,}, and {percent(had)} in batch {batch}{unit}"


def _whole(values: Floats) -> bool:
    return bool(len(values)) and bool((np.abs(values) < _WHOLE).all()) and bool((values == np.floor(values)).all())
