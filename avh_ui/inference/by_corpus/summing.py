"""Adding up the evidence of many columns: rows per pattern and family of columns, then averages over families and sums by pattern.

The same two steps serve a corpus in memory and the tasks of a cluster, which take the first where the columns are and exchange its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.corpus_index import Totals
from avh_ui.inference.by_corpus.impurities import PatternImpurities
from avh_ui.inference.by_corpus.language import finish_all

# The family of rows that need no average any more.
SETTLED = 0


class KeySums(NamedTuple):
    """Sums per key and family of columns, shape (N,) each: the counts and summed impurities of `Totals`."""

    keys: NDArray[np.uint64]
    families: NDArray[np.int64]
    columns: NDArray[np.int64]
    whole: NDArray[np.float64]
    group_columns: NDArray[np.int64]
    within: NDArray[np.float64]

    def at(self, chosen: NDArray[Any] | slice) -> KeySums:
        """Some of the rows."""
        return KeySums._make(part[chosen] for part in self)


def key_sums_of(evidence: Sequence[PatternImpurities], families: Sequence[int]) -> KeySums:
    """The evidence of columns, each of a family."""
    keys, whole, within = (np.concatenate([getattr(e, name) for e in evidence]) for name in ("keys", "whole", "within"))
    family = np.repeat(np.array(families, dtype=np.int64), [len(e.keys) for e in evidence])
    known, inside = ~np.isnan(whole), ~np.isnan(within)
    shares = known.astype(np.int64), np.where(known, whole, 0.0), inside.astype(np.int64), np.where(inside, within, 0.0)
    return added_up([KeySums(keys, family, *shares)])


def concatenated(parts: Sequence[KeySums]) -> KeySums:
    """All the rows."""
    return KeySums._make(map(np.concatenate, zip(*parts, strict=True)))


def added_up(parts: Sequence[KeySums]) -> KeySums:
    """The sums by key and family."""
    rows = concatenated(parts)
    return _summed(rows, finish_all(rows.families.view(np.uint64)) ^ rows.keys)


def settled_sums(rows: KeySums) -> KeySums:
    """The sums by key, a family counting once with its average; rows of a family must have been added up."""
    once, one = rows.families != SETTLED, np.int64(1)
    shares = []
    for count, share in ((rows.columns, rows.whole), (rows.group_columns, rows.within)):
        shares += [np.where(once, np.minimum(count, one), count), np.where(once, share / np.maximum(count, one), share)]
    return _summed(KeySums(rows.keys, np.full(len(rows.keys), SETTLED), *shares), rows.keys)


def _summed(rows: KeySums, by: NDArray[np.uint64]) -> KeySums:
    """The sums of rows that are alike in `by` (N,), ordered by it."""
    order = np.argsort(by)
    ordered = by[order]
    begin = np.flatnonzero(np.diff(ordered, prepend=~ordered[:1]))
    first = order[begin]
    sums = (np.add.reduceat(part[order], begin) if len(begin) else part for part in rows[2:])
    return KeySums._make([rows.keys[first], rows.families[first], *sums])


def totals_of(evidence: Sequence[PatternImpurities], families: Sequence[str]) -> Totals:
    """The sums per key of columns that are in memory, each of a family of columns."""
    numbers = {name: k for k, name in enumerate(dict.fromkeys(families), start=SETTLED + 1)}
    rows = settled_sums(key_sums_of(evidence, [numbers[name] for name in families]))
    return Totals(rows.keys, *rows[2:])
