"""Whether a table is a window that moves over time: most of its rows come again, some leave at one end, and some come at the other.

Such batches are not independent of each other. An extreme steps when the day that had it leaves, and that says nothing of the rows that
came: these are judged by themselves (`metrics.by_key.BEYOND`). So are they in a series that is delivered whole, as all days of a country so
far: of its 200 rows 199 are those of the day before, and the new one moves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.column import Floats
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_NEW
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues

# In so many comparisons keys left and came; a delivery may be a second one of its day.
_USUALLY, _LEAST = 0.5, 6
# Most rows come again.
_OVERLAP = 0.5
# How days are written; a form is taken that all texts have.
_FORMS = ("%Y-%m-%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y%m%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S")


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


def in_order(values: SampledValues) -> Floats | None:
    """The values as numbers in their order: numbers, times, days written as texts; None of anything else, and where one is missing."""
    if values.numeric:
        return None if np.isnan(values.numbers).any() else values.numbers
    if values.texts.null_count or not len(values.texts):
        return None
    try:
        return _days(values.texts.cast(pa.string()))
    except pa.ArrowInvalid:
        return None  # bytes that are no UTF-8 are no days either


def _days(texts: pa.Array, forms: Sequence[str] = _FORMS) -> Floats | None:
    for form in forms:
        try:
            found = pc.strptime(texts, format=form, unit="s")
        except pa.ArrowInvalid:
            continue
        return np.asarray(found.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    return None
