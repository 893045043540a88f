"""Counters that fell by a tenth or more in some row: what only ever grows, but for small corrections.

How far a row of a counter ever fell is a bound that one correction makes wide: after one of 2.6 % in 117 batches one of 68 % passed, and so
did 223,000 tests of a region that were gone. That none falls by a tenth is said of columns whose rows hardly ever fall.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.metrics.carried import whole_rows
from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mistaken_rows import said_of
from avh_ui.metrics.row_mistakes import FEW
from avh_ui.metrics.row_sample import MOST_COLUMNS, RowSample
from avh_ui.metrics.wording import seldom

_Columns = Sequence[str]

# Of the counters of Italy's regions and provinces, where hardly any of 120 batches had such a fall, it happened on 14 and 5 of 1,700 days
# without a documented fault, and on 29 of faults and their mending.
_PART = 0.1
# Of the middle row: small counts fall by a tenth where one is corrected, and what nobody has counted to a province yet becomes 0 and comes
# back.
_SMALL = 0.25


def fell_far(change: MatchedChange) -> Mask:
    """In which matched rows a number that is not small is less by a tenth of it or more."""
    if not change.numeric:
        return np.zeros(change.rows, dtype=bool)
    small = float(change.numbers.size(1.0, _SMALL, FEW)[change.at])
    with np.errstate(invalid="ignore"):
        return np.asarray(change.fallen & change.both & (change.before >= small) & (change.after <= (1 - _PART) * change.before))


def change_of(ours: RowSample, theirs: RowSample, column: str) -> MatchedChange | None:
    """How the numbers of a column differ; None where it is not there, or has none."""
    found = changes(Matched(ours, column), Matched(theirs, column))
    return found if found is not None and found.numeric else None


def _masks(ours: RowSample, theirs: RowSample, columns: _Columns) -> dict[str, Mask]:
    """By column that is there in which rows it fell so far."""
    found = {name: change_of(ours, theirs, name) for name in columns}
    return {name: fell_far(change) for name, change in found.items() if change is not None}


def _share(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> float | None:
    """The other columns are judged where one is gone."""
    masks = _masks(ours, theirs, columns)
    return float(np.mean(np.any([*masks.values()], axis=0))) if masks else None


def fallen_columns(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> tuple[str, ...]:
    """Those that fell so far in some row, the one with the most first."""
    found = {name: int(mask.sum()) for name, mask in _masks(ours, theirs, columns).items() if mask.any()}
    return tuple(sorted(found, key=lambda name: -found[name]))


def _rows(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> Keys:
    joined = join(ours, theirs)
    where = {name: mask for name, mask in _masks(ours, theirs, columns).items() if mask.any()}
    wrong = np.any([np.zeros(len(joined.ours), dtype=bool), *where.values()], axis=0)
    said = [said_of(ours, theirs, [n for n in where if where[n][at]], joined.ours[at], joined.theirs[at]) for at in np.flatnonzero(wrong)]
    return Keys(f"rows whose {', '.join(where)} fell" if where else "rows", ours, joined.ours[wrong], joined.now, tuple(said))


def _of_one(ours: Matched, theirs: Matched) -> float | None:
    """The share of the rows of one column; None where it has no numbers."""
    found = changes(ours, theirs)
    return float(np.mean(fell_far(found))) if found is not None and found.numeric else None


def _error_of_one(ours: Matched, theirs: Matched, value: float) -> float:
    found = changes(ours, theirs)
    return 0.0 if found is None else found.joined.error(value, found.rows)


_FALL = "by a tenth or more, from a number that is not small (a quarter of the middle one or more, of counts 20 at least)."
FALLEN_COUNTER = Metric(
    "fallen_counter", OF_ROWS, (Matched,), 2, "ratio", "share of the matched rows whose number is less by a tenth or more",
    lowest=0, highest=1, asked=True, by_key=True, parameters=(KEY, ROWS), pair=_of_one, rows_of=fell_far, error=_error_of_one,
    plain="always", adds_up=True, of_faults=True, of_quantities=True, did="fell",
    says=seldom(
        f"Of the rows that both batches have: in how many the number fell {_FALL}",
        "the share of rows whose {column} fell by a tenth or more",
        "In at most {high} of the rows matched by {key} does {column} fall by a tenth or more",
        "No value of {column} falls by a tenth or more in the rows matched by {key}",
    ),
)  # fmt: skip
FALLEN_COUNTERS = Metric(
    "fallen_counters", OF_ROWS, (RowSample,), 2, "ratio",
    "share of the matched rows in which one of these columns is less by a tenth or more",
    lowest=0, highest=1, least=2, most=MOST_COLUMNS, asked=True, by_key=True, parameters=(KEY, ROWS), wants=whole_rows,
    pair=_share, rows_of=_rows, which_of=fallen_columns, plain="always", of_faults=True, of_quantities=True, each=FALLEN_COUNTER.name,
    error=lambda ours, theirs, value: join(ours, theirs).error(value, len(join(ours, theirs).ours)),
    says=seldom(
        f"Of the rows that both batches have: in how many one of several columns fell {_FALL}",
        "the share of rows in which {columns} fell by a tenth or more",
        "In at most {high} of the rows matched by {key} does a value of {columns} fall by a tenth or more",
        "No value of {columns} falls by a tenth or more in the rows matched by {key}",
    ),
)  # fmt: skip
