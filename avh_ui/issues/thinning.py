"""Rows of one value that are missing: a part of those of the most frequent one."""

from __future__ import annotations

import numpy as np

from avh_ui.issues.renaming import repeats
from avh_ui.issues.sample import Codes, Sample
from avh_ui.issues.swapping import filled

# Half of fewer rows may be missing by chance (`metrics.values_thinned`).
MANY = 100


def rows_left(sample: Sample, share: float) -> Codes | None:
    """The places of the rows that are left where a share of those of the most frequent value is missing, here and there; None where it, or
    all others, have fewer rows than `MANY`, and where values do not come again and again.
    """
    if not repeats(sample):
        return None
    there = filled(sample)
    codes, counts = np.unique(sample.codes[there], return_counts=True)
    rows = np.flatnonzero(sample.codes == codes[np.argmax(counts)])
    if not MANY <= len(rows) <= len(there) - MANY:
        return None
    spread = np.arange(len(rows)) * share
    return np.delete(np.arange(sample.rows), rows[np.floor(spread + share) > np.floor(spread)])
