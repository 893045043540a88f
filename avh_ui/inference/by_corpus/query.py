"""What is looked at of a query column: its distinct values, how often each came, and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.index_keys import diversity_of

# More distinct values than this say nothing new about a column's pattern (the paper takes the first 1,000 values).
MOST_DISTINCT = 1_000
# A rule from fewer values is a guess.
LEAST_VALUES = 5


@dataclass(frozen=True)
class Query:
    """Distinct `texts` with their `counts`, both (V,), how diverse and ordered they are, and what is asked by."""

    texts: list[str]
    counts: NDArray[np.float64]
    diversity: int
    index: CorpusIndex
    settings: Thresholds

    @property
    def weights(self) -> dict[str, float]:
        """The count of each text."""
        return dict(zip(self.texts, self.counts.tolist(), strict=True))

    @property
    def alike(self) -> bool:
        """Whether many values were all the same: what a column begins with for long says little of what comes after it."""
        return len(self.texts) == 1 and float(self.counts.sum()) >= self.settings.alike

    @property
    def least(self) -> float:
        """The weight that a pattern for all values must match."""
        return (1 - self.settings.tolerance) * float(self.counts.sum()) - 1e-9


def query_of(values: Iterable[str | None], index: CorpusIndex, settings: Thresholds) -> Query | None:
    """What is looked at of a column; None where that is too little."""
    counter: Counter[str] = Counter()
    runs, last = 0, None
    for value in values:
        if value and (value in counter or len(counter) < MOST_DISTINCT):
            counter[value] += 1
            runs, last = runs + (value != last), value
    if sum(counter.values()) < LEAST_VALUES:
        return None
    diversity = diversity_of(len(counter), runs, sum(counter.values()))
    return Query(list(counter), np.array(list(counter.values()), dtype=np.float64), diversity, index, settings)
