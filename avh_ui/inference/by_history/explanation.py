"""Why a constraint is suggested, as plain data that serialises to JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.reading import Reader, same
from avh_ui.inference.by_history.bounds import NAMES, Method, constant_sentence, often, sentence
from avh_ui.inference.by_history.candidates import MetricModel

CALIBRATED_NAME = "Prediction bound (Student-t, power-law tail)"
CONSTANT_NAME = "Rule of succession"


@dataclass(frozen=True)
class Evidence:
    """What stands behind a chosen constraint; `k`: bounds from the mean in sigma (NaN at sigma 0), `tried`: every variant's name,
    `batches`: those of the history.
    """

    model: MetricModel
    k: float
    caught: tuple[str, ...]
    only_caught: tuple[str, ...]
    tried: tuple[str, ...]
    batches: tuple[str, ...] = ()


def explain(constraint: Constraint, evidence: Evidence, method: Method) -> dict[str, Any]:
    """The evidence behind one suggested constraint; numbers that are not finite are None.

    Bounds are in the transform's space; `bounds_now` are those of the latest batch in the metric's own unit. `fired_on` names the batches
    of the history outside the bounds; None where distances from excluded batches are missing among them.
    """
    model, k, caught, only_caught = evidence.model, evidence.k, evidence.caught, evidence.only_caught
    reference, transform, constant = model.reference, model.transform, model.sigma == 0
    now = [transform.inverse(bound, reference) for bound in (constraint.lower, constraint.upper)]
    return {
        "metric": model.metric.name,
        "description": model.metric.description,
        "unit": model.metric.unit,
        "transform": transform.to_record(),
        "transform_words": transform.describe(),
        "mu": _plain(model.mu),
        "sigma": _plain(model.sigma),
        "k": _plain(k),
        "beta": _plain(k * model.sigma),
        "lower": _plain(constraint.lower),
        "upper": _plain(constraint.upper),
        "bounds_now": [_plain(bound) for bound in now],
        "method": method,
        "proposition": constraint.proposition,
        "proposition_name": NAMES[model.metric.proposition] if method == "paper" else CONSTANT_NAME if constant else CALIBRATED_NAME,
        "proposition_words": _promise(constraint, model, method),
        "fpr": constraint.fpr,
        "batches": len(model.observed),
        "points": model.n,
        "fired_on": _fired(constraint, evidence),
        "variants": len(evidence.tried),
        "tried": list(evidence.tried),
        "caught": list(caught),
        "only_caught": list(only_caught),
        "sentence": f"{_claim(constraint)}; a clean batch falls outside {often(constraint.fpr)}.",
        "recall_sentence": _recall(caught, only_caught, len(evidence.tried)),
    }


def _fired(constraint: Constraint, evidence: Evidence) -> list[str] | None:
    """The history's own batches that the constraint would have alarmed on."""
    observed = evidence.model.observed
    # The first batch has no distance.
    batches = evidence.batches[1:] if evidence.model.metric.two_distribution else evidence.batches
    batches = evidence.batches if len(observed) == len(evidence.batches) else batches
    if len(batches) != len(observed):
        return None
    values = constraint.transform.apply(observed)[constraint.transform.lag :]
    return [b for b, value in zip(batches[constraint.transform.lag :], values, strict=True) if not constraint.holds(float(value))]


def _plain(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _claim(constraint: Constraint) -> str:
    """The bounds as a sentence, in the metric's unit where no earlier batch is needed to know them."""
    lag, subject = constraint.transform.lag, constraint.metric
    if lag:
        subject = f"the change of {subject} against {'the batch before' if lag == 1 else f'{lag} batches before'}"
    return f"{subject} {Reader.of(constraint).stays(constraint.lower, constraint.upper)}"


def _promise(constraint: Constraint, model: MetricModel, method: Method) -> str:
    """What the bound assumes and how often a clean batch falls outside; of a metric that never changed, what it was."""
    if model.sigma:
        return sentence(method, model.metric.proposition, constraint.fpr, model.n)
    value = Reader.of(constraint).compared(model.mu)
    moves = any(bound is not None and not same(*sorted((bound, model.mu))) for bound in (constraint.lower, constraint.upper))
    return constant_sentence(
        method, constraint.fpr, model.n, f"The {'change' if model.transform.lag else 'metric'} was {value}", moves=moves
    )


def _recall(caught: tuple[str, ...], only_caught: tuple[str, ...], variants: int) -> str:
    text = f"It catches {len(caught)} of {variants} injected issues"
    return f"{text}, {len(only_caught)} of which no other suggested constraint catches." if only_caught else f"{text}."
