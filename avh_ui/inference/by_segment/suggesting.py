"""Suggesting for segments: how many rows each has, how much of a column is filled in it, and at which level its numbers are.

Half of one airport's rows are a sixth of the table's, half of one region's values a fortieth: what the rules on all rows do not notice has
a rule on the segment, and nothing else has. Each is a rule with a `where`, published and enforced like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.segment_conditions import condition_of
from avh_ui.errors import NotEnoughHistoryError
from avh_ui.history.series import ColumnHistory, History
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import fit_metrics
from avh_ui.inference.by_history.lightest import lightest
from avh_ui.inference.by_history.measured import PreparedColumn, without
from avh_ui.inference.by_segment.part_faults import HALF, NULLS, TWICE, UNIT, Mask, WholeTable
from avh_ui.inference.kinds.declarations import declaration_of, is_amount
from avh_ui.inference.source import Budget, LeftOut, Proposed, Window
from avh_ui.issues.variants import MILE
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MEAN
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.segment import Segment

# A segment is one that is always there: in so many batches in a row.
LEAST_BATCHES = 30
# Of fewer rows a day, half of them missing or null is a bad day's chance.
LEAST_ROWS = 30
# The largest so many are looked at, and so many rules are suggested: a person reads each.
MOST_SEGMENTS, MOST = 20, 20
# So much all of them may cost a table, as what is matched by key (`by_key.suggesting.MOST_OF_TABLE`).
MOST_OF_TABLE = 0.01
# A rule notices what it notices on all days but the tenth with the most rows, or the fewest.
FEW = 0.1
# What a fault makes of the number it is seen by: of rows, of the share that is filled (somewhat less than half null, since half is never
# half to the row), of a mean where half is in another unit.
_MADE = {HALF: 0.5, TWICE: 2.0, NULLS: 0.6, UNIT: (1 + MILE) / 2}
# A condition alone is measured as a column of truth values.
_ROWS = "boolean"


@dataclass(frozen=True)
class Part:
    """A segment with its own history, as if it were a table."""

    segment: Segment
    history: History


@dataclass(frozen=True, eq=False)
class _Wanted:
    """A rule that would notice `faults` that no rule on all rows does: of `metric`, by the history of a segment (or of a column in it)."""

    measure: Measure
    metric: Metric
    history: ColumnHistory
    rows: int
    faults: tuple[str, ...]


def suggest(window: Window, parts: Sequence[Part], whole: WholeTable, budget: Budget, watch: Watch, seed: int = 0) -> Proposed:
    """A rule for each fault of a segment that the rules on the `whole` do not notice, where the segment's history gives one that does."""
    found: list[_Wanted] = []
    steady = sorted((one for one in parts if _is_steady(one, window)), key=lambda one: -float(one.history.rows[-1]))[:MOST_SEGMENTS]
    for part in steady:
        watch.check()
        rows = _rows_of(part.segment, whole.sample)
        if rows is not None and rows.sum() >= 2:
            found += _wanted(part, rows, window, whole, seed)
    proposals, left_out = list[Proposal](), list[LeftOut]()
    fpr = min(budget.fpr, MOST_OF_TABLE / max(len(found), 1))
    for one in found:
        watch.check()
        made = _proposal(one, window, replace(budget, fpr=fpr))
        if isinstance(made, Proposal):
            proposals.append(made)
        else:
            left_out.append({"column": one.measure.subject, "metric": one.metric.name, "reason": made})
    kept = sorted(proposals, key=lambda p: -len(p.evidence.caught))[:MOST]
    if len(kept) < len(proposals):
        left_out.append({"column": "", "metric": "", "reason": f"{len(proposals) - MOST} more rules on segments: {MOST} are suggested"})
    return Proposed([p for p in proposals if p in kept], left_out)


def _is_steady(part: Part, window: Window) -> bool:
    """Whether the segment is in each of the latest batches, with enough rows."""
    there = set(part.history.batches)
    latest = window.batches[-LEAST_BATCHES:]
    if not part.segment.values or len(latest) < LEAST_BATCHES or not there.issuperset(latest):
        return False
    return float(np.median(part.history.rows[-LEAST_BATCHES:])) >= LEAST_ROWS


def _rows_of(segment: Segment, sample: pa.Table) -> Mask | None:
    """The sample's rows of a segment; None where its columns are not texts, whose values a condition compares as they are."""
    found = np.ones(sample.num_rows, dtype=bool)
    for column, value in segment.values:
        if column not in sample.column_names:
            return None
        array = sample.column(column)
        array = pc.cast(array, array.type.value_type) if pa.types.is_dictionary(array.type) else array
        if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
            return None
        hit = pc.is_null(array) if value is None else pc.fill_null(pc.equal(array, pa.scalar(value, array.type)), False)
        found &= np.asarray(hit.to_numpy(zero_copy_only=False), dtype=bool)
    return found


def _wanted(part: Part, rows: Mask, window: Window, whole: WholeTable, seed: int) -> Iterator[_Wanted]:
    where, told_by = condition_of(part.segment), [column for column, _ in part.segment.values]
    count = int(part.history.rows[-1])
    missed = tuple(fault for fault in (HALF, TWICE) if not whole.notices_rows(rows, told_by, fault, seed))
    if missed:
        measure = Measure(ROW_COUNT.name, where=where)
        values = {ROW_COUNT.name: part.history.rows.astype(np.float64)}
        series = ColumnHistory(measure.subject, _ROWS, _ROWS, part.history.batches, values, np.ones(len(part.history.batches), dtype=bool))  # type: ignore[arg-type]
        yield _Wanted(measure, ROW_COUNT, series, count, missed)
    for column in window.columns:
        own = part.history.columns.get(column.column)
        if column.column in told_by or own is None or own.kind != column.kind:
            continue
        known = declaration_of(window.kinds.get(column.column))
        amount = own.kind == "numeric" and known is not None and is_amount(known)
        for metric, fault in ((COMPLETE_RATIO, NULLS), *([(MEAN, UNIT)] if amount else [])):
            if fault == NULLS and whole.follows_nulls(column.column):
                continue
            if not whole.notices_values(rows, column.column, fault, seed):
                yield _Wanted(Measure(metric.name, (column.column,), where), metric, own, count, (fault,))


def _proposal(one: _Wanted, window: Window, budget: Budget) -> Proposal | str:
    """The rule that notices what it is wanted for within the budget; else why there is none."""
    history = without(one.history, window.exclude, window.untaught.get(one.history.column, ()))
    start = max(0, len(history.batches) - len(window.batches))
    history = replace(history.window(start, len(history.batches)), column=one.measure.subject)
    method = cast(Method, budget.method)
    try:
        models, left_out = fit_metrics(history, method=method, season_lags=window.season_lags, metrics=[one.metric])
    except NotEnoughHistoryError as error:
        return str(error)
    if not models:
        return next((out.reason for out in left_out), "no bounds follow from its history")
    values = float(history.values[one.metric.name][-1]) * np.array([[_MADE[fault] for fault in one.faults]])
    prepared = PreparedColumn(
        history.column, history.kind, history.batches, one.rows, method, tuple(models), (), one.faults, values, window.season_lags
    )
    if (found := lightest(prepared, budget.fpr)) is None:
        return "it varies so much that half of it could be wrong"
    return replace(found, constraint=replace(found.constraint, measure=one.measure))
