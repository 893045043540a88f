"""Small closed domains: where no pattern is safe, but a column has a handful of values, each of them seen often."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.evidence import SEEN_EACH
from avh_ui.inference.by_corpus.strata import MOST_CLOSED

# Longer values are texts, not categories.
LONGEST_VALUE = 200


def closed_domain(texts: list[str], counts: NDArray[np.float64]) -> list[str] | None:
    """The values, most frequent first, where there are few and they were seen often enough to be all; else None."""
    if len(texts) > MOST_CLOSED or len(texts) * SEEN_EACH > counts.sum() or any(len(text) > LONGEST_VALUE for text in texts):
        return None
    return [texts[i] for i in np.argsort(-counts, kind="stable").tolist()]
