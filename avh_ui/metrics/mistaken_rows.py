"""Mistakes in the rows of several columns at once: another row's number, 0 after a large one, ten times as much, another sign.

That none happens is one fact of a table, and not one of each of its columns: said of each it is a third of what a person reads of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.metrics.by_key import SPOILED
from avh_ui.metrics.carried import whole_rows
from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_mistakes import spoiled
from avh_ui.metrics.row_sample import MOST_COLUMNS, RowSample
from avh_ui.metrics.wording import seldom
from avh_ui.metrics.zeros import with_zeros

_Columns = Sequence[str]


def mistaken(ours: RowSample, theirs: RowSample, column: str) -> Mask | None:
    """In which matched rows a column has a mistake; None where it is not there, or has no numbers."""
    found = _change(ours, theirs, column)
    return None if found is None else spoiled(found)


def _change(ours: RowSample, theirs: RowSample, column: str) -> MatchedChange | None:
    found = changes(Matched(ours, column), Matched(theirs, column))
    return found if found is not None and found.numeric else None


def _share(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> float | None:
    """The other columns are judged where one is gone."""
    masks = [mask for name in columns if (mask := mistaken(ours, theirs, name)) is not None]
    return float(np.mean(np.any(masks, axis=0))) if masks else None


def mistaken_columns(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> tuple[str, ...]:
    """Those with a mistake in some row, the one with the most first."""
    found = {name: int(mask.sum()) for name in columns if (mask := mistaken(ours, theirs, name)) is not None and mask.any()}
    return tuple(sorted(found, key=lambda name: -found[name]))


def _rows(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> Keys:
    joined = join(ours, theirs)
    wrong = np.zeros(len(joined.ours), dtype=bool)
    where = dict[str, Mask]()
    for name in columns:
        if (found := _change(ours, theirs, name)) is not None and (mask := spoiled(found)).any():
            where[name] = with_zeros(mask, found.before, found.after)
            wrong |= where[name]
    said = [said_of(ours, theirs, [n for n in where if where[n][at]], joined.ours[at], joined.theirs[at]) for at in np.flatnonzero(wrong)]
    return Keys(f"rows with a mistake in {', '.join(where)}" if where else "rows", ours, joined.ours[wrong], joined.now, tuple(said))


def said_of(ours: RowSample, theirs: RowSample, columns: _Columns, now: int, then: int) -> str:
    """What the columns of a row are and were: `deaths is 0, was 1,240`."""
    return "; ".join(f"{name} is {ours.column(name).shown(int(now))}, was {theirs.column(name).shown(int(then))}" for name in columns)


MISTAKEN_ROWS = Metric(
    "mistaken_rows", OF_ROWS, (RowSample,), 2, "ratio",
    "share of the matched rows in which one of these columns has another row's number, 0 after a large one, ten times as much, or the "
    "other sign",
    lowest=0, highest=1, least=2, most=MOST_COLUMNS, asked=True, by_key=True, parameters=(KEY, ROWS), wants=whole_rows,
    pair=_share, rows_of=_rows, which_of=mistaken_columns, plain="always", of_faults=True, of_quantities=True, each=SPOILED.name,
    error=lambda ours, theirs, value: join(ours, theirs).error(value, len(join(ours, theirs).ours)),
    says=seldom(
        "Of the rows that both batches have: in how many one of several columns took another row's number, has 0 after a large one (as "
        "large as the middle one, of counts 20 at least), one ten times as large (8 times at least, and 8 times what most rows rose by, "
        "after one that is not small, of counts 20 at least), or one of the other sign after a large one.",
        "the share of rows with a mistake in {columns}",
        "In at most {high} of the rows matched by {key} does one of {columns} become another row's, 0 after a large one, ten "
        "times as much, or of the other sign",
        "In no row matched by {key} does one of {columns} become another row's, 0 after a large one, ten times as much, or of "
        "the other sign",
    ),
)  # fmt: skip
