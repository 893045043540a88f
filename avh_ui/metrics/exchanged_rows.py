"""Rows that took each other's texts, in several columns at once.

Of one column it notices two rows alone, so that rules on mixes, which notice more, left no place for it: of 122 pairs of values that were
exchanged in 14 tables of published packages 96 passed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.metrics.by_key import EXCHANGED
from avh_ui.metrics.carried import whole_rows
from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import Matched, changes
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mistaken_rows import said_of
from avh_ui.metrics.row_sample import MOST_COLUMNS, RowSample
from avh_ui.metrics.wording import seldom

_Columns = Sequence[str]


def exchanged(ours: RowSample, theirs: RowSample, column: str) -> Mask | None:
    """Which matched rows took each other's texts of a column; None where it is not there, or has numbers alone."""
    found = changes(Matched(ours, column), Matched(theirs, column))
    return None if found is None or found.numeric else found.exchanged


def _share(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> float | None:
    """The other columns are judged where one is gone."""
    masks = [mask for name in columns if (mask := exchanged(ours, theirs, name)) is not None]
    return float(np.mean(np.any(masks, axis=0))) if masks else None


def exchanged_columns(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> tuple[str, ...]:
    """Those in which rows took each other's texts, the one with the most first."""
    found = {name: int(mask.sum()) for name in columns if (mask := exchanged(ours, theirs, name)) is not None and mask.any()}
    return tuple(sorted(found, key=lambda name: -found[name]))


def _rows(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> Keys:
    joined = join(ours, theirs)
    where = {name: mask for name in columns if (mask := exchanged(ours, theirs, name)) is not None and mask.any()}
    wrong = np.any([np.zeros(len(joined.ours), dtype=bool), *where.values()], axis=0)
    said = [said_of(ours, theirs, [n for n in where if where[n][at]], joined.ours[at], joined.theirs[at]) for at in np.flatnonzero(wrong)]
    what = f"rows that took each other's {', '.join(where)}" if where else "rows"
    return Keys(what, ours, joined.ours[wrong], joined.now, tuple(said))


EXCHANGED_TEXTS = Metric(
    "exchanged_rows", OF_ROWS, (RowSample,), 2, "ratio",
    "share of the matched rows that took each other's texts in one of these columns",
    lowest=0, highest=1, least=2, most=MOST_COLUMNS, asked=True, by_key=True, parameters=(KEY, ROWS), wants=whole_rows,
    pair=_share, rows_of=_rows, which_of=exchanged_columns, plain="always", of_faults=True, each=EXCHANGED.name,
    error=lambda ours, theirs, value: join(ours, theirs).error(value, len(join(ours, theirs).ours)),
    says=seldom(
        "Of the rows that both batches have: how many took each other's texts, in one of several columns.",
        "the share of rows with exchanged {columns}",
        "At most {high} of the rows matched by {key} take each other's {columns}",
        "No rows matched by {key} take each other's {columns}",
    ),
)  # fmt: skip
