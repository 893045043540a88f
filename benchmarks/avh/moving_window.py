"""Whether a table is a window that moves, told as the product tells it: by a key found in its newest rows and by which keys come and go."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_key.finding import find_key
from avh_ui.inference.by_key.moving import moving
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_NEW
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

# Batches that are looked at. The product looks at its whole window; a table is no such window by some of its days, so a month tells.
LOOKED_AT = 30


def is_moving_window(batches: Sequence[pa.Table]) -> bool:
    """Whether it is, by its newest batches, the latest last. A table without a key is none, nor is one of a single batch."""
    if len(batches) < 2:
        return False
    key = find_key(batches[-1], batches[-2], whole=True).columns
    if not key:
        return False
    samples = [_sample(batch, key) for batch in batches if set(key) <= set(batch.column_names)]
    pairs = list(pairwise(samples))
    values = {m.name: np.array([_value(m.value({RowSample.key: new}, {RowSample.key: old})) for old, new in pairs]) for m in _OF_KEYS}
    count = len(pairs)
    keys = ColumnHistory("keys", "sampled", "", tuple(str(k) for k in range(count)), values, np.ones(count, dtype=bool))
    return moving(keys, samples[-1], samples[-2])


_OF_KEYS = (KEYS_GONE, KEYS_NEW)


def _value(found: float | None) -> float:
    return np.nan if found is None else found


def _sample(batch: pa.Table, key: tuple[str, ...]) -> RowSample:
    columns = {name: batch[name].combine_chunks() for name in key}
    return RowSample.of_rows(Rows(batch.num_rows, columns), Need(RowSample, key, None, Drawing(len(key))))
