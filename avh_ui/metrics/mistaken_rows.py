"""Mistakes in the rows of several columns at once: exchanged numbers, 0 after a large one, ten times as much, another sign.

That none happens is one fact of a table, and not one of each of its columns: said of each it is a third of what a person reads of them.
"""

from __future__ import annotations

from avh_ui.metrics.by_key import SPOILED
from avh_ui.metrics.marked_rows import Marked
from avh_ui.metrics.row_mistakes import spoiled
from avh_ui.metrics.wording import seldom

IN_NUMBERS = Marked(lambda change: spoiled(change) if change.numeric else None, "rows with a mistake in {}")
MISTAKEN_ROWS = IN_NUMBERS.metric(
    "mistaken_rows",
    "share of the matched rows in which one of these columns has exchanged numbers, 0 after a large one, ten times as much, or the "
    "other sign",
    seldom(
        "Of the rows that both batches have: in how many one of several columns took each other's numbers, has 0 after a large one (as "
        "large as the middle one, of counts 20 at least), one ten times as large (8 times at least, and 8 times what most rows rose by, "
        "after one that is not small, of counts 20 at least), or one of the other sign after a large one. Where nine in ten rows move "
        "nearly as far, none is a mistake.",
        "the share of rows with a mistake in {columns}",
        "At most {high} of the rows matched by {key} become 0, 8 times as large or of the other sign in {columns}, small numbers aside, "
        "or swap theirs",
        "No single row matched by {key} becomes 0, 8 times as large or of the other sign in {columns}, small numbers aside, and no two "
        "swap theirs",
    ),
    of_faults=True, of_quantities=True, each=SPOILED.name,
)  # fmt: skip
