"""Why a constraint is suggested, as plain data that serialises to JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from avh_ui.constraints.constraint import Constraint, number
from avh_ui.inference.by_history.bounds import NAMES, Method, often, sentence
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
    bound = sentence(method, model.metric.proposition, constraint.fpr, model.n, constant=constant)
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
        "proposition_words": bound,
        "fpr": constraint.fpr,
        "batches": len(model.observed),
        "points": model.n,
        "fired_on": _fired(constraint, evidence),
        "variants": len(evidence.tried),
        "tried": list(evidence.tried),
        "caught": list(caught),
        "only_caught": list(only_caught),
        "sentence": f"{_range(constraint, model)}; a clean batch falls outside {often(constraint.fpr)}.",
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


def _range(constraint: Constraint, model: MetricModel) -> str:
    """The bounds in words, in the metric's unit where no earlier batch is needed to know them."""
    transform, subject = model.transform, model.metric.name
    lower, upper = constraint.lower, constraint.upper
    if transform.lag:
        subject = f"the change of {subject} against {'the batch before' if transform.lag == 1 else f'{transform.lag} batches before'}"
        if transform.log:
            return f"{subject} stays between {_factor(lower)} and {_factor(upper)}"
    else:
        lower, upper = transform.inverse(lower), transform.inverse(upper)
    low_open = lower is None or lower <= model.metric.lowest
    high_open = upper is None or upper >= model.metric.highest
    if lower is not None and upper is not None and (lower == upper or (model.sigma == 0 and upper - lower <= 1e-6 * abs(upper))):
        return f"{subject} is always {_short(upper)}"
    if low_open and high_open:
        return f"{subject} is defined"
    if low_open:
        return f"{subject} stays at or below {_short(upper)}"
    if high_open:
        return f"{subject} stays at or above {_short(lower)}"
    return f"{subject} stays between {_short(lower)} and {_short(upper)}"


def _short(bound: float | None) -> str:
    """A bound as people read it; decimals of large numbers say nothing."""
    return number(round(bound) if bound is not None and 1e3 <= abs(bound) < 1e15 else bound)


def _factor(change: float | None) -> str:
    """A change of logarithms as a factor."""
    if change is None:
        return "any factor"
    return f"x{number(float(f'{math.exp(change):.3g}'))}" if change < 700 else "any factor"


def _recall(caught: tuple[str, ...], only_caught: tuple[str, ...], variants: int) -> str:
    text = f"It catches {len(caught)} of {variants} injected issues"
    return f"{text}, {len(only_caught)} of which no other suggested constraint catches." if only_caught else f"{text}."
