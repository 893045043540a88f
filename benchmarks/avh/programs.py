"""AVH's programs on cases: the library's own code, from matrices that were computed once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import MetricModel, fit_metrics
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.reprogramming import reprogram, reprogram_volume
from avh_ui.issues.catching import transformed_of
from avh_ui.metrics.catalogue import CATALOGUE
from benchmarks.avh.cases import WINDOW, Case, ColumnCases

Floats = np.ndarray
# What the calibrated method trains on beside the paper's D(C).
OURS = (" null", "x-1")
_PAIRS = frozenset(metric.name for metric in CATALOGUE if metric.two_distribution)


@dataclass(frozen=True)
class Variant:
    """One way to program. `stationary` off compares values as they are, whatever their trend (Figure 10). `alone`: the number of rows is
    one of the column's own metrics within its budget, as the paper has it; else `calibrated` constrains it once for the table.
    """

    name: str
    method: Method = "calibrated"
    fpr: float = 0.001
    clauses: int | None = 5
    batches: int = WINDOW
    single: bool = False
    stationary: bool = True
    alone: bool = False

    @property
    def learned(self) -> tuple[Method, int, bool]:
        """What the prepared column depends on."""
        return self.method, self.batches, self.stationary


def prepared(column: ColumnCases, case: Case, variant: Variant) -> PreparedColumn:
    """What is learned at the end of the window."""
    window = column.series[:, case.end - variant.batches + 1 : case.end + 1]
    batches = tuple(str(k) for k in column.batches[case.end - variant.batches + 1 : case.end + 1])
    place = {name: i for i, name in enumerate(column.metrics)}
    values = {name: window[i] for name, i in place.items()}
    history = ColumnHistory(column.column, column.kind, "", batches, values, np.ones(len(batches), dtype=bool))
    models, left_out = fit_metrics(history, method=variant.method, season_lags=(7,))
    if not variant.stationary:
        models = [_as_it_is(m) for m in models]
    kept = [i for i, name in enumerate(case.names) if variant.method != "paper" or not any(own in name for own in OURS)]
    matrix = case.train[[place[m.metric.name] for m in models]][:, kept]
    names = tuple(case.names[i] for i in kept)
    return PreparedColumn(column.column, column.kind, batches, case.rows, variant.method, tuple(models), tuple(left_out), names, matrix)


def enough(column: ColumnCases, case: Case, variant: Variant) -> bool:
    """Whether there are so many batches before the next one; a longer history than the protocol's is not there for the first windows."""
    first = case.end - variant.batches + 1
    return first > 0 and bool(np.isfinite(column.series[column.metrics.index("row_count"), first : case.end + 1]).all())


def _as_it_is(model: MetricModel) -> MetricModel:
    if model.transform.is_identity:
        return model
    values = model.observed
    return replace(model, transform=IDENTITY, values=values, mu=float(values.mean()), sigma=float(values.std(ddof=1)))


def program(column: PreparedColumn, variant: Variant) -> tuple[Constraint, ...]:
    """The conjunction; under `calibrated` with the table's constraint on its number of rows, which every column is judged by too."""
    ours = variant.method == "calibrated" and not variant.alone
    found = reprogram(column, variant.fpr, max_clauses=variant.clauses, excluded_metrics=_PAIRS if variant.single else (), volume=not ours)
    shared = reprogram_volume(column, variant.fpr).suggestions if ours else ()
    return tuple(s.constraint for s in (*shared, *found.suggestions))


def violated(constraint: Constraint, column: ColumnCases, case: Case, items: Floats) -> np.ndarray:
    """Which next batches, shape (metrics + 1, items), are outside."""
    i = column.metrics.index(constraint.metric)
    lag = constraint.transform.lag
    reference = float(column.series[i, case.end + 1 - lag]) if lag else None
    with np.errstate(invalid="ignore"):
        found = transformed_of(constraint.transform, items[i], reference)
        low = -np.inf if constraint.lower is None else constraint.lower
        high = np.inf if constraint.upper is None else constraint.upper
        return ~((found >= low) & (found <= high) & np.isfinite(found))


# On every window, since rates of 0.1 % take many of them;
TARGETS = (0.001, 0.01, 0.05)
EVERYWHERE = tuple(Variant("AVH, calibrated", fpr=t) for t in TARGETS)
# on every window that has recall tests.
FRONTIER = (
    *(Variant("AVH, calibrated", fpr=t) for t in (0.0003, 0.003, 0.02)),
    *(Variant("AVH, column alone", fpr=t, alone=True) for t in TARGETS),
    *(Variant("AVH, paper", "paper", t) for t in TARGETS),
)
ABLATIONS = (
    *(Variant(f"history {k}", batches=k) for k in (7, 14, 21, 28, 60, 120)),
    *(Variant(f"history {k}, paper", "paper", batches=k) for k in (7, 14, 21, 28)),
    *(Variant(f"clauses {c or 'any'}", clauses=c) for c in (1, 2, 3, 4, None)),
    Variant("single-distribution", single=True),
    Variant("single-distribution, paper", "paper", single=True),
    Variant("not stationary", stationary=False),
    Variant("not stationary, paper", "paper", stationary=False),
)
