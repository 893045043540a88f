"""Whether a table is a window that moves over time: most of its rows come again, some leave at one end, and some come at the other.

Such batches are not independent of each other. An extreme steps when the day that had it leaves, and that says nothing of the rows that
came: these are judged by themselves (`metrics.by_key.BEYOND`). So are they in a series that is delivered whole, as all days of a country so
far: of its 200 rows 199 are those of the day before, and the new one moves nothing.
"""

from __future__ import annotations

import numpy as np

from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_NEW
from avh_ui.metrics.row_order import in_order
from avh_ui.metrics.row_sample import RowSample

# In so many comparisons keys left and came; a delivery may be a second one of its day.
_USUALLY, _LEAST = 0.5, 6
# Most rows come again.
_OVERLAP = 0.5


def moving(keys: ColumnHistory, ours: RowSample, theirs: RowSample) -> bool:
    """Whether the table is one, by the history of its keys and the samples of the latest batch and the one before."""
    return _comes(keys, ours, theirs, leaving=True)


def growing(keys: ColumnHistory, ours: RowSample, theirs: RowSample) -> bool:
    """Whether the table is a series that is delivered whole each time: rows come at one end, and none leaves."""
    return _comes(keys, ours, theirs, leaving=False)


def _comes(keys: ColumnHistory, ours: RowSample, theirs: RowSample, *, leaving: bool) -> bool:
    """Whether rows usually come at one end while most stay, with some `leaving` or none."""
    gone, new = (keys.values.get(m.name, np.empty(0)) for m in (KEYS_GONE, KEYS_NEW))
    known = np.isfinite(gone) & np.isfinite(new) if len(gone) == len(new) else np.zeros(0, dtype=bool)
    if int(known.sum()) < _LEAST:
        return False
    gone, new = gone[known], new[known]
    if np.mean((new > 0) & ((gone > 0) == leaving)) < _USUALLY or max(np.median(gone), np.median(new)) > _OVERLAP:
        return False
    return any(_at_the_ends(ours, theirs, name) for name in ours.by)


def _at_the_ends(ours: RowSample, theirs: RowSample, name: str) -> bool:
    """Whether what left stood at one end of a column of the key, and what came stands at the other."""
    if name not in ours.columns or name not in theirs.columns:
        return False
    now, then, joined = in_order(ours.columns[name]), in_order(theirs.columns[name]), join(ours, theirs)
    if now is None or then is None or not len(joined.ours) or not len(joined.new) + len(joined.gone):
        return False
    kept, came, left = now[joined.ours], now[joined.new], then[joined.gone]
    low, high = kept.min(), kept.max()
    forward = bool(np.all(left <= low) and np.all(came >= high))
    return forward or bool(np.all(left >= high) and np.all(came <= low))
