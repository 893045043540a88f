"""Of two columns of amounts one is 0 in every row: debit or credit, bought or sold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Mask, Mined
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null

# So many rows of two columns that have nothing to do with one another would have both, drawn within their batches: none by chance in
# 1 of 10^13. Snow in winter and hail in summer are never together either, and are not expected to be.
EXPECTED_ROWS = 30
# In so many of the batches both have to be there.
_BATCHES = 0.5


def alternatives(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """The pairs of columns of which never both are other than 0, in batches that have some of each."""
    names = [name for name in mined.numeric if name not in without and np.any(mined.numbers(name) == 0)]
    some = {name: (mined.numbers(name) != 0) & mined.there(name) for name in names}
    rows = np.maximum(np.bincount(mined.batch), 1)
    counts = {name: np.bincount(mined.batch[there], minlength=len(rows)) for name, there in some.items()}
    for one, other in combinations(names, 2):
        if not np.any(some[one] & some[other]):
            both = counts[one] * counts[other]
            if np.sum(both / rows) >= EXPECTED_ROWS and np.mean(both > 0) >= _BATCHES:
                yield _alternative(mined, one, other)


def _alternative(mined: Mined, one: str, other: str) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return np.asarray((numbers(cells, one) == 0) | (numbers(cells, other) == 0))

    condition = f"{reckoned(mined, one)} = 0 OR {reckoned(mined, other)} = 0"
    return Relation("alternative", (one, other), f"{one} or {other} is 0", unless_null((one, other), condition), keeps)
