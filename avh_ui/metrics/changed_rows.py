"""Several columns that never change in the rows matched by key: one fact of a table, which was one rule of each of its columns.

Of a table of places with 14 columns 9 stood still, so that a third of what a person read of it was the same sentence nine times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from avh_ui.metrics.by_key import CHANGED
from avh_ui.metrics.carried import whole_rows
from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEY, ROWS
from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_sample import MOST_COLUMNS, RowSample
from avh_ui.metrics.wording import seldom

_Columns = Sequence[str]


def _found(ours: RowSample, theirs: RowSample, columns: _Columns) -> Iterator[tuple[str, MatchedChange]]:
    """How each of the columns differs; the others are judged where one is gone."""
    for name in columns:
        if (found := changes(Matched(ours, name), Matched(theirs, name))) is not None:
            yield name, found


def _share(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> float | None:
    found = [change for _, change in _found(ours, theirs, columns)]
    masks = [change.changed for change in found if not change.still]
    return float(np.mean(np.any(masks, axis=0))) if masks else 0.0 if found else None


def changed_columns(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> tuple[str, ...]:
    """Those that changed, the most important first: what is null in all rows, then what changed in the most."""
    moved = [(name, change) for name, change in _found(ours, theirs, columns) if not change.still]
    return tuple(name for name, change in sorted(moved, key=lambda one: (not one[1].gone, -one[1].changed_rows)))


CHANGED_ROWS = Metric(
    "changed_rows", OF_ROWS, (RowSample,), 2, "ratio", "share of the matched rows in which one of these columns has another value",
    lowest=0, highest=1, least=2, most=MOST_COLUMNS, asked=True, by_key=True, parameters=(KEY, ROWS), wants=whole_rows, pair=_share,
    rows_of=changed_columns, which_of=changed_columns, plain="always", of_any_change=True, adds_up=True, each=CHANGED.name,
    error=lambda ours, theirs, value: join(ours, theirs).error(value, len(join(ours, theirs).ours)),
    says=seldom(
        "Of the rows that both batches have: in how many one of several columns has another value now.",
        "the share of rows in which {columns} change",
        "In at most {high} of the rows matched by {key} does one of {columns} change",
        "{columns} never change in the rows matched by {key}",
    ),
)  # fmt: skip
