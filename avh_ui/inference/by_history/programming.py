"""The door to AVH: from a column's history and its latest batch to the suggested conjunction of constraints.

`prepare_column` learns what does not depend on the budget; `reprogram` chooses within one, in milliseconds; `suggest_column` is both.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import LeftOut, MetricModel, fit_metrics
from avh_ui.inference.by_history.prepared import PreparedColumn
from avh_ui.inference.by_history.recall import Batch, thinned, variant_matrix
from avh_ui.inference.by_history.reprogramming import ColumnResult, check_rate, reprogram
from avh_ui.inference.by_history.sample import Sample
from avh_ui.inference.by_history.synthetic_issues import PAPER, WITH_NULLS, Magnitudes, issues_of
from avh_ui.metrics.catalogue import metrics_for
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
    measured = {name: float(series[-1]) for name, series in history.values.items() if len(series)}
    history = _without(history, settings.exclude)
    models, left_out = fit_metrics(
        history, method=settings.method, season_lags=settings.season_lags, single_only=settings.single_distribution_only
    )
    sample = Sample.from_arrow(latest.sample, history.kind)
    rows = max(latest.rows, sample.rows)
    if sample.kind != history.kind:
        reason = f"the latest batch is {sample.kind} and the history {history.kind}"
        left_out += [LeftOut(m.metric.name, reason) for m in models]
        nothing = np.empty((0, 0), dtype=np.float64)
        return PreparedColumn(history.column, history.kind, history.batches, rows, settings.method, (), tuple(left_out), (), nothing)
    models, without = _comparable(models, latest.baseline, history.kind)
    sample = thinned(sample, settings.seed)
    neighbour = None if latest.neighbour is None else thinned(Sample.from_arrow(latest.neighbour), settings.seed)
    variants = list(issues_of(sample, neighbour, seed=settings.seed, magnitudes=settings.issues))
    values = variant_matrix([m.metric for m in models], variants, Batch(sample, rows, latest.baseline, measured))
    return PreparedColumn(
        column=history.column,
        kind=history.kind,
        batches=history.batches,
        rows=rows,
        method=settings.method,
        models=tuple(models),
        left_out=(*left_out, *without),
        variants=tuple(v.name for v in variants),
        values=values,
    )


def _without(history: ColumnHistory, exclude: Collection[str]) -> ColumnHistory:
    """The history less these batches, and less the distances measured from them; the latest batch stays, since D(C) is made of it.

    Series of two-distribution metrics may become shorter than `batches`.
    """
    known = np.isin(history.batches, list(exclude)) if exclude else np.zeros(len(history.batches), dtype=bool)
    known[-1:] = False
    if not known.any():
        return history
    after = np.concatenate([[False], known[:-1]])
    pairs = {m.name for m in metrics_for(history.kind) if m.two_distribution}
    values = {name: series[~(known | after) if name in pairs else ~known] for name, series in history.values.items()}
    batches = tuple(b for b, gone in zip(history.batches, known, strict=True) if not gone)
    return ColumnHistory(history.column, history.kind, history.type, batches, values, history.present[~known])


def _comparable(models: list[MetricModel], baseline: ColumnProfile | None, kind: str) -> tuple[list[MetricModel], list[LeftOut]]:
    """Without the metrics that need a predecessor, where there is none of the same kind."""
    if baseline is not None and baseline.kind == kind:
        return models, []
    reason = "the latest batch has no predecessor to compare with" if baseline is None else f"its predecessor is {baseline.kind}"
    dropped = [LeftOut(m.metric.name, reason) for m in models if m.metric.two_distribution]
    return [m for m in models if not m.metric.two_distribution], dropped
