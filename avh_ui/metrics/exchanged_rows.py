"""Rows that took each other's values, in several columns at once: of texts and of numbers, where it never happened.

Of one column it notices two rows alone, so that rules on mixes, which notice more, left no place for it: of 122 pairs of values that were
exchanged in 14 tables of published packages 96 passed.
"""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.by_key import EXCHANGED
from avh_ui.metrics.marked_rows import Marked
from avh_ui.metrics.matching import MatchedChange
from avh_ui.metrics.row_mistakes import not_small
from avh_ui.metrics.wording import seldom

# One case more here and one less there, of thousands, is no exchange to anybody: days that are counted anew had such pairs in New York.
_OTHER = 1.1


def swapped(change: MatchedChange) -> bool:
    """Whether some two rows have each other's old text, or number that is not small and not nearly their own, be it by chance: as the
    sentence reads.
    """
    if change.still:
        return False
    now, then = (change.after, change.before) if change.numeric else change.texts
    if change.numeric:
        sizes = np.abs(np.stack([now, then]))
        some = change.both & (sizes.min(axis=0) >= not_small(change.numbers)[change.at]) & (sizes.max(axis=0) >= _OTHER * sizes.min(axis=0))
    else:
        some = change.changed & (now >= 0) & (then >= 0)
    now, then = now[some].astype(np.float64), then[some].astype(np.float64)
    # Of two that take each other's one rises and one falls, between the same two values.
    ways, rose = np.minimum(now, then) + 1j * np.maximum(now, then), now > then
    return bool(0 < np.count_nonzero(rose) < len(rose) and np.isin(ways[rose], ways[~rose]).any())


IN_TEXTS = Marked(lambda change: None if change.numeric else change.exchanged, "rows that took each other's {}")
IN_BOTH = Marked(lambda change: change.exchanged, "rows that took each other's {}")
EXCHANGED_ROWS = IN_BOTH.metric(
    "exchanged_rows", "share of the matched rows that took each other's values in one of these columns",
    seldom(
        "Of the rows that both batches have: how many took each other's values, in one of several columns.",
        "the share of rows with exchanged {columns}",
        "At most {high} of the rows matched by {key} swap values with another one in any of {columns}",
        "No two rows matched by {key} swap clearly different values in any of {columns}",
    ),
    of_faults=True, each=EXCHANGED.name,
)  # fmt: skip
