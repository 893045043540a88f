"""Large values that became 0, ten times as much, or changed their sign: what a person takes for a mistake in a row at first sight.

That none does is said in one sentence, and of columns of which it is true as it reads: of rows that exchanged their values another one
says it (`exchanged_rows`). In one sentence with that, and with what does not count beside it, readers of seven tables in twelve threw it
away: temperatures change their sign every other night, and that most of them do so together stood nowhere.
"""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.marked_rows import Marked
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import MatchedChange
from avh_ui.metrics.row_mistakes import LEAP, leapt, not_small, wiped
from avh_ui.metrics.wording import seldom


def leaps(change: MatchedChange) -> Mask:
    """In which matched rows a large number is 0 now, ten times as much, or one of the other sign, and moved farther than others."""
    return np.asarray(wiped(change) | leapt(change))


def as_it_reads(change: MatchedChange) -> Mask:
    """The same whatever the other rows do: where the sentence, taken by its words, is not true."""
    large = change.both & (np.abs(change.before) >= not_small(change.numbers)[change.at])
    gone = change.numbers.wiped[change.at] | (np.abs(change.after) >= LEAP * np.abs(change.before))
    return np.asarray(large & (change.before != 0) & gone)


IN_LEAPS = Marked(lambda change: leaps(change) if change.numeric else None, "rows with a mistake in {}")
LEAPT_ROWS = IN_LEAPS.metric(
    "leapt_rows", "share of the matched rows in which one of these columns has 0 after a large number, ten times as much or the other sign",
    seldom(
        "Of the rows that both batches have: in how many one of these columns has 0 after a large number (as large as the middle one, of "
        "counts 20 at least), one ten times as large (8 times at least, and 8 times what most rows rose by, after one that is not small, "
        "of counts 20 at least), or one of the other sign after a large one. Where nine in ten rows move nearly as far, none is a mistake.",
        "the share of rows in which a large value of {columns} becomes 0, 8 times as large or of the other sign",
        "In at most {high} of the rows matched by {key} does a large value of {columns} become 0, 8 times as large or of the other sign",
        "No large value of {columns} becomes 0, 8 times as large or of the other sign in the rows matched by {key}",
    ),
    least=1, of_faults=True, of_quantities=True, each="leapt_rows",
)  # fmt: skip
