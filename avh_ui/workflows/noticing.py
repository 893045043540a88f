"""Which faults of a batch each rule notices: its column, its condition, or its columns together were measured under each of them once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.several import parts_of
from avh_ui.history.series import History, Series
from avh_ui.issues.coverage import Deliveries, TriedColumn, condition_of
from avh_ui.issues.faults import TENTH, Fault
from avh_ui.issues.keyed_rows import KeyedRows
from avh_ui.issues.mixed_up import EXCHANGED
from avh_ui.issues.several_columns import TriedMeasure, try_measure
from avh_ui.metrics.column import NO_NUMBERS
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MIN
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.profiler import Watch
from avh_ui.validator.results import RuleResult


@dataclass(frozen=True, eq=False)
class TriedBatch:
    """A batch under all faults, with its history up to it and what was said of it; `stale` is the result for the batch before again.

    `columns` are tried at once, measures of several columns or by a key when a rule is on them, and kept.
    """

    history: History
    batch: str
    delivered: Deliveries
    columns: Mapping[str, TriedColumn]
    stale: tuple[RuleResult, ...]
    notes: tuple[str, ...]
    _measures: dict[Measure, TriedMeasure | None] = field(default_factory=dict, repr=False)
    _keyed: dict[tuple[str, ...], KeyedRows] = field(default_factory=dict, repr=False)

    def try_measures(self, constraints: Iterable[Constraint], watch: Watch) -> None:
        """Try what these constraints measure that is of no single column."""
        every = (part for constraint in constraints for part in parts_of(constraint))
        missing = dict.fromkeys(c.measure for c in every if not self._of_column(c) and c.measure not in self._measures)
        for done, measure in enumerate(missing):
            watch.report(done, len(missing), f"trying faults on {measure.subject}")
            self._measures[measure] = self._tried(measure)

    def noticed(self, constraint: Constraint) -> dict[Fault, bool] | None:
        """Under which faults a constraint alarms; None where it cannot be tried, or alarms on the batch as it is."""
        told = [hits for part in parts_of(constraint) if (hits := self._noticed(part)) is not None]
        return {fault: any(hits.get(fault, False) for hits in told) for fault in dict.fromkeys(f for hits in told for f in hits)} or None

    def _noticed(self, constraint: Constraint) -> dict[Fault, bool] | None:
        if condition_of(constraint) is not None:
            return self._by_condition(constraint)
        reference = self._reference(constraint)
        if self._of_column(constraint):
            column, constraint = self._told_by(constraint)
            hits = None if column is None else column.notices(constraint, reference)
            return None if hits is None or column is None else dict(zip(column.faults, hits.tolist(), strict=True))
        tried = self._measures.get(constraint.measure)
        hits = None if tried is None else tried.notices(constraint, reference)
        return None if hits is None or tried is None else dict(zip(tried.faults, hits.tolist(), strict=True))

    def untold(self) -> tuple[str, ...]:
        """What to say of columns that have one value in this batch, and had several before: exchanged values change none, as of the rain
        of a dry day. Of zeros, or of no value at all, no other unit changes any.
        """
        same = [name for name, column in self.columns.items() if not any(fault.way == EXCHANGED for fault in column.faults)]
        shares = {name: self.history.columns[name].values.get(TOP_RATIO.name) for name in same}
        varied = [name for name, found in shares.items() if found is not None and np.nanmin(found, initial=1.0) < 1]
        notes = [f"Exchanged values are not tried where all are the same in this batch: {', '.join(varied)}."] if varied else []
        zero = [
            name for name, column in self.columns.items() if column.kind == "numeric" and not any(f.way == TENTH for f in column.faults)
        ]
        idle = [name for name in zero if any(np.any(np.nan_to_num(self._past(name, end))) for end in (MIN, MAX))]
        notes += [f"Other units are not tried where all values of this batch are 0 or null: {', '.join(idle)}."] if idle else []
        return tuple(notes)

    def _past(self, column: str, metric: Metric) -> Series:
        return self.history.columns[column].values.get(metric.name, NO_NUMBERS)

    def _by_condition(self, constraint: Constraint) -> dict[Fault, bool] | None:
        told = [(column, hits) for column in self.columns.values() if (hits := column.notices_by_rows(constraint)) is not None]
        return {fault: hit for column, hits in told for fault, hit in zip(column.faults, hits.tolist(), strict=True)} if told else None

    def _of_column(self, constraint: Constraint) -> bool:
        """Whether the columns that were tried tell it: what is measured of every column, a condition, or the number of rows."""
        if constraint.of_table or condition_of(constraint) is not None:
            return True
        column = self.columns.get(constraint.column)
        told = isinstance(constraint, PatternConstraint) or column is None or constraint.metric in column.metrics
        return constraint.measure.standard and told

    def _told_by(self, constraint: Constraint) -> tuple[TriedColumn | None, Constraint]:
        """The column that tells it: the number of rows is the same whatever the column, so any that is there does."""
        if not constraint.of_table:
            return self.columns.get(constraint.column), constraint
        column = next((c for c in self.columns.values() if constraint.metric in c.metrics), None)
        if column is None:
            return None, constraint
        return column, replace(constraint, column=column.column, kind=column.kind, measure=Measure(constraint.metric, (column.column,)))

    def _reference(self, constraint: Constraint) -> float | None:
        """The value that a constraint with a lag compares with."""
        known = self.history.of(constraint.measure)
        series = None if known is None else known.values.get(constraint.metric)
        return None if known is None or series is None else constraint.transform.reference_of_last(series, known.batches)

    def _tried(self, measure: Measure) -> TriedMeasure | None:
        if measure.key:
            if measure.key not in self._keyed:
                self._keyed[measure.key] = KeyedRows(measure.key, self.delivered)
            return self._keyed[measure.key].try_measure(measure)
        known = self.history.of(measure)
        series = None if known is None or known.batches[-1:] != (self.batch,) else known.values.get(measure.name)
        return try_measure(measure, self.delivered, math.nan if series is None or not len(series) else float(series[-1]))
