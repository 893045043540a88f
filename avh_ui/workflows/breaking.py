"""Breaking a batch on trial: a table of its rows with one of the faults that coverage is told of."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.errors import NotFoundError
from avh_ui.issues.days_off import DAYS_OFF
from avh_ui.issues.faults import (
    AS_TEXTS,
    EMPTY,
    NEIGHBOUR,
    ONE_VALUE,
    OTHER_ORDER,
    REPEATED,
    TABLE,
    TENTH,
    THINNED,
    TO_ZERO,
    YEAR_LATER,
    Fault,
    FaultClass,
    column_faults,
    row_faults,
)  # fmt: skip
from avh_ui.issues.mixed_up import EXCHANGED, LARGEST_HALF, LARGEST_TENFOLD, LARGEST_ZERO, SHIFTED_ROW
from avh_ui.issues.sample import Sample, neighbour_of
from avh_ui.issues.thinning import rows_left
from avh_ui.issues.variants import IN_MILES
from avh_ui.metrics.column import NUMBER_KINDS, Kind, kind_of
from avh_ui.workflows.injecting import RETYPE, as_before, inject

_OF_ROWS: tuple[tuple[FaultClass, str], ...] = (
    ("rows lost", "rows at random"),
    ("rows doubled", "rows twice"),
    ("stale", "rows of the batch before"),
    ("duplicates", "rows that are copies of others"),
)
_OF_NUMBERS: tuple[tuple[FaultClass, str], ...] = (
    ("unit or range", "x10"),
    ("unit or range", IN_MILES),
    ("unit or range", "the sign turned"),
    ("unit or range", TO_ZERO),
    ("unit or range", TENTH),
    ("unit or range", ONE_VALUE),
    ("unit or range", NEIGHBOUR),
    ("type or format", AS_TEXTS),
    ("mixed-up rows", LARGEST_ZERO),
    ("mixed-up rows", LARGEST_TENFOLD),
    ("mixed-up rows", LARGEST_HALF),
)
_OF_DAYS: tuple[tuple[FaultClass, str], ...] = tuple(("unit or range", way) for way in (YEAR_LATER, *DAYS_OFF))
_OF_TIMES: tuple[tuple[FaultClass, str], ...] = (*_OF_DAYS, ("type or format", AS_TEXTS))
_OF_TEXTS: tuple[tuple[FaultClass, str], ...] = (
    ("type or format", "a blank after"),
    ("type or format", "the other case"),
    ("type or format", "one character less"),
    ("type or format", OTHER_ORDER),
    *_OF_DAYS,
    ("new or lost values", ONE_VALUE),
    ("new or lost values", NEIGHBOUR),
)
_OF_TRUTHS: tuple[tuple[FaultClass, str], ...] = (("new or lost values", NEIGHBOUR),)
_OF_ALL: tuple[tuple[FaultClass, str], ...] = (
    ("stale", "values of the batch before"),
    ("new or lost values", "renamed throughout"),
    ("new or lost values", "lost to another"),
    ("new or lost values", THINNED),
    ("duplicates", "values of other rows"),
    ("mixed-up rows", EXCHANGED),
    ("mixed-up rows", SHIFTED_ROW),
)


@dataclass(frozen=True)
class Broken:
    """The table with the fault, and what was done to it in words."""

    table: pa.Table
    words: str


def ways_of(kind: Kind | None) -> tuple[tuple[FaultClass, str], ...]:
    """The faults of a column of this kind (None: of whole rows), as class and way. Some change nothing in some batches."""
    if kind is None:
        return _OF_ROWS
    own = _OF_TIMES if kind == "temporal" else _OF_NUMBERS if kind in NUMBER_KINDS else _OF_TEXTS if kind == "string" else _OF_TRUTHS
    return (("nulls", "null"), *own, *_OF_ALL)


def broken(table: pa.Table, before: pa.Table | None, fault: Fault, *, seed: int = 0) -> Broken:
    """A table with the fault; `before` is the batch before it. All other values stay as they are, and so do the types where they can.

    `NotFoundError` for an unknown column, and for a fault that changes nothing here.
    """
    if fault.column == TABLE:
        return Broken(_rows(table, before, fault, seed), _words(fault))
    if fault.column not in table.column_names:
        raise NotFoundError("column", fault.column, table.column_names)
    if fault.way == AS_TEXTS:
        return Broken(inject(table, RETYPE, fault.column).table, f"the numbers of {fault.column} as texts")
    old = table.column(fault.column).combine_chunks()
    if fault.way == THINNED:
        if (left := rows_left(Sample.from_arrow(old), fault.severity)) is None:
            raise _changes_nothing(fault)
        return Broken(table.take(pa.array(left)), f"{fault.cls} in {fault.column}: {fault.way}, {100 * fault.severity:g}% of these")
    earlier = Sample.from_arrow(before.column(fault.column)) if before is not None and fault.column in before.column_names else None
    sample, beside = Sample.from_arrow(old), neighbour_of(table, fault.column)
    made_of = column_faults(fault.column, sample, earlier, None if beside is None else Sample.from_arrow(beside), seed=seed)
    found = next((changed for one, changed in made_of if one == fault), None)
    if found is None:
        raise _changes_nothing(fault)
    new = found.to_arrow()
    made = as_before(new, old.type)
    if made.type == old.type:
        # A number of 64 bits would not come back from a float as it was.
        made = pc.if_else(_differs(sample.to_arrow(), new), made, old)
    return Broken(table.set_column(table.column_names.index(fault.column), fault.column, made), _words(fault))


def _rows(table: pa.Table, before: pa.Table | None, fault: Fault, seed: int) -> pa.Table:
    if fault.cls == "rows lost" and fault.severity == 1:
        return table.slice(0, 0)
    if fault.cls == "stale" and fault.severity == 1 and before is not None:
        return before
    known = before.select(table.column_names).cast(table.schema) if before is not None and _alike(table, before) else None
    made = row_faults(table.num_rows, known.num_rows if known is not None else 0, seed=seed)
    rows = next((one.rows for one in made if one.fault == fault), None)
    if rows is None:
        raise _changes_nothing(fault)
    both = table if known is None else pa.concat_tables([table, known])
    return both.take(pa.array(rows))


def _alike(table: pa.Table, before: pa.Table) -> bool:
    return set(table.column_names) <= set(before.column_names) and all(
        kind_of(table.schema.field(name).type) == kind_of(before.schema.field(name).type) for name in table.column_names
    )


def _differs(old: pa.Array, new: pa.Array) -> pa.Array:
    """Which values are not the same, null being one."""
    changed = pc.fill_null(pc.not_equal(old, new), False)
    return pc.or_(changed, pc.xor(pc.is_null(old), pc.is_null(new)))


def _words(fault: Fault) -> str:
    share = f"{100 * fault.severity:g}% of the rows"
    if fault.column == TABLE:
        return {(TABLE, 1.0, "rows lost"): EMPTY, (TABLE, 1.0, "stale"): REPEATED}.get(
            (fault.column, fault.severity, fault.cls), f"{fault.cls}: {fault.way}, {share}"
        )
    return f"{fault.cls} in {fault.column}: {fault.way}, {share}"


def _changes_nothing(fault: Fault) -> NotFoundError:
    what = f"fault “{fault.cls}: {fault.way}” that changes {fault.column or 'the rows'} of this batch"
    return NotFoundError(what, f"{100 * fault.severity:g}%", (), hint="Choose another fault, share or batch.")
