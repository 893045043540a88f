"""Two rows that differ where a rule says that rows equal in some columns are alike, in words: a share says of no row what is wrong.

They are looked for among the rows that a profile keeps (`RowSample`): of all groups of values none is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.key_words import key_words, name_column
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues


def unlike_rows(sample: RowSample, target: str, given: Sequence[str]) -> str:
    """`AA, 33 with distance 2,475 and UA, 535 with 3,983, where origin is JFK and dest is LAX`: of the group of equal `given` columns
    with the most rows unlike most others; '' where no rows of the sample differ, where it has not all of the columns, and of hashed texts.
    """
    if sample.hashed or any(name not in sample.columns for name in (target, *given)):
        return ""
    values, others = sample.columns[target], [sample.columns[name] for name in given]
    kept = np.flatnonzero(~np.logical_or.reduce([one.is_null for one in (values, *others)]) & (sample.counts == 1))
    if not len(kept):
        return ""
    groups, own = _codes(others, kept), _codes([values], kept)
    first, second = _apart(groups, own)
    if first < 0:
        return ""
    at, beside = int(kept[first]), int(kept[second])
    names = name_column(sample)
    where = " and ".join(f"{name} is {one.shown(at)}" for name, one in zip(given, others, strict=True))
    one, other = (key_words(sample, place, names) for place in (at, beside))
    rows = f"{one} with {target} {values.shown(at)} and {other} with {values.shown(beside)}"
    return f"{rows}, where {where}"


def _codes(columns: Sequence[SampledValues], kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each combination of values, shape (kept,)."""
    parts = [side for one in columns for side in (np.nan_to_num(one.numbers[kept], nan=0.0), one.codes[kept].astype(float))]
    return np.asarray(np.unique(np.stack(parts), axis=1, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _apart(groups: NDArray[np.int64], own: NDArray[np.int64]) -> tuple[int, int]:
    """The first row of the most frequent value and of the next one in the group with the most rows beside its most frequent value; -1, -1
    where each group has one value.
    """
    pairs, first, counts = np.unique(np.stack([groups, own]), axis=1, return_index=True, return_counts=True)
    size, most = np.bincount(pairs[0], counts), np.zeros(int(groups.max()) + 1)
    np.maximum.at(most, pairs[0], counts)
    worst = int(np.argmax(size - most))
    if size[worst] == most[worst]:
        return -1, -1
    of = np.flatnonzero(pairs[0] == worst)
    one, other = of[np.argsort(-counts[of], kind="stable")][:2]
    return int(first[one]), int(first[other])
