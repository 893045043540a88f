"""Histories for the tests of AVH."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.measured import MeasuredColumn, PreparedColumn
from avh_ui.inference.by_history.reprogramming import ColumnResult, check_rate, reprogram
from avh_ui.inference.by_history.suggesting import magnitudes_of, measured
from avh_ui.issues.column_issues import ColumnIssues, LatestBatch
from avh_ui.issues.variants import Magnitudes
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.column import Kind
from avh_ui.metrics.profile import ColumnProfile


def history_of(arrays: Sequence[pa.Array]) -> tuple[ColumnHistory, list[ColumnProfile]]:
    """The history of a column whose batches these are, and the batches' profiles."""
    profiles = [ColumnProfile.from_arrow("x", array) for array in arrays]
    kind = profiles[0].kind
    values = {m.name: np.full(len(arrays), np.nan) for m in measured_for(kind)}
    for k, profile in enumerate(profiles):
        found = profile.single_metrics() | (profile.distances(profiles[k - 1]) if k else {})
        for name, value in found.items():
            values[name][k] = value
    batches = tuple(f"2026-01-{k + 1:02d}" for k in range(len(arrays)))
    return ColumnHistory("x", kind, str(arrays[0].type), batches, values, np.ones(len(arrays), dtype=bool)), profiles


def latest_of(arrays: Sequence[pa.Array], profiles: list[ColumnProfile], neighbour: pa.Array | None = None) -> LatestBatch:
    """The last batch, with the one before as its baseline."""
    return LatestBatch(arrays[-1], len(arrays[-1]), neighbour, profiles[-2])


def batches_of(make: Callable[[np.random.Generator], pa.Array], count: int = 30, seed: int = 0) -> list[pa.Array]:
    """Batches that vary by chance alone."""
    return [make(np.random.default_rng([seed, k])) for k in range(count)]


def one_metric(name: str, series: Sequence[float], kind: Kind = "string") -> ColumnHistory:
    """A history of which only one metric is known."""
    values = np.asarray(series, dtype=np.float64)
    return ColumnHistory("x", kind, "", tuple(f"b{k}" for k in range(len(values))), {name: values}, np.ones(len(values), dtype=bool))


@dataclass(frozen=True)
class ByHistorySettings:
    """How to suggest for one column. `fpr` is the budget per column and batch, `season_lags` the cadence's cycles in batches.

    `magnitudes` of the synthetic issues: None takes Appendix B's, with true nulls beside them under `calibrated`. `exclude` names the
    batches with known incidents: nothing is learned from them.
    """

    fpr: float = 0.001
    method: Method = "calibrated"
    max_clauses: int | None = 5
    seed: int = 0
    season_lags: tuple[int, ...] = (7,)
    magnitudes: Magnitudes | None = None
    excluded_metrics: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_rate(self.fpr)


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
    )


def prepare_column(history: ColumnHistory, latest: LatestBatch, settings: ByHistorySettings | None = None) -> PreparedColumn:
    """Everything that Algorithm 1 chooses from; raises as `suggest_column`."""
    settings = settings or ByHistorySettings()
    return measure_column(history, latest, settings).fitted(exclude=settings.exclude)


def measure_column(history: ColumnHistory, latest: LatestBatch, settings: ByHistorySettings | None = None) -> MeasuredColumn:
    """The metrics of D(C), with the history they will be compared with; the part that takes time and data."""
    settings = settings or ByHistorySettings()
    magnitudes = settings.magnitudes or magnitudes_of(settings.method)
    issues = ColumnIssues(history, latest, seed=settings.seed, magnitudes=magnitudes)
    return measured(history, issues, settings.method, settings.season_lags)
