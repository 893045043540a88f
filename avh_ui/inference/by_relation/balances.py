"""Columns that balance, as those of a ledger: what is there at the end is what was at the beginning, with what came and without what went.

In the words of `sums` a pair of columns that has as much as another pair is one word twice, and so is a triple.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Places = tuple[int, ...]
# Of three against two or three columns, among so many: 9,880 triples.
_OF_THREE = 40
# Where columns add up to others, what follows from that balances, too; of so many finds none is likely to be another ledger.
_MOST = 500


def balances(words: Words) -> Iterator[tuple[Places, Places]]:
    """Columns that together may have as much as others, the shortest first: two and two, three and two, three and three."""
    count = len(words)
    if count < 4:
        return
    pairs = _together(words, 2)
    yield from _alike(pairs, pairs)
    if count <= _OF_THREE:
        triples = _together(words, 3)
        yield from _alike(pairs, triples)
        yield from _alike(triples, triples)


def _together(words: Words, size: int) -> tuple[Words, NDArray[np.int64]]:
    """So many columns each, by their places, and their words together, in order."""
    places = np.array(list(combinations(range(len(words)), size)), dtype=np.int64).reshape(-1, size)
    with np.errstate(over="ignore"):
        made = words[places].sum(axis=1, dtype=np.uint64)
    order = np.argsort(made, kind="stable")
    return made[order], places[order]


def _alike(some: tuple[Words, NDArray[np.int64]], others: tuple[Words, NDArray[np.int64]]) -> Iterator[tuple[Places, Places]]:
    """Those of them that have the same word and no column in common, each two once."""
    (known, places), (wanted, theirs) = some, others
    first, end = np.searchsorted(known, wanted, "left"), np.searchsorted(known, wanted, "right")
    found = 0
    for at in np.flatnonzero(end > first).tolist():
        for place in range(int(first[at]), int(end[at])):
            one, other = tuple(theirs[at].tolist()), tuple(places[place].tolist())
            if (len(one) != len(other) or one < other) and not {*one} & {*other}:
                yield one, other
                found += 1
        if found > _MOST:
            return
