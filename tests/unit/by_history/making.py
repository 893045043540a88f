"""Histories for the tests of AVH."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from avh_ui.history.series import ColumnHistory
from avh_ui.issues.column_issues import LatestBatch
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.column import Kind
from avh_ui.metrics.profile import ColumnProfile


def history_of(arrays: Sequence[pa.Array]) -> tuple[ColumnHistory, list[ColumnProfile]]:
    """The history of a column whose batches these are, and the batches' profiles."""
    profiles = [ColumnProfile.from_arrow("x", array) for array in arrays]
    kind = profiles[0].kind
    values = {m.name: np.full(len(arrays), np.nan) for m in measured_for(kind)}
    for k, profile in enumerate(profiles):
        measured = profile.single_metrics() | (profile.distances(profiles[k - 1]) if k else {})
        for name, value in measured.items():
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
