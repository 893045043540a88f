"""Bounds that orders of columns imply are not suggested beside the one that they follow from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromRelation, Proposal
from avh_ui.constraints.recipe import Recipe
from avh_ui.inference.lean import lean
from avh_ui.metrics.measure import Measure

FOLLOWS = Recipe(window=120, width=3.0, batches=100, deviation=20.0, index=3.0)


def bounded(column: str, metric: str, lower: float | None, upper: float | None, *caught: str) -> Proposal:
    recipe = FOLLOWS if metric in ("min", "max") else None
    made = Constraint(column, metric, "numeric", lower, upper, origin="history", recipe=recipe)
    return Proposal(made, FromHistory(method="calibrated", tried=caught, caught=caught))


def filled(column: str) -> Proposal:
    return bounded(column, "complete_ratio", 1.0, 1.0, f"nulls of {column}")


def order(low: str, high: str, share: float = 1.0) -> Proposal:
    measure = Measure("compliance", parameters=(("label", f"{low} is never above {high}"), ("predicate", f"{low} <= {high}")))
    made = Constraint(measure.subject, "compliance", "boolean", share, None, origin="relation", measure=measure)
    return Proposal(made, FromRelation(method="relations", family="order", of=(low, high), caught=(f"{low} tenfold:one",)))


PRICES = [
    *(filled(column) for column in ("low", "open", "high")),
    *(bounded(column, "max", None, 1_600, "x10") for column in ("low", "open", "high")),
    *(bounded(column, "min", 10, None, "a tenth") for column in ("low", "open", "high")),
]
ORDERS = [order("low", "open"), order("open", "high")]


def kept(*proposals: Proposal) -> set[tuple[str, str]]:
    of = (one.constraint for one in lean(proposals).proposals)
    return {(made.column, made.metric) for made in of if made.metric in ("min", "max")}


def test_of_a_chain_each_end_has_one_bound() -> None:
    assert kept(*PRICES, *ORDERS) == {("high", "max"), ("low", "min")}
    found = lean([*PRICES, *ORDERS])
    (most,) = (one.evidence.also for one in found.proposals if one.constraint.metric == "max")
    assert set(most) == {"max ≤ 1,600 of low", "max ≤ 1,600 of open"}
    reasons = [one["reason"] for one in found.left_out if one["column"] == "open"]
    assert "max ≤ 1,600: what it catches, max ≤ 1,600 of high and the other rules of the column catch" in reasons


@pytest.mark.parametrize(
    ("changed", "stays"),
    [
        (order("open", "high", 0.99), True),  # not every row keeps it
        (bounded("high", "max", None, 1_700, "x10"), False),
        (bounded("high", "max", None, 1_800, "x10"), True),  # it lets more pass
        (bounded("open", "max", None, 1_600, "x10", "one far"), True),  # it notices more
        (bounded("high", "complete_ratio", 0.9, None, "nulls of high"), True),  # a null keeps the order
    ],
)
def test_a_bound_stays_that_nothing_implies(changed: Proposal, *, stays: bool) -> None:
    def same(one: Proposal) -> bool:
        return (one.constraint.column, one.constraint.metric) == (changed.constraint.column, changed.constraint.metric)

    rules = [changed if same(one) else one for one in (*PRICES, *ORDERS)]
    assert (("open", "max") in kept(*rules)) is stays


def test_a_bound_that_follows_no_history_stays() -> None:
    """Without a recipe it is what a column can be, and says so to who reads it."""
    by_nature = [replace(one, constraint=replace(one.constraint, recipe=None)) for one in PRICES]
    assert ("open", "max") in kept(*by_nature, *ORDERS)
