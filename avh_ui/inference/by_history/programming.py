"""The door to AVH: from a column's history and its latest batch to the suggested conjunction of constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.constraints.constraint import Constraint
from avh_ui.errors import UsageError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import Candidates, LeftOut, MetricModel, candidates_of, fit_metrics
from avh_ui.inference.by_history.explanation import Evidence, explain
from avh_ui.inference.by_history.recall import Batch, caught, thinned, variant_values
from avh_ui.inference.by_history.sample import Sample
from avh_ui.inference.by_history.selection import select, tightest
from avh_ui.inference.by_history.synthetic_issues import PAPER, WITH_NULLS, Magnitudes, Variant, issues_of
from avh_ui.metrics.profile import ColumnProfile


@dataclass(frozen=True)
class ByHistorySettings:
    """How to suggest. `fpr` is the budget per column and batch, `season_lags` the cadence's cycles in batches.

    `magnitudes` of the synthetic issues: None takes Appendix B's, with true nulls beside them under `calibrated`.
    """

    fpr: float = 0.001
    method: Method = "calibrated"
    max_clauses: int | None = 5
    single_distribution_only: bool = False
    seed: int = 0
    season_lags: tuple[int, ...] = (7,)
    magnitudes: Magnitudes | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.fpr <= 1:
            raise UsageError(f"The false-positive rate is a share, and {self.fpr:g} is not.", hint="Give a number from 0 to 1, as 0.001.")

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


@dataclass(frozen=True)
class ColumnSuggestion:
    """One constraint of the program; `only_caught` are the issues that no other constraint of the same program catches."""

    constraint: Constraint
    caught: tuple[str, ...]
    only_caught: tuple[str, ...]
    explanation: dict[str, Any]


@dataclass(frozen=True)
class ColumnResult:
    """The program suggested for a column, the metrics left out with their reasons, and how many synthetic issues were tried."""

    column: str
    suggestions: tuple[ColumnSuggestion, ...]
    left_out: tuple[LeftOut, ...]
    variants: int


def suggest_column(history: ColumnHistory, latest: LatestBatch, settings: ByHistorySettings | None = None) -> ColumnResult:
    """Algorithm 1 for one column. The last batch of `history` is the latest batch.

    `NotEnoughHistoryError` below 7 batches. A column of which nothing can be constrained gives no suggestions and its reasons.
    """
    settings = settings or ByHistorySettings()
    models, left_out = fit_metrics(
        history, method=settings.method, season_lags=settings.season_lags, single_only=settings.single_distribution_only
    )
    sample = Sample.from_arrow(latest.sample, history.kind)
    if sample.kind != history.kind:
        reason = f"the latest batch is {sample.kind} and the history {history.kind}"
        return ColumnResult(history.column, (), (*left_out, *(LeftOut(m.metric.name, reason) for m in models)), 0)
    models, without = _comparable(models, latest.baseline, history.kind)
    sample = thinned(sample, settings.seed)
    neighbour = None if latest.neighbour is None else thinned(Sample.from_arrow(latest.neighbour), settings.seed)
    variants = list(issues_of(sample, neighbour, seed=settings.seed, magnitudes=settings.issues))
    measured = {m.metric.name: float(m.observed[-1]) for m in models}
    batch = Batch(sample, max(latest.rows, sample.rows), latest.baseline, measured)
    suggestions = _program(history, models, variants, batch, settings)
    return ColumnResult(history.column, suggestions, (*left_out, *without), len(variants))


def _comparable(models: list[MetricModel], baseline: ColumnProfile | None, kind: str) -> tuple[list[MetricModel], list[LeftOut]]:
    """Without the metrics that need a predecessor, where there is none of the same kind."""
    if baseline is not None and baseline.kind == kind:
        return models, []
    reason = "the latest batch has no predecessor to compare with" if baseline is None else f"its predecessor is {baseline.kind}"
    dropped = [LeftOut(m.metric.name, reason) for m in models if m.metric.two_distribution]
    return [m for m in models if not m.metric.two_distribution], dropped


def _program(
    history: ColumnHistory, models: list[MetricModel], variants: list[Variant], batch: Batch, settings: ByHistorySettings
) -> tuple[ColumnSuggestion, ...]:
    """The chosen conjunction with its evidence."""
    if not models or not variants:
        return ()
    values = variant_values(models, variants, batch)
    grids = [candidates_of(model, method=settings.method, rows=batch.rows) for model in models]
    matrices = [caught(grid, row) for grid, row in zip(grids, values, strict=True)]
    groups = np.repeat(np.arange(len(grids)), [len(grid.fpr) for grid in grids])
    within = np.concatenate([np.arange(len(grid.fpr)) for grid in grids])
    costs, matrix = np.concatenate([grid.fpr for grid in grids]), np.concatenate(matrices)
    chosen = select(costs, matrix, settings.fpr, groups=groups.tolist(), max_groups=settings.max_clauses)
    chosen = tightest(chosen, groups.tolist(), matrix)
    names = np.array([v.name for v in variants])
    made = []
    for i in chosen:
        by_others = matrix[[j for j in chosen if j != i]].any(axis=0)
        hits, only = (tuple(names[mask].tolist()) for mask in (matrix[i], matrix[i] & ~by_others))
        grid, at = grids[groups[i]], int(within[i])
        made.append(_suggestion(history, grid, at, Evidence(grid.model, float(grid.k[at]), hits, only, tuple(names.tolist())), settings))
    return tuple(made)


def _suggestion(history: ColumnHistory, grid: Candidates, at: int, evidence: Evidence, settings: ByHistorySettings) -> ColumnSuggestion:
    model = grid.model
    provenance = {
        "mu": model.mu,
        "sigma": model.sigma,
        "k": None if math.isnan(evidence.k) else evidence.k,
        "method": settings.method,
        "first_batch": history.batches[0],
        "last_batch": history.batches[-1],
        "batches": len(model.observed),
        "fpr_target": settings.fpr,
    }
    constraint = Constraint(
        column=history.column,
        metric=model.metric.name,
        kind=history.kind,
        lower=_open(float(grid.lower[at])),
        upper=_open(float(grid.upper[at])),
        transform=model.transform,
        fpr=float(grid.fpr[at]),
        # The calibrated rate is not one of the paper's three bounds.
        proposition=model.metric.proposition if settings.method == "paper" else 0,
        origin="history",
        provenance=provenance,
    )
    return ColumnSuggestion(constraint, evidence.caught, evidence.only_caught, explain(constraint, evidence, settings.method))


def _open(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
