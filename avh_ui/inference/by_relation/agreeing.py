"""How likely rows with one value agree in another column by chance: of a few services with one endpoint each has one protocol.

Each row agrees with another by chance as often as the other column's values are alike. What few rows share, or one value alone, is no law
where nearly all rows are alike anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.cells import Mined
from avh_ui.metrics.row_keys import mixed

Words = NDArray[np.uint64]
# Less likely than this, of thousands of pairs and threes of columns that are looked at, in rows that are no draws. Of 31 dependencies of 11
# tables that held in later batches the least sure had one in 10^21 (the browser's name says whether it is a mobile), and the next one in
# 10^50; of those that a table's owner would call chance the nearest had one in 10^12 (two versions of a browser).
LIKELY = 1e-15
# Amounts name nothing, and are equal or go up together for other reasons: with screens of one height came one width, at one in 10^22, until
# there were others. A site and a market that are taken for amounts had one in 10^183 and less.
LIKELY_OF_AMOUNTS = 1e-45


def beyond_chance(mined: Mined, by: Sequence[str], others: Sequence[str], likely: float = LIKELY) -> Iterator[str]:
    """Those of the other columns that agree in all these rows by more than chance, which is less than `likely`."""
    there = mined.there(*by)
    values = np.zeros(int(there.sum()), dtype=np.uint64)
    for name in by:
        with np.errstate(over="ignore"):
            values = mixed(values * np.uint64(31) + mined.cells[name].words[there])
    sizes, times = np.unique(_agreeing(mined, there, values), return_counts=True)
    for other in others:
        if _log_chance(mined.cells[other].words[there], sizes, times) < np.log(likely):
            yield other


def _log_chance(words: Words, sizes: NDArray[np.int64], times: NDArray[np.int64]) -> float:
    """The logarithm of how likely it is that rows drawn from these agree: so many `times` one with `sizes` more."""
    _, counts = np.unique(words, return_counts=True)
    alike = np.sum((counts / max(len(words), 1))[:, None] ** (sizes + 1.0), axis=0)
    # Of very many rows the chance is less than the least number.
    return float(np.sum(times * np.log(np.maximum(alike, np.finfo(float).tiny))))


def _agreeing(mined: Mined, there: NDArray[np.bool_], values: Words) -> NDArray[np.int64]:
    """How many rows of each value have another like them in their batch. A list that comes whole each time says no more of it the second
    time: of each there are at most as many as are different ones, or are in one batch.
    """
    batch = mined.batch[there].astype(np.uint64)
    with np.errstate(over="ignore"):
        rows = mixed(values * np.uint64(31) + mined.contents[there])
    _, first, place = np.unique(values, return_index=True, return_inverse=True)
    in_batch, most = _by_batch(place.astype(np.uint64), batch)
    pairs, largest = np.zeros(len(first), dtype=np.int64), np.zeros(len(first), dtype=np.int64)
    np.add.at(pairs, in_batch, most - 1)
    np.maximum.at(largest, in_batch, most)
    # Of each row the batch that has it most often.
    _, of_row, again = np.unique(rows, return_index=True, return_inverse=True)
    row, count = _by_batch(again.astype(np.uint64), batch)
    often = np.zeros(len(of_row), dtype=np.int64)
    np.maximum.at(often, row, count)
    different = np.bincount(place[of_row], weights=often, minlength=len(first)).astype(np.int64)
    return np.asarray(np.minimum(pairs, np.maximum(different, largest) - 1))


def _by_batch(of: Words, batch: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each that is in a batch which it is, and how many rows it has there."""
    found, counts = np.unique(np.stack([of, batch]), axis=1, return_counts=True)
    return found[0].astype(np.int64), counts
