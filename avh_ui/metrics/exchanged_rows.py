"""Rows that took each other's values, in several columns at once. That it happens in no text is looked for (`inference.by_key.mistaken`);
of numbers, of which other mistakes are told with it where they never happened either, it stands where only this never did.

Of one column it notices two rows alone, so that rules on mixes, which notice more, left no place for it: of 122 pairs of values that were
exchanged in 14 tables of published packages 96 passed.
"""

from __future__ import annotations

from avh_ui.metrics.by_key import EXCHANGED
from avh_ui.metrics.marked_rows import Marked
from avh_ui.metrics.wording import seldom

IN_TEXTS = Marked(lambda change: None if change.numeric else change.exchanged, "rows that took each other's {}")
EXCHANGED_ROWS = Marked(lambda change: change.exchanged, "rows that took each other's {}").metric(
    "exchanged_rows", "share of the matched rows that took each other's values in one of these columns",
    seldom(
        "Of the rows that both batches have: how many took each other's values, in one of several columns.",
        "the share of rows with exchanged {columns}",
        "At most {high} of the rows matched by {key} take each other's {columns}",
        "In none of {columns} do rows matched by {key} take each other's values",
    ),
    of_faults=True, each=EXCHANGED.name,
)  # fmt: skip
