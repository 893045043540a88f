"""Several columns that never change in the rows matched by key: one fact of a table, which was one rule of each of its columns.

Of a table of places with 14 columns 9 stood still, so that a third of what a person read of it was the same sentence nine times.
"""

from __future__ import annotations

from avh_ui.metrics.by_key import CHANGED
from avh_ui.metrics.marked_rows import Marked
from avh_ui.metrics.wording import seldom

IN_ANY = Marked(lambda change: change.changed, "rows with another {}")
# The columns at fault are told one by one, each with its own rows.
CHANGED_ROWS = IN_ANY.metric(
    "changed_rows", "share of the matched rows in which one of these columns has another value",
    seldom(
        "Of the rows that both batches have: in how many one of several columns has another value now.",
        "the share of rows in which {columns} change",
        "In at most {high} of the rows matched by {key} does one of {columns} change",
        "{columns} never change in the rows matched by {key}",
    ),
    rows_of=IN_ANY.columns, of_any_change=True, adds_up=True, each=CHANGED.name,
)  # fmt: skip
