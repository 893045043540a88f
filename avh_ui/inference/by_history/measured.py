"""What a suggestion run measured of a column: kept, it answers every later question without reading data again.

The variants x metrics matrix depends on the latest batch alone. Another target, bound, conjunction, span of history or set of excluded
batches only fits and chooses anew.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Record
from avh_ui.errors import NotEnoughHistoryError
from avh_ui.history.marks import without_marks
from avh_ui.history.series import ColumnHistory, batch_order
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import Candidates, MetricModel, Unconstrained, candidates_of, fit_metrics
from avh_ui.inference.by_history.own_record import own_tail
from avh_ui.inference.by_history.relevelled import relevelled
from avh_ui.issues.catching import Mask, caught_by, outside_bounds
from avh_ui.metrics.catalogue import asked_for, metrics_for
from avh_ui.metrics.column import Kind

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PreparedColumn:
    """A column's `models` (M of them), the metrics that have none with their reasons, and `values` of shape (M, V): each model's metric
    on each of the synthetic issues called `variants`. `rows` is the latest batch's number of rows, `season_lags` are the cadence's.
    """

    column: str
    kind: Kind
    batches: tuple[str, ...]
    rows: int
    method: Method
    models: tuple[MetricModel, ...]
    left_out: tuple[Unconstrained, ...]
    variants: tuple[str, ...]
    values: Floats = field(repr=False)
    season_lags: tuple[int, ...] = ()

    @cached_property
    def grids(self) -> tuple[tuple[Candidates, Mask], ...]:
        """Every model's constraints with the variants that each catches, shape (B, V); computed at the first use."""
        grids = [candidates_of(model, method=self.method, rows=self.rows) for model in self.models]
        return tuple((grid, _caught(grid, row)) for grid, row in zip(grids, self.values, strict=True))

    def with_tail(self, tail: float) -> PreparedColumn:
        """The same by the table's own tail."""
        return replace(self, models=tuple(replace(model, tail=tail) for model in self.models)) if tail else self

    def catches(self, constraint: Constraint) -> tuple[str, ...]:
        """The variants that a constraint of this column catches, whatever its bounds; none where its metric has no model."""
        for model, row in zip(self.models, self.values, strict=True):
            if model.metric.name == constraint.metric:
                hits = caught_by(constraint, row, model.observed, self.batches[-len(model.observed) :])
                return tuple(np.array(self.variants)[hits].tolist())
        return ()

    def rate(self, constraint: Constraint) -> float | None:
        """How often a clean batch breaks a constraint whose bounds a person chose; None of a metric without a model.

        What the widest candidate within the bounds costs, as its method bounds it; where the history itself breaks them, or they are
        tighter than any candidate, what the history shows.
        """
        lower = -math.inf if constraint.lower is None else constraint.lower
        upper = math.inf if constraint.upper is None else constraint.upper
        for grid, _ in self.grids:
            model = grid.model
            if (model.metric.name, model.transform) != (constraint.metric, constraint.transform):
                continue
            batches = self.batches[-len(model.observed) :]
            tried = backtest(constraint, model.observed, None, batches)
            seen = Record(int(tried.judged.sum()), tuple(batches[k] for k in np.flatnonzero(tried.fired))).rate()
            within = grid.fpr[(grid.lower >= lower) & (grid.upper <= upper)]
            return max(float(within.min()), seen if tried.fires else 0.0) if len(within) else seen
        return None


@dataclass(frozen=True, eq=False)
class MeasuredColumn:
    """A column's window of history, and `values` of shape (M, V): its `metrics` on each of the synthetic issues called `variants`.

    `rows` is the latest batch's number of rows; `left_out` are the metrics that could not be measured on the issues, or that say nothing of
    such a column, whose values lie within `limits` by nature. The batches `untaught` failed in the column and nobody said why: nothing is
    learned from them. A lasting change that somebody expects begins with the batch `begins`, one of the number of rows with `rows_begin`.
    `tail` is the power of the table's own (`own_record`; 0 = none). Of a list, whose values `stay`, nulls are told otherwise (`lists`).
    """

    history: ColumnHistory
    rows: int
    method: Method
    season_lags: tuple[int, ...]
    metrics: tuple[str, ...]
    variants: tuple[str, ...]
    values: Floats = field(repr=False)
    left_out: tuple[Unconstrained, ...] = ()
    limits: tuple[float, float] = (-math.inf, math.inf)
    untaught: tuple[str, ...] = ()
    begins: str = ""
    rows_begin: str = ""
    tail: float = 0.0
    stay: bool = False

    def fitted(self, *, exclude: Collection[str] = (), since: str | None = None) -> PreparedColumn:
        """The constraints that the history allows, less the batches to `exclude` and those before `since`.

        The latest batch stays in any case, since the issues were made of it. `NotEnoughHistoryError` when less than 7 are left.
        """
        history = _since(self.history, since)
        out = np.isin(history.batches, [*exclude, *self.untaught])
        history = without(relevelled(history, self.begins, self.rows_begin, out), exclude, self.untaught)
        history = without_marks(history) if self.method == "calibrated" else history
        models, left_out = fit_metrics(history, method=self.method, season_lags=self.season_lags, limits=self.limits)
        kept = tuple(replace(m, tail=self.tail, stays=self.rows if self.stay else 0) for m in models if m.metric.name in self.metrics)
        unmeasured = {out.metric for out in left_out}
        return self._prepared(history, kept, (*left_out, *(out for out in self.left_out if out.metric not in unmeasured)))

    def fitted_or_empty(self, *, exclude: Collection[str] = (), since: str | None = None) -> PreparedColumn:
        """As `fitted`; a column with too little history left has no models, and its reason."""
        try:
            return self.fitted(exclude=exclude, since=since)
        except NotEnoughHistoryError as error:
            return self._prepared(self.history, (), (Unconstrained("", str(error)),))

    def _prepared(self, history: ColumnHistory, models: tuple[MetricModel, ...], left_out: tuple[Unconstrained, ...]) -> PreparedColumn:
        values = self.values[[self.metrics.index(m.metric.name) for m in models]]
        about = (history.column, history.kind, history.batches, self.rows, self.method)
        return PreparedColumn(*about, models, left_out, self.variants, values, self.season_lags)


def fitted_together(
    columns: Sequence[MeasuredColumn], *, exclude: Collection[str] = ()
) -> tuple[list[MeasuredColumn], list[PreparedColumn]]:
    """The columns of a table with its own tail, and fitted by it; `exclude` is as of one of them. The paper's method knows no such tail."""
    prepared = [column.fitted_or_empty(exclude=exclude) for column in columns]
    tail = own_tail(column.models for column in prepared if column.method == "calibrated")
    return [replace(column, tail=tail) for column in columns], [column.with_tail(tail) for column in prepared]


class MeasuredRepository(Protocol):
    """The port to where the last suggestion run's measurements are kept, per pipeline."""

    def save(self, pipeline: str, columns: Sequence[MeasuredColumn]) -> None:
        """Replace what is kept of the pipeline."""
        ...

    def load(self, pipeline: str) -> tuple[MeasuredColumn, ...]:
        """What is kept, in the order saved; empty when there is nothing, or nothing that this release reads."""
        ...


def without(history: ColumnHistory, exclude: Collection[str], untaught: Collection[str] = ()) -> ColumnHistory:
    """The history less these batches, and less the distances measured from them; the latest batch stays, unless it is `untaught`.

    Series of two-distribution metrics may become shorter than `batches`.
    """
    known = np.isin(history.batches, [*exclude, *untaught])
    known[-1:] = bool(history.batches) and history.batches[-1] in untaught
    if not known.any():
        return history
    after = np.concatenate([[False], known[:-1]])
    pairs = {m.name for m in (*metrics_for(history.kind), *asked_for(history.kind)) if m.two_distribution}
    values = {name: series[~(known | after) if name in pairs else ~known] for name, series in history.values.items()}
    batches = tuple(b for b, gone in zip(history.batches, known, strict=True) if not gone)
    untold = {name: there[~known] for name, there in history.untold.items()}
    return ColumnHistory(history.column, history.kind, history.type, batches, values, history.present[~known], untold)


def _since(history: ColumnHistory, since: str | None) -> ColumnHistory:
    if since is None:
        return history
    first = sum(batch_order(batch) < batch_order(since) for batch in history.batches[:-1])
    return history.window(first, len(history.batches))


def _caught(grid: Candidates, values: Floats) -> Mask:
    """Which variants each constraint of a grid catches, shape (B, V)."""
    return outside_bounds(values, grid.lower[:, None], grid.upper[:, None], grid.model.transform, grid.model.reference)
