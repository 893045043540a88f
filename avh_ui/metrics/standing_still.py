"""Metrics of what was not delivered anew: a part of a batch, a row or a column of it, whose values are those of the batch before, and not
by chance.

A region of nine rows is 8 % of a table of 107, so that how many of all rows stand still says little. That all nine do, and of the others
one in fifty, chance would do once in a million batches. Of one row it takes several columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.metrics.column import OF_ROWS, Counts, Floats
from avh_ui.metrics.joining import Places, join
from avh_ui.metrics.keys_matched import KEY, ROWS, Keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_groups import codes_of, factorials
from avh_ui.metrics.row_order import later_rows
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need
from avh_ui.metrics.wording import Wording

# By chance one of all parts, or rows, stands still once in 2 ** SURE batches: 10,000, the least rate of false alarms that any rule has. Of
# 1,780 days of Italy's provinces 64 have such a region with any number from 10 to 20.
SURE = 13.3
# Of fewer rows nobody calls it a part.
LEAST_ROWS = 3
# So many columns say that a row stands still: a person reads them.
MOST_COLUMNS = 8
# So many parts are named.
_NAMED = 3
_TWO = 2
_Columns = Sequence[str]


@dataclass(frozen=True, eq=False)
class Standing:
    """What may stand still, parts or rows: `among` are the matched rows that tell (places of the newer sample), `codes` the number from 0
    of what each is of; of each of these how many `rows` there are, the `bits` that say that it stands still, 0 where it does not, and if
    all of it does, of parts of `LEAST_ROWS` at least (`whole`).
    """

    among: Places
    codes: Counts
    rows: Counts
    bits: Floats
    whole: Mask

    @property
    def as_it_reads(self) -> bool:
        """Whether some part, or row, stands still, be it by chance."""
        return bool(np.any(self.whole))

    @property
    def stale(self) -> Mask:
        """Which ones stand still and would not by chance."""
        return np.asarray(self.bits > SURE + np.log2(max(len(self.rows), 1)))

    @property
    def renewed(self) -> float:
        """The share of the rows whose part, or which, does not stand still, or by chance."""
        return 1 - len(self.places) / len(self.among)

    @property
    def places(self) -> Places:
        """The rows of these."""
        return np.asarray(self.among[self.stale[self.codes]])


def parts_of(ours: RowSample, theirs: RowSample, columns: _Columns, *, stale: bool = False) -> Standing | None:
    """The parts by the second of two columns, and how sure it is that the first one stands still in each; None where no row tells.

    With `stale`, as if that part alone stood still: what would be noticed of each.
    """
    column, group = columns
    if group not in ours.columns or (found := changes(Matched(ours, column), Matched(theirs, column))) is None:
        return None
    there = _telling(found) & ~ours.column(group).is_null[found.joined.ours]
    among = found.joined.ours[there]
    if not len(among):
        return None
    codes, count = codes_of(ours.column(group).take(among))
    rows = np.bincount(codes, minlength=count)
    same = np.bincount(codes[~found.changed[there]], minlength=count)
    whole, bits = same == rows, np.zeros(count)
    # The rows of the parts that do change say how many stand still by chance.
    every, still = int(rows[~whole].sum()), int(same[~whole].sum())
    asked = np.flatnonzero((rows >= LEAST_ROWS) & (whole | stale))
    if every and len(asked):
        n, own = rows[asked], np.where(whole[asked], 0, 1)
        total, alike = every + n * (1 - own), still + n - own * same[asked]
        ways = factorials(int(rows.sum()))
        # All n rows of the part are among those that stand still: C(N - n, S - n) of C(N, S) ways.
        bits[asked] = ways[total] - ways[alike] - ways[total - n] + ways[alike - n]
    return Standing(among, codes, rows, bits, np.asarray(whole & (rows >= LEAST_ROWS)))


def rows_of(ours: RowSample, theirs: RowSample, columns: _Columns, *, stale: bool = False) -> Standing | None:
    """The rows, and how sure it is that all of the columns stand still in each, as if columns changed apart from each other; None where a
    column is not there or no rows are matched. With `stale`, as if that row alone stood still.
    """
    found = [changes(Matched(ours, name), Matched(theirs, name)) for name in columns]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    moved = np.stack([one.changed for one in known])
    telling = np.stack([_telling(one) for one in known])
    whole = ~moved.any(axis=0)
    rest = telling[:, ~whole]
    every, still = rest.sum(axis=1), (rest & ~moved[:, ~whole]).sum(axis=1)
    # One of the S rows of N that stand still, as of a part of one row.
    total, alike = every[:, None] + whole, still[:, None] + (whole | moved)
    # As it was, a row would have its old values to tell.
    own = np.stack([_telling(one, as_before=True) for one in known]) if stale else telling
    bits = np.where(own, np.log2(np.maximum(total, 1) / np.maximum(alike, 1)), 0.0)
    told = np.where(whole | stale, bits.sum(axis=0), 0.0)
    among = known[0].joined.ours
    return Standing(among, np.arange(len(among)), np.ones(len(among), dtype=np.int64), told, np.asarray(whole))


def still_columns(ours: RowSample, theirs: RowSample, columns: _Columns) -> dict[str, bool]:
    """Of each column whether it stands still in all matched rows that tell; those of which fewer than `LEAST_ROWS` do are not there."""
    still = dict[str, bool]()
    for name in columns:
        found = changes(Matched(ours, name), Matched(theirs, name))
        if found is not None and np.count_nonzero(_telling(found)) >= LEAST_ROWS:
            still[name] = found.still
    return still


def put_right_nowhere(ours: RowSample, theirs: RowSample, columns: _Columns) -> bool:
    """Whether rows of later days came, with values in these columns, and none of these is another in the earlier rows: the columns were
    delivered, and what they said of earlier days stands. Of 784 days of a window of New York's cases 4 are so, as a whole.
    """
    if not later_rows(ours, theirs):
        return False
    new, still = join(ours, theirs).new, still_columns(ours, theirs, columns)
    return bool(still) and all(still.values()) and not any(ours.column(name).is_null[new].all() for name in columns)


def _renewed_columns(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> float | None:
    found = still_columns(ours, theirs, columns)
    if found and put_right_nowhere(ours, theirs, tuple(found)):
        return 1.0
    return 1 - sum(found.values()) / len(found) if found else None


def _telling(found: MatchedChange, *, as_before: bool = False) -> Mask:
    """The matched rows whose value says something, or would if they were `as_before`: it is there, and no 0 that was 0, which may stand
    for nothing at all.
    """
    null, places, numbers = found.ours.is_null, found.joined.ours, found.after
    if as_before:
        null, places, numbers = found.theirs.is_null, found.joined.theirs, found.before
    changed = np.zeros(found.rows, dtype=bool) if as_before else found.changed
    return np.asarray(~null[places] & ((numbers != 0) | changed) if found.numeric else ~null[places])


def _share(of: Callable[..., Standing | None]) -> Callable[..., float | None]:
    def share(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> float | None:
        found = of(ours, theirs, columns) if len(columns) >= _TWO else None
        return None if found is None else found.renewed

    return share


def _stale_parts(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> Keys:
    found = parts_of(ours, theirs, columns) if len(columns) == _TWO else None
    if found is None:
        return _none(ours)
    group = ours.column(columns[1])
    names = list(dict.fromkeys(group.shown(int(at)) for at in found.places))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    # Of one part it is said that they have it in common.
    of = f" of {columns[1]} {', '.join(names[:_NAMED])}{more}" if len(names) > 1 else ""
    what = f"rows{of} whose {columns[0]} is as it was"
    return Keys(what, ours, found.places, join(ours, theirs).now)


def _stale_rows(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> Keys:
    found = rows_of(ours, theirs, columns) if len(columns) >= _TWO else None
    return _none(ours) if found is None else Keys("rows that are as they were", ours, found.places, join(ours, theirs).now)


def _of_still_columns(ours: RowSample, theirs: RowSample, columns: _Columns = ()) -> Keys:
    found = still_columns(ours, theirs, columns)
    names = [] if put_right_nowhere(ours, theirs, tuple(found)) else [name for name, still in found.items() if still]
    joined = join(ours, theirs)
    are = "is as it was" if len(names) == 1 else "are as they were"
    return Keys(f"rows whose {', '.join(names)} {are}", ours, joined.ours, joined.now) if names else _none(ours)


def _none(ours: RowSample) -> Keys:
    return Keys("rows", ours, np.empty(0, dtype=np.int64), 0)


def _whole_rows(measure: Measure) -> tuple[Need, ...]:
    return (Need(RowSample, tuple(dict.fromkeys((*measure.key, *measure.columns))), None, Drawing(len(measure.key))),)


RENEWED_PARTS = Metric(
    "renewed_parts", OF_ROWS, (RowSample,), 2, "ratio",
    "share of the matched rows whose part (by the second column) does not stand still in the first one, or only by chance",
    lowest=0, highest=1, least=_TWO, most=_TWO, asked=True, by_key=True, parameters=(KEY, ROWS), wants=_whole_rows,
    pair=_share(parts_of), rows_of=_stale_parts, plain="always", of_every_value=True,
    says=Wording(
        "Of the rows that both batches have: how many are in a part of the table, such as a region or a shop, in which some value is "
        "another one now; or in one so small, or on so quiet a day, that chance may leave it as it was.",
        "the share of rows in a {other} in which {column} changes",
        least="At least {low} of the rows are in a {other} in which {column} differs from the batch before in some row",
        at={1.0: "In no {other} of 3 rows or more is each {column} as in the batch before"},
    ),
)  # fmt: skip
RENEWED_ROWS = Metric(
    "renewed_rows", OF_ROWS, (RowSample,), 2, "ratio",
    "share of the matched rows in which one of these columns changes, or none does by chance alone",
    lowest=0, highest=1, least=_TWO, most=MOST_COLUMNS, asked=True, by_key=True, parameters=(KEY, ROWS), wants=_whole_rows,
    pair=_share(rows_of), rows_of=_stale_rows, plain="always", of_every_value=True, renewal=True,
    says=Wording(
        "Of the rows that both batches have: in how many one of several columns has another value now, or none does where chance may leave "
        "it so.",
        "the share of rows in which {column}, {other} are not all as they were",
        least="In at least {low} of the rows matched by {key} at least one of {column}, {other} differs from the batch before",
        at={1.0: "In every row matched by {key} at least one of {column}, {other} differs from the batch before"},
    ),
)  # fmt: skip

RENEWED_COLUMNS = Metric(
    "renewed_columns", OF_ROWS, (RowSample,), 2, "ratio", "share of these columns whose value changes in some matched row",
    lowest=0, highest=1, least=_TWO, most=MOST_COLUMNS, asked=True, by_key=True, parameters=(KEY, ROWS), wants=_whole_rows,
    pair=_renewed_columns, rows_of=_of_still_columns, plain="always", of_every_value=True, share_of="columns", renewal=True,
    says=Wording(
        "Of several columns: how many have another value now in some row that both batches have.",
        "the share of {column}, {other} that change in some row",
        least="At least {low} of {column}, {other} differ from the batch before in some row matched by {key}",
        at={1.0: "Each of {column}, {other} differs from the batch before in some row matched by {key}"},
    ),
)  # fmt: skip

OF_STANDING: tuple[Metric, ...] = (RENEWED_PARTS, RENEWED_ROWS, RENEWED_COLUMNS)
