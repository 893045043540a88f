"""Where a column's values end: whether that moves, and whether texts are cut there."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.moments import MAX, MIN

# So many different texts are as long as the longest one where a field ends: readers kept "never longer than 64", of descriptions cut there,
# and called it too tight of a name of 72 characters and a method of 34, each the only one.
_CUT = 3


def ends_move(history: ColumnHistory, out: Collection[str]) -> bool:
    """Whether the least or the greatest number was not the same in all batches but those left `out`."""
    kept = np.array([batch not in out for batch in history.batches], dtype=bool)
    ends = (history.values[end.name][kept] for end in (MIN, MAX) if end.name in history.values)
    return any(np.unique(values[np.isfinite(values)]).size > 1 for values in ends)


def is_cut(texts: pa.ChunkedArray | pa.Array, longest: float) -> bool:
    """Whether several different texts of a sample are as long as the longest one of the batch; of numbers it is not."""
    if not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        return False
    return len(pc.unique(texts.filter(pc.equal(pc.utf8_length(texts), longest))).drop_null()) >= _CUT
