"""Several columns that never change, or are never lost, in more than few of the rows matched by key, or never stay the same in more than
some: one fact of a table, which was one rule of each of its columns.

Of a table of places with 14 columns 9 stood still, so that a third of what a person read of it was the same sentence nine times. Of four
more tables 8 of 30 rules said that a column is lost in at most 0.5 to 2.2 % of the rows.
"""

from __future__ import annotations

from avh_ui.metrics.by_key import CHANGED, EMPTIED, UNCHANGED
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
# The columns are judged each by itself, as if it had a rule of its own: a bound on all rows in which any changed would let half of one go
# where the others stand still.
MOST_CHANGED = IN_ANY.metric_of_most(
    "most_changed_share", "share of the matched rows with another value in that one of these columns that changed in the most",
    seldom(
        "Of the rows that both batches have: how many have another value now in that one of several columns that changed in the most.",
        "the largest share of changed rows of {columns}",
        "Each of {columns} changes in at most {high} of the rows matched by {key}",
        "{columns} never change in the rows matched by {key}",
    ),
    of_any_change=True, adds_up=True, each=CHANGED.name,
)  # fmt: skip
MOST_UNCHANGED = Marked(lambda change: ~change.changed, "rows with the same {}").metric_of_most(
    "most_unchanged_share", "share of the matched rows with the value before in that one of these columns that changed in the fewest",
    seldom(
        "Of the rows that both batches have: how many have the same value as before in that one of several columns that changed in the "
        "fewest.",
        "the largest share of rows with the same {columns} as before",
        "Each of {columns} stays the same in at most {high} of the rows matched by {key}",
        "{columns} change in all the rows matched by {key}",
    ),
    of_quantities=True, each=UNCHANGED.name,
)  # fmt: skip
MOST_EMPTIED = Marked(lambda change: change.emptied, "rows that lost their {}").metric_of_most(
    "most_emptied_share", "share of the matched rows whose value is gone in that one of these columns that lost the most",
    seldom(
        "Of the rows that both batches have: how many had a value and have none now in that one of several columns that lost the most.",
        "the largest share of emptied rows of {columns}",
        "Each of {columns} is lost in at most {high} of the rows matched by {key}",
        "{columns} are never lost in the rows matched by {key}",
    ),
    adds_up=True, each=EMPTIED.name, did=EMPTIED.did,
)  # fmt: skip
