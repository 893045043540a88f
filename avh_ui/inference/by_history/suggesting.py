"""Suggesting by AVH: from the history of a window's columns and the issues of its latest batch to a program for each column.

`measure_column` reads the data, `MeasuredColumn.fitted` fits the history, and `reprogram` chooses within a budget, both in milliseconds;
`suggest` is all three for all columns, `suggest_column` for one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import Unconstrained
from avh_ui.inference.by_history.measured import MeasuredColumn, PreparedColumn
from avh_ui.inference.by_history.reprogramming import ColumnResult, check_rate, reprogram, reprogram_table
from avh_ui.inference.source import Budget, Found, Window
from avh_ui.issues.column_issues import ColumnIssues, Issues, LatestBatch
from avh_ui.issues.variants import PAPER, WITH_NULLS, Magnitudes
from avh_ui.metrics.catalogue import CATALOGUE, metrics_for
from avh_ui.metrics.column import Kind
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import Watch


@dataclass(frozen=True)
class ByHistorySettings:
    """How to suggest for one column. `fpr` is the budget per column and batch, `season_lags` the cadence's cycles in batches.

    `magnitudes` of the synthetic issues: None takes Appendix B's, with true nulls beside them under `calibrated`. `exclude` names the
    batches with known incidents: nothing is learned from them.
    """

    fpr: float = 0.001
    method: Method = "calibrated"
    max_clauses: int | None = 5
    single_distribution_only: bool = False
    seed: int = 0
    season_lags: tuple[int, ...] = (7,)
    magnitudes: Magnitudes | None = None
    excluded_metrics: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_rate(self.fpr)


@dataclass(frozen=True)
class FoundByHistory(Found):
    """With what was measured of the columns: kept, it answers every later question without data."""

    measured: tuple[MeasuredColumn, ...] = ()


def suggest(window: Window, issues: Issues, budget: Budget, watch: Watch) -> FoundByHistory:
    """A program for every column of the window within the budget; with too little history left it has none, and its reason."""
    made = []
    for done, column in enumerate(window.columns):
        watch.check()
        watch.report(done, len(window.columns), f"programming {column.column}")
        made.append(_measured(column, issues.of(column.column), cast(Method, budget.method), window.season_lags))
    watch.report(len(window.columns), len(window.columns), "done")
    results = reprogram_table(
        [column.fitted_or_empty(exclude=window.exclude) for column in made],
        budget.fpr,
        table_fpr=budget.table_fpr,
        max_clauses=budget.max_clauses,
        excluded_metrics=() if budget.pairs else {m.name for m in CATALOGUE if m.two_distribution},
    )
    proposals = [proposal for result in results for proposal in result.suggestions]
    return FoundByHistory(proposals, [out for result in results for out in result.reasons], tuple(made))


def magnitudes_of(method: str) -> Magnitudes:
    """How strong the issues are that a method trains on: Appendix B's, with true nulls and turned signs beside them but for the paper's."""
    return PAPER if method == "paper" else WITH_NULLS


def suggest_column(history: ColumnHistory, latest: LatestBatch, settings: ByHistorySettings | None = None) -> ColumnResult:
    """Algorithm 1 for one column. The last batch of `history` is the latest batch.

    `NotEnoughHistoryError` below 7 batches. A column of which nothing can be constrained gives no suggestions and its reasons.
    """
    settings = settings or ByHistorySettings()
    return reprogram(
        prepare_column(history, latest, settings),
        settings.fpr,
        max_clauses=settings.max_clauses,
        excluded_metrics=settings.excluded_metrics,
        single_distribution_only=settings.single_distribution_only,
    )


def prepare_column(history: ColumnHistory, latest: LatestBatch, settings: ByHistorySettings | None = None) -> PreparedColumn:
    """Everything that Algorithm 1 chooses from; raises as `suggest_column`."""
    settings = settings or ByHistorySettings()
    measured = measure_column(history, latest, settings)
    return measured.fitted(exclude=settings.exclude, single_only=settings.single_distribution_only)


def measure_column(history: ColumnHistory, latest: LatestBatch, settings: ByHistorySettings | None = None) -> MeasuredColumn:
    """The metrics of D(C), with the history they will be compared with; the part that takes time and data."""
    settings = settings or ByHistorySettings()
    magnitudes = settings.magnitudes or magnitudes_of(settings.method)
    issues = ColumnIssues(history, latest, seed=settings.seed, magnitudes=magnitudes)
    return _measured(history, issues, settings.method, settings.season_lags)


def _measured(history: ColumnHistory, issues: ColumnIssues, method: Method, season_lags: tuple[int, ...]) -> MeasuredColumn:
    metrics, left_out = _comparable(issues.baseline, history.kind)
    if issues.kind != history.kind:
        reason = f"the latest batch is {issues.kind} and the history {history.kind}"
        metrics, left_out = [], [Unconstrained(m.name, reason) for m in metrics_for(history.kind)]
    return MeasuredColumn(
        history=history,
        rows=issues.rows,
        method=method,
        season_lags=season_lags,
        metrics=tuple(m.name for m in metrics),
        variants=issues.names if metrics else (),
        values=issues.values(metrics),
        left_out=tuple(left_out),
    )


def _comparable(baseline: ColumnProfile | None, kind: Kind) -> tuple[list[Metric], list[Unconstrained]]:
    """The metrics, less those that need a predecessor where there is none of the same kind."""
    metrics = list(metrics_for(kind))
    if baseline is not None and baseline.kind == kind:
        return metrics, []
    reason = "the latest batch has no predecessor to compare with" if baseline is None else f"its predecessor is {baseline.kind}"
    return [m for m in metrics if not m.two_distribution], [Unconstrained(m.name, reason) for m in metrics if m.two_distribution]
