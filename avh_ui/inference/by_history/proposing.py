"""From a candidate of a column's grid to the rule that is proposed, with what the history says of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.inference.by_history.above_zero import is_above
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import Candidates, MetricModel
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.recipes import recipe_of
from avh_ui.issues.catching import transformed_of
from avh_ui.metrics.counts import ROW_COUNT
from avh_ui.metrics.distances import COHEN_D


def proposal_at(prepared: PreparedColumn, grid: Candidates, at: int, target: float) -> Proposal:
    """The proposal of one of the candidates of a metric, chosen for a `target` rate."""
    model, k = grid.model, _finite(float(grid.k[at]))
    lower, upper = _needed(prepared, grid, at)
    above = upper is None and lower is not None and is_above(model, lower)
    learned = Provenance(
        method=prepared.method,
        first_batch=prepared.batches[0],
        last_batch=prepared.batches[-1],
        batches=len(model.observed),
        mu=model.mu,
        sigma=model.sigma,
        k=k,
        fpr_target=target,
        size=_spread(prepared, model, model.spread) if math.isnan(model.lately) else None,
        lately=_spread(prepared, model, model.lately),
    )
    constraint = Constraint(
        column=prepared.column,
        metric=model.metric.name,
        kind=prepared.kind,
        lower=0.0 if above else lower,
        upper=upper,
        strict="lower" if above else "",
        transform=model.transform,
        fpr=float(grid.fpr[at]),
        # The calibrated rate is not one of the paper's three bounds.
        proposition=model.metric.proposition if prepared.method == "paper" else 0,
        origin="history",
        recipe=recipe_of(model, prepared.method, float(grid.width[at]), float(grid.lower[at]), float(grid.upper[at])),
        provenance=learned.to_record(),
    )
    return Proposal(constraint, replace(evidence_of(constraint, model, prepared.batches, prepared.method), k=k))


def evidence_of(constraint: Constraint, model: MetricModel, batches: Sequence[str], method: Method) -> FromHistory:
    """What a metric's history says of a constraint; `batches` are those of the history."""
    return FromHistory(
        method=method,
        batches=len(model.observed),
        backtest=_record(constraint, model, batches),
        mu=_finite(model.mu),
        sigma=_finite(model.sigma),
        points=model.n,
        reference=_finite(model.reference),
    )


def _record(constraint: Constraint, model: MetricModel, batches: Sequence[str]) -> Record | None:
    """The history's own batches judged by the constraint; None where distances from excluded batches are missing among them."""
    lag, observed = constraint.transform.lag, model.observed
    # The first batch has no distance.
    own = batches if len(observed) == len(batches) else batches[1:] if model.metric.two_distribution else batches
    if len(own) != len(observed):
        return None
    values = constraint.transform.apply(observed, own)
    known = [(b, value) for b, value in zip(own[lag:], values[lag:].tolist(), strict=True) if not (lag and math.isnan(value))]
    return Record(len(known), tuple(b for b, value in known if not constraint.holds(value)))


def _spread(prepared: PreparedColumn, model: MetricModel, spread: float) -> float | None:
    """What a deviation is in the unit of the column's values where an average moves by some of them; None of all else."""
    return _finite(spread) if model.metric is COHEN_D and prepared.kind == "numeric" else None


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _needed(prepared: PreparedColumn, grid: Candidates, at: int) -> tuple[float | None, float | None]:
    """The bounds; under `calibrated`, of two bounds the one that catches nothing is left open, since it is far from anything known.

    The number of rows keeps both: that some rows come is worth saying. So do the days that a batch has for its own.
    """
    model, lower, upper = grid.model, float(grid.lower[at]), float(grid.upper[at])
    if prepared.method == "calibrated" and model.sigma > 0:
        values = prepared.values[prepared.models.index(model)]
        found = transformed_of(model.transform, values, model.reference)
        with np.errstate(invalid="ignore"):
            below, above = bool((found < lower).any()), bool((found > upper).any())
        both = (
            (lower, upper) == model.own_days
            or model.metric.two_distribution
            or (model.metric.name == ROW_COUNT.name and (lower > 0 or model.transform.relative))
        )
        if above and not below and not both:
            lower = -math.inf
        if below and not above and not both:
            upper = math.inf
    return _finite(lower), _finite(upper)
