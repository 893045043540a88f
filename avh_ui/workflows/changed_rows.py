"""What a fault did to the rows of a batch: which changed, before and after, and whose share of it is larger than its size."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from avh_ui.constraints.constraint import Verdict
from avh_ui.metrics.column import kind_of
from avh_ui.metrics.contributions import Contribution, of_numbers, of_rows
from avh_ui.metrics.counts import ROW_COUNT
from avh_ui.metrics.moved import LISTED, Moved, moved_values
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import MOST_COLUMNS, RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.workflows.moved_rows import rows_between


@dataclass(frozen=True)
class ChangedRows:
    """The rows that `moved`, None where none can be told, and the values that `carried` the change beyond their size. They moved since
    the batch `against` that the rules compare with, where as many moved `without` the fault; '' is the batch as it is.
    """

    moved: Moved | None = None
    carried: tuple[Contribution, ...] = ()
    against: str = ""
    without: int = 0


NOTHING = ChangedRows()


def of_table(before: BatchProfile, after: BatchProfile, earlier: BatchProfile | None, told: Verdict | None) -> ChangedRows:
    """Of a fault of whole rows, from the batch's profiles without and with it: the rows that what is `told` of it names, and where it names
    none the keys that went or came. Compared with the `earlier` batch as the rules are, so that a sentence and its table count alike;
    None is the batch as it is.
    """
    about = ("", ROW_COUNT.name) if told is None else (told.constraint.column, told.constraint.metric)
    base = before if earlier is None else earlier
    moved, still = (rows_between(one, base, column=about[0], metric=about[1]) for one in (after, before))
    carried = tuple(of_rows(after.columns, before.columns))
    if earlier is not None and (moved is None or not moved.rows):
        # No key of the batch before comes again, so that nothing is told of it: the batch as it is tells what the fault did.
        return of_table(before, after, None, told)
    if earlier is None:
        return ChangedRows(moved, carried)
    alike = moved is not None and still is not None and moved.what == still.what
    return ChangedRows(moved, carried, earlier.batch, still.count if alike and still is not None else 0)


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
