"""Adding up the evidence of many columns in memory: what Spark does by two aggregations, for corpora that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.corpus_index import Totals
from avh_ui.inference.by_corpus.evidence import Evidence


def totals_of(evidence: Sequence[Evidence], families: Sequence[str]) -> Totals:
    """Counts and summed impurities per key over families of columns; within a family impurities are averaged."""
    numbers: dict[str, int] = {}
    own = np.array([numbers.setdefault(name, len(numbers)) for name in families], dtype=np.int64)
    family = np.repeat(own, np.array([len(e.keys) for e in evidence], dtype=np.int64))
    keys, key_of_row = np.unique(_joined([e.keys for e in evidence], np.uint64), return_inverse=True)
    pairs, pair_of_row = np.unique(key_of_row * len(numbers) + family, return_inverse=True)
    key_of_pair = pairs // max(len(numbers), 1)

    def summed(shares: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        known = ~np.isnan(shares)
        count = np.bincount(pair_of_row[known], minlength=len(pairs))
        mean = np.bincount(pair_of_row[known], shares[known], len(pairs)) / np.maximum(count, 1)
        columns = np.bincount(key_of_pair[count > 0], minlength=len(keys))
        return columns, np.bincount(key_of_pair, mean, len(keys)).astype(np.float64)

    columns, whole = summed(_joined([e.whole for e in evidence], np.float64))
    group_columns, within = summed(_joined([e.within for e in evidence], np.float64))
    return Totals(keys, columns, whole, group_columns, within)


def _joined(arrays: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *arrays])
