"""Which constraints follow the history after they are approved, and by which recipe (`constraints.recipe`).

Those whose metric varied follow. What stays as approved: what never changed in the history (a fact, of which a change is news), what the
batch's id or the nature of the values says (an hour ends at 23), and the paper's own method, whose bounds are one fit.

Measured on nine real tables, programs not renewed for 60 batches: what never changed in 120 batches then changed in 0.00 to 0.24 % of the
batches, by metric, and of the alarms of frozen bounds at a target of 1 % nine of ten were later days of one drift or step.
"""

from __future__ import annotations

import math

import numpy as np

from avh_ui.constraints.recipe import Recipe
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import MetricModel
from avh_ui.inference.by_history.capitals import is_cased
from avh_ui.inference.by_history.own_ends import by_factors, costs_of, past_ends
from avh_ui.inference.by_history.steps import FEW
from avh_ui.inference.by_history.tails import index_of
from avh_ui.inference.by_history.thinned import tells_losses
from avh_ui.inference.by_history.written import never_negative, whole_extremes

# A window that was shorter when the rule was approved grows to this: what is suggested anew learns from as many (`workflows.suggesting`).
WINDOW = 120
# The envelope is so many times as wide as the bounds that were approved: the level may move by as much as a single batch may differ.
ENVELOPE = 2.0


def recipe_of(model: MetricModel, method: Method, width: float, lower: float, upper: float) -> Recipe | None:
    """The recipe of the constraint with these bounds, `width` largest deviations from the mean; None where they stay as they are."""
    if method == "paper" or model.sigma == 0 or model.transform.part or not math.isfinite(width) or _by_nature(model):
        return None
    if tells_losses(model.metric) or is_cased(model):
        # What is compared with the batch before, less chance, is told anew of each; no one case is what it was approved as.
        return None
    least, most = _natural(model)
    factor = by_factors(model)
    past = float(past_ends(model, costs_of(model, np.array([width])))[0])
    values = [math.log(v) for v in model.values.tolist()] if factor else model.values.tolist()
    mean = math.fsum(values) / len(values)
    above = model.metric.two_distribution
    deviation = max(values) - mean if above else max(max(values) - mean, mean - min(values))
    # What few rows move is let pass at any time.
    deviation = max(deviation, (FEW if factor else model.reach) / width)
    # What was rounded outwards for people is what follows.
    ends = [math.log(end) if factor else end for end in (lower, upper) if math.isfinite(end) and (end > 0 or not factor)]
    width = max([width, *(abs(end - mean) / deviation for end in (ends[-1:] if above else ends))])
    reach = ENVELOPE * width * deviation
    lowest, highest = (math.exp(mean - reach), math.exp(min(mean + reach, 700.0))) if factor else (mean - reach, mean + reach)
    if model.metric.outbreaks:
        # What is lost slowly is lost: such bounds follow inwards alone.
        lowest, highest = lower, upper
    return Recipe(
        window=max(WINDOW, model.n),
        width=width,
        batches=model.n,
        deviation=deviation,
        index=index_of(model.metric, model.values, lagged=bool(model.transform.lag), own=model.tail),
        factor=factor,
        past_ends=_finite(past),
        above=above,
        alone=leaves_out(model),
        whole=whole_extremes(model) or (model.metric.whole and not model.transform.log),
        lowest=_finite(max(lowest, least)),
        highest=_finite(min(highest, most)),
        least=_finite(least),
        most=_finite(most),
    )


def leaves_out(model: MetricModel) -> bool:
    """Whether single batches of twice or half the rows are left out: of numbers of rows by factors, and of changes of their logarithms."""
    return model.volume and (by_factors(model) or bool(model.transform.relative and model.transform.log))


def _by_nature(model: MetricModel) -> bool:
    """Whether both limits are the nature of the values, which no history moves."""
    least, most = model.limits
    return math.isfinite(least) and math.isfinite(most) and bool(model.metric.extreme)


def _natural(model: MetricModel) -> tuple[float, float]:
    """Between what values of the metric lie by nature, in the transform's space."""
    transform, metric = model.transform, model.metric
    if transform.relative:
        return -math.inf, math.inf
    ends = [(metric.lowest, metric.highest), model.limits if metric.extreme in ("least", "greatest") else (-math.inf, math.inf)]
    lows, highs = ([transform.forward(end) if math.isfinite(end) else end for end in side] for side in zip(*ends, strict=True))
    least = max(*lows, 0.0) if never_negative(model) else max(lows)
    return least, min(highs)


def _finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None
