"""Measures of several columns under faults: their columns are measured together, with each fault of whole rows and of each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.judging import judge
from avh_ui.issues.catching import Floats, Mask, corrected
from avh_ui.issues.coverage import NOTICED, Deliveries
from avh_ui.issues.faults import Fault, column_faults, row_faults
from avh_ui.issues.sample import Sample, neighbour_of
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.column import Kind
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.tables import analyze_table

# Grouping 5,000 rows by two columns takes 4 ms, and a measure of three columns is taken under some 120 faults.
MOST_ROWS = 5_000


@dataclass(frozen=True, eq=False)
class TriedMeasure:
    """A measure under all faults that move its columns: `values` of shape (faults,), and of the batch as it is `clean`."""

    faults: tuple[Fault, ...]
    values: Floats = field(repr=False)
    clean: float

    def notices(self, constraint: Constraint, reference: float | None = None) -> Mask | None:
        """Under which of its faults a constraint on the measure alarms, shape (faults,); None as in `TriedColumn.notices`."""
        if constraint.strategy is not None:
            return None
        statuses = [judge(constraint, float(value), reference).status for value in (*self.values, self.clean)]
        return None if statuses[-1] in NOTICED else np.array([status in NOTICED for status in statuses[:-1]], dtype=bool)


def try_measure(measure: Measure, batch: Deliveries, known: float, *, seed: int = 0) -> TriedMeasure | None:
    """A measure of the batch's columns under the faults of whole rows and of each of its columns. None where it cannot be told of rows in
    memory alone.

    `known` is what it was in the whole batch, NaN where that was not measured: a tenth of the rows has a hundredth of the twins.
    """
    table, names = batch.sample, measure.columns
    if not names or not table.num_rows or not all(name in batch.kinds and name in table.column_names for name in names):
        return None
    if table.num_rows > MOST_ROWS:
        if math.isnan(known) and not batch.sampled:
            known = math.nan if (whole := _value(table, measure)) is None else whole
        table = table.take(np.sort(np.random.default_rng([seed, 79]).choice(table.num_rows, MOST_ROWS, replace=False)))
    clean = _value(table, measure)
    if clean is None:
        return None
    made = list(_faulty_tables(table, batch, names, seed))
    found = [_value(changed, measure) for _, changed in made]
    if any(value is None for value in found):
        return None
    values = np.array(found, dtype=np.float64)
    if math.isfinite(known):
        values, clean = corrected(named(measure.name)[0], values, known, clean), known
    return TriedMeasure(tuple(fault for fault, _ in made), values, clean)


def _faulty_tables(table: pa.Table, batch: Deliveries, names: Iterable[str], seed: int) -> Iterator[tuple[Fault, pa.Table]]:
    """The table under each fault of whole rows, and under each fault of these columns."""
    both = followed(table, batch.before)
    for one in row_faults(table.num_rows, both.num_rows - table.num_rows, seed=seed):
        yield one.fault, both.take(pa.array(one.rows))
    for name in names:
        for fault, values in faulty_columns(table, batch.before, name, batch.kinds[name], seed=seed):
            yield fault, table.set_column(table.column_names.index(name), name, values)


def followed(table: pa.Table, before: pa.Table | None) -> pa.Table:
    """The rows of the batch, then those of the batch before where they have the same columns."""
    if before is None or not set(table.column_names) <= set(before.column_names):
        return table
    try:
        return pa.concat_tables([table, before.select(table.column_names).cast(table.schema)])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return table


def faulty_columns(table: pa.Table, before: pa.Table | None, name: str, kind: Kind, *, seed: int = 0) -> Iterator[tuple[Fault, pa.Array]]:
    """Each fault of a column that leaves all rows, and its values with it; what is no value of the column's type is left out."""
    there = before is not None and name in before.column_names
    old = Sample.from_arrow(before.column(name), kind) if before is not None and there else None
    found = neighbour_of(table, name)
    beside = None if found is None else Sample.from_arrow(found)
    for fault, changed in column_faults(name, Sample.from_arrow(table.column(name), kind), old, beside, seed=seed):
        values = changed.to_type(table.schema.field(name).type) if changed.rows == table.num_rows else None
        if values is not None:
            yield fault, values


def _value(table: pa.Table, measure: Measure) -> float | None:
    """What a validation would observe: NaN where there is nothing to be measured; None where it cannot be told here."""
    result = analyze_table(table, [measure]).results[measure]
    if result.cause == "empty":
        return math.nan
    return float(result.value) if isinstance(result.value, int | float) else None
