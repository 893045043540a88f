"""What a fault did to the rows of a batch: which changed, before and after, and whose share of it is larger than its size."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from avh_ui.metrics.column import kind_of
from avh_ui.metrics.contributions import Contribution, of_numbers, of_rows
from avh_ui.metrics.moved import LISTED, Moved, moved_keys, moved_values
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.row_sample import Drawing, RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.sampled_rows import MOST_COLUMNS, sample_in


@dataclass(frozen=True)
class ChangedRows:
    """The rows that `moved`, None where none can be told, and the values that `carried` the change beyond their size."""

    moved: Moved | None = None
    carried: tuple[Contribution, ...] = ()


NOTHING = ChangedRows()


def of_table(before: BatchProfile, after: BatchProfile) -> ChangedRows:
    """Of a fault of whole rows, from two profiles of the batch: the keys that went or came, where it has a sample of rows by a key."""
    ours, theirs = sample_in(after.columns), sample_in(before.columns)
    moved = None if ours is None or theirs is None else moved_keys(ours, theirs, LISTED)
    return ChangedRows(moved, tuple(of_rows(after.columns, before.columns)))


def of_column(before: pa.Table, after: pa.Table, column: str, key: tuple[str, ...] = ()) -> ChangedRows:
    """Of a fault of one column, from the batch with and without it, row by row. Rows are named by their place and by their `key`."""
    ours, theirs = (_numbered(table, column, key) for table in (after, before))
    return ChangedRows(moved_values(ours, theirs, column, limit=LISTED), tuple(of_numbers(ours, theirs, column)))


def _numbered(table: pa.Table, column: str, key: tuple[str, ...]) -> RowSample:
    """A sample of rows by their place, since a batch may have no key, or the fault is in it."""
    place = "row"
    while place in table.column_names:
        place += "_"
    by = (place, *(name for name in key if name != column))
    held = [name for name in table.column_names if kind_of(table.schema.field(name).type) != "skipped" and name not in (*by, column)]
    names = (*by, column, *held)[:MOST_COLUMNS]
    arrays = {place: pa.array([f"row {at}" for at in range(1, table.num_rows + 1)]), **{name: table.column(name) for name in names[1:]}}
    return RowSample.of_rows(Rows(table.num_rows, arrays), Need(RowSample, names, None, Drawing(len(by))))
