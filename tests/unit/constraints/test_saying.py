"""What verdicts say: no sentence holds the name of a metric as only its authors write it."""

from __future__ import annotations

import math
import re
from typing import get_args

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.judging import judge
from avh_ui.constraints.recipe import Recipe
from avh_ui.constraints.transforms import Transform
from avh_ui.metrics.catalogue import asked_for, metrics_for
from avh_ui.metrics.column import Kind
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric

EVERY = [(kind, metric) for kind in get_args(Kind) for metric in (*metrics_for(kind), *asked_for(kind))]
RECIPE = Recipe(window=60, width=2.0, batches=60, deviation=0.1, index=2.5)


def rules(kind: Kind, metric: Metric) -> list[Constraint]:
    """Fixed bounds, those that follow, a change against the batch before, and what a person states, with and without a condition."""
    more = {"key": ("k",)} if metric.by_key else {}
    plain = Measure.of(metric.name, () if metric.volume else "c", **more)
    made = [
        Constraint(plain.subject, metric.name, kind, 0.25, 0.75, measure=plain),
        Constraint(plain.subject, metric.name, kind, 0.25, 0.75, measure=plain, recipe=RECIPE),
        Constraint(plain.subject, metric.name, kind, -0.25, 0.25, Transform(1), measure=plain),
        Constraint(plain.subject, metric.name, kind, 0.25, 0.75, measure=plain, origin="manual"),
    ]
    if not metric.by_key:
        some = Measure.of(metric.name, () if metric.volume else "c", "d > 3")
        made.append(Constraint(some.subject, metric.name, kind, 0.25, 0.75, measure=some, origin="manual"))
    return made


def test_a_verdict_is_a_sentence_for_who_knows_no_metric() -> None:
    told = [judge(rule, value, 0.3, "b1").message for one in EVERY for rule in rules(*one) for value in (0.5, 0.9, 0.0, math.nan, None)]
    assert len(told) > 3_000
    odd = [said for said in told if re.search(r"[a-z]_[a-z]|[{}]|The the|\.\.$|[^.]$", said) or not re.match("[A-Z0-9]|c |the ", said)]
    assert odd == []


def test_what_is_missing_is_what_is_told_of_a_share() -> None:
    share = Constraint("c", "complete_ratio", "string", 0.98, 1.0)
    found = judge(share, 0.5)
    assert found.message == "50% of c are null, above the upper bound 2%."
    assert (found.observed, found.lower, found.upper) == (0.5, 0.98, 1.0)
    # Bounds that only their seventh digits tell apart, of which one is told.
    always = Constraint("c", "complete_ratio", "string", 0.7181207, 0.7181209)
    assert judge(always, 0.322148).message == "67.8% of c are null, above the upper bound 28.2%."
    never = Constraint("c", "complete_ratio", "string", 1.0, 1.0)
    assert judge(never, 0.5).message == "50% of c are null, not 0% as it should be."


def test_a_stated_rule_says_its_condition_and_its_bounds() -> None:
    some = Measure.of("mean", "c", "d > 3")
    rule = Constraint(some.subject, "mean", "numeric", 1.0, None, measure=some, origin="manual")
    assert judge(rule, 0.5).message == "The average c where d > 3 is at least 1: it is 0.5."
    assert rule.statement == f"mean of c where d > 3 is {Bounds(1.0).words}"
