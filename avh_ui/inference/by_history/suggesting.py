"""Suggesting by AVH: from the history of a window's columns and the issues of its latest batch to a program for each column.

`measured` takes time and data, `MeasuredColumn.fitted` fits the history, and `reprogram` chooses within a budget, both in milliseconds;
`suggest` is all three.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.constraints.evidence import FromRelation
from avh_ui.history.regimes import TABLE
from avh_ui.history.series import ColumnHistory, batch_order
from avh_ui.inference.by_history import where_filled
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import Unconstrained
from avh_ui.inference.by_history.meant import LEAST_VALUES, as_prose, telling, tried
from avh_ui.inference.by_history.measured import MeasuredColumn, fitted_together
from avh_ui.inference.by_history.reprogramming import reprogram_table
from avh_ui.inference.kinds.declarations import (
    KindDeclaration,
    declaration_of,
)
from avh_ui.inference.kinds.moments import declared_for
from avh_ui.inference.source import Budget, Proposed, Window
from avh_ui.issues.column_issues import ColumnIssues, Issues
from avh_ui.issues.variants import PAPER, WITH_NULLS, Magnitudes
from avh_ui.metrics.by_key import CHANGED, EMPTIED, FILLED
from avh_ui.metrics.catalogue import CATALOGUE, metric, of_any_kind
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_NEW
from avh_ui.metrics.measure import subject_in
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.text import CAPITAL_RATIO, STR_LEN
from avh_ui.metrics.type_names import SAMPLED
from avh_ui.metrics.uniqueness import UNIQUE_RATIO

# What is a record or a list, by how it begins and ends, and how many values are.
_RECORD, _NEARLY_ALL = r"^\s*(?:\{[\s\S]*\}|\[[\s\S]*\])\s*$", 0.9
# How issues end that leave some of the values.
_SOME_NULL = "% null"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FoundByHistory(Proposed):
    """With what was measured of the columns: kept, it answers every later question without data."""

    measured: tuple[MeasuredColumn, ...] = ()


def suggest(window: Window, issues: Issues, budget: Budget, watch: Watch) -> FoundByHistory:
    """A program for every column of the window within the budget; with too little history left it has none, and its reason."""
    made, same_rows = [], _same_rows(window)
    for done, column in enumerate((*window.columns, *window.turned)):
        watch.check()
        watch.report(done, len(window.columns) + len(window.turned), f"programming {column.column}")
        kind = window.kinds.get(column.column) if budget.method == "calibrated" else None
        there = column.column in window.sample.column_names
        of = declared_for(kind, column, window.sample.column(column.column)) if there else declaration_of(kind)
        method = cast(Method, budget.method)
        stay = _same_values(window, column)
        same = same_rows or stay
        found = measured(column, issues.of(column.column), method, window.season_lags, of, moving=window.moving, same_rows=same)
        if stay and budget.pairs and method == "calibrated" and _never(_rows_of(window, column), CHANGED):
            found = _held_by_rows(found)
        if column in window.turned:
            found = _of_any_kind(found)
        if method == "calibrated":
            found = _counted(_as_records(found, window.sample.column(column.column)) if there else found, window, column)
        made.append(replace(found, **_said(window, column.column)))
    watch.report(len(window.columns), len(window.columns), "done")
    made, prepared = fitted_together(made, exclude=window.exclude)
    results = reprogram_table(
        prepared,
        budget.fpr,
        table_fpr=budget.table_fpr,
        max_clauses=budget.max_clauses,
        excluded_metrics=() if budget.pairs else {m.name for m in CATALOGUE if m.two_distribution},
    )
    proposals = [proposal for result in results for proposal in result.suggestions]
    limits = where_filled.suggest(window, made, budget) if budget.method == "calibrated" else []
    evidence = [one.evidence for one in limits if isinstance(one.evidence, FromRelation)]
    noticed = {issue for one in evidence for issue in one.caught}
    left_out = [out for result in results for out in result.reasons if f"{out['column']} {out.get('issue', '')}" not in noticed]
    return FoundByHistory([*proposals, *limits], left_out, measured=tuple(made))


def _same_rows(window: Window) -> bool:
    """Whether batches have a few rows, which are the same in all of them: the key is known, and none was gone or new."""
    return float(np.median(window.history.rows)) < LEAST_VALUES and _never(_keys(window), KEYS_GONE, KEYS_NEW)


def _same_values(window: Window, column: ColumnHistory) -> bool:
    """Whether the same of the rows have a value in every batch: no key was gone or new, and no matched row lost a value or has one now."""
    keys, there = _keys(window), column.values_there()
    if keys is None or there is None or np.ptp(np.round(there)) > 0 or not _never(keys, KEYS_GONE, KEYS_NEW):
        return False
    return _never(_rows_of(window, column), EMPTIED, FILLED)


def _rows_of(window: Window, column: ColumnHistory) -> ColumnHistory | None:
    """What matched rows say of a column; None where there are none."""
    keys = _keys(window)
    return keys and next((one for one in window.matched if one.column == subject_in(column.column, keys.column)), None)


def _held_by_rows(found: MeasuredColumn) -> MeasuredColumn:
    """Without the share of nulls of a column that never changes in any row, and of which some rows have no value: "always 17.21 % of
    fertility are null" says how many countries there are. That a row loses its value, or has one now, is a change, which no row may have.
    Of one whose values move nothing else may tell a few that are lost: there no rule by key took the place of the share.
    """
    name = COMPLETE_RATIO.name
    share = found.history.values.get(name, np.empty(0))
    if name not in found.metrics or not len(share) or not 0 < share[-1] < 1:
        return found
    return _without(found, name, "no row ever changed: one that loses its value, or has one now, is judged by key")


def _without(found: MeasuredColumn, name: str, why: str) -> MeasuredColumn:
    """Without a metric, which is left out with its reason; as it is where it has none of that name."""
    if name not in found.metrics:
        return found
    kept = np.array([metric != name for metric in found.metrics], dtype=bool)
    metrics = tuple(metric for metric in found.metrics if metric != name)
    return replace(found, metrics=metrics, values=found.values[kept], left_out=(*found.left_out, Unconstrained(name, why)))


def _as_records(found: MeasuredColumn, values: pa.ChunkedArray) -> MeasuredColumn:
    """Without how many of the letters are capitals, and how long texts are on average, where nearly all of the `values` are records or
    lists in JSON: readers kept none of 7 such rules, and asked who wants to know.
    """
    if found.history.kind != "string" or (not pa.types.is_string(values.type) and not pa.types.is_large_string(values.type)):
        return found
    records = pc.mean(pc.match_substring_regex(values.drop_null(), _RECORD)).as_py()
    if records is None or records < _NEARLY_ALL:
        return found
    why = "its values are records, of which nobody counts the letters"
    return _without(_without(found, CAPITAL_RATIO.name, why), STR_LEN.name, why)


def _counted(found: MeasuredColumn, window: Window, column: ColumnHistory) -> MeasuredColumn:
    """Without how many values differ, where all were said to by sketches, and counted they do not: five of 1,171 airports share a name, a
    sketch said 1,171, and "no value of name occurs twice" was suggested.
    """
    name = UNIQUE_RATIO.name
    shares, there = column.values.get(name, np.empty(0)), column.values_there()
    if name not in found.metrics or there is None or not len(shares) or not np.all(shares == 1) or not column.errors(name)[-1] > 0:
        return found
    count = window.distinct({column.column: column.kind}).get(column.column)
    if count is None or count >= round(float(there[-1])):
        return found
    return _without(found, name, f"counted exactly, {round(float(there[-1])) - count:,} values of the latest batch repeat another")


def _keys(window: Window) -> ColumnHistory | None:
    """The history of the keys by which rows are matched; None where there are none."""
    return next((one for one in window.matched if one.type == SAMPLED), None)


def _never(history: ColumnHistory | None, *metrics: Metric) -> bool:
    """Whether these are known, and were 0 in all batches."""
    moved = [] if history is None else [history.values[m.name] for m in metrics if m.name in history.values]
    return bool(moved) and not any(np.nan_to_num(values).any() for values in moved)


def _of_any_kind(found: MeasuredColumn) -> MeasuredColumn:
    """With the metrics that are the same of every kind alone: the column was of another one before."""
    kept = [of_any_kind(metric(name, found.history.kind)) for name in found.metrics]
    names = tuple(name for name, keep in zip(found.metrics, kept, strict=True) if keep)
    return replace(found, metrics=names, values=found.values[np.array(kept, dtype=bool)], left_out=())


def _said(window: Window, column: str) -> dict[str, Any]:
    """What validations and people said of a column's batches."""
    untaught = tuple(sorted(window.untaught.get(column, ()), key=batch_order))
    begun = {"begins": window.begins.get(column, ""), "rows_begin": window.begins.get(TABLE, "")}
    return {"untaught": untaught, **begun, "stay": window.values_stay(column)}


def magnitudes_of(method: str) -> Magnitudes:
    """How strong the issues are that a method trains on: Appendix B's, with true nulls and turned signs beside them but for the paper's."""
    return PAPER if method == "paper" else WITH_NULLS


def measured(
    history: ColumnHistory,
    issues: ColumnIssues,
    method: Method,
    season_lags: tuple[int, ...],
    of: KindDeclaration | None = None,
    *,
    moving: bool = False,
    same_rows: bool = False,
) -> MeasuredColumn:
    """The metrics of D(C) that mean something `of` what the column is (None: all), with the history they will be compared with; the part
    that takes time and data. Of a table that is a `moving` window extremes step when a row leaves, and mean nothing; of few rows an average
    says something where they are the `same_rows` in every batch. What has an order is no name: that values are renamed throughout is no
    issue of it.
    """
    metrics, left_out = telling(history, issues, method, of, moving=moving, same_rows=same_rows)
    if issues.kind != history.kind:
        why = f"the latest batch is {issues.kind} and the history {history.kind}"
        left_out += [Unconstrained(m.name, why) for m in metrics if not of_any_kind(m)]
        metrics = [m for m in metrics if of_any_kind(m)]
    some = tried(issues, of, prose=as_prose(history, issues, of))
    variants = tuple(np.array(issues.names)[some].tolist()) if metrics else ()
    return MeasuredColumn(
        history=history,
        rows=issues.rows,
        method=method,
        season_lags=season_lags,
        metrics=tuple(m.name for m in metrics),
        variants=variants,
        values=_with_chance_left_out(issues.values(metrics)[:, some], history, metrics, variants),
        left_out=tuple(left_out),
        limits=(-math.inf, math.inf) if of is None else (of.lowest, of.highest),
    )


def _with_chance_left_out(values: Floats, history: ColumnHistory, metrics: Sequence[Metric], variants: Sequence[str]) -> Floats:
    """The metrics' values on the issues, of shape (M, V), with the share of the most frequent value as it is where some of the values are
    null: which of them are left is chance, and half of the times of arrival null stood for a rule that none, or few, are.
    """
    some = np.array([name.endswith(_SOME_NULL) for name in variants], dtype=bool)
    for row, of in zip(values, metrics, strict=True):
        if of.name == TOP_RATIO.name and len(history.values.get(of.name, ())):
            row[some & np.isfinite(row)] = history.values[of.name][-1]
    return values
