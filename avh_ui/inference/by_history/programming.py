"""The door to AVH: from a column's history and its latest batch to the suggested conjunction of constraints.

`measure_column` reads the data, `MeasuredColumn.fitted` fits the history, and `reprogram` chooses within a budget, both in milliseconds;
`suggest_column` is all three.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import LeftOut
from avh_ui.inference.by_history.measured import MeasuredColumn, PreparedColumn
from avh_ui.inference.by_history.reprogramming import ColumnResult, check_rate, reprogram
from avh_ui.issues.catching import Batch, thinned, variant_matrix
from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import PAPER, WITH_NULLS, Magnitudes, issues_of
from avh_ui.metrics.catalogue import metrics_for
from avh_ui.metrics.column import Kind
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profile import ColumnProfile


@dataclass(frozen=True)
class ByHistorySettings:
    """How to suggest. `fpr` is the budget per column and batch, `season_lags` the cadence's cycles in batches.

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

    @property
    def issues(self) -> Magnitudes:
        """The synthetic issues to train on."""
        return self.magnitudes or (PAPER if self.method == "paper" else WITH_NULLS)


@dataclass(frozen=True)
class LatestBatch:
    """What D(C) is made of: a `sample` of the latest batch's column, the batch's full number of `rows`, a sample of a `neighbour`
    column of the same kind (None leaves the schema change out), and the predecessor's profile as `baseline`.
    """

    sample: pa.Array | pa.ChunkedArray
    rows: int
    neighbour: pa.Array | pa.ChunkedArray | None = None
    baseline: ColumnProfile | None = None


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
    sample = Sample.from_arrow(latest.sample, history.kind)
    metrics, left_out = _comparable(latest.baseline, history.kind)
    if sample.kind != history.kind:
        reason = f"the latest batch is {sample.kind} and the history {history.kind}"
        metrics, left_out = [], [LeftOut(m.name, reason) for m in metrics_for(history.kind)]
    rows = max(latest.rows, sample.rows)
    sample = thinned(sample, settings.seed)
    neighbour = None if latest.neighbour is None else thinned(Sample.from_arrow(latest.neighbour), settings.seed)
    variants = list(issues_of(sample, neighbour, seed=settings.seed, magnitudes=settings.issues)) if metrics else []
    known = {name: float(series[-1]) for name, series in history.values.items() if len(series)}
    return MeasuredColumn(
        history=history,
        rows=rows,
        method=settings.method,
        season_lags=settings.season_lags,
        metrics=tuple(m.name for m in metrics),
        variants=tuple(v.name for v in variants),
        values=variant_matrix(metrics, variants, Batch(sample, rows, latest.baseline, known)),
        left_out=tuple(left_out),
    )


def _comparable(baseline: ColumnProfile | None, kind: Kind) -> tuple[list[Metric], list[LeftOut]]:
    """The metrics, less those that need a predecessor where there is none of the same kind."""
    metrics = list(metrics_for(kind))
    if baseline is not None and baseline.kind == kind:
        return metrics, []
    reason = "the latest batch has no predecessor to compare with" if baseline is None else f"its predecessor is {baseline.kind}"
    return [m for m in metrics if not m.two_distribution], [LeftOut(m.name, reason) for m in metrics if m.two_distribution]
