"""What rules by key cost that no batch broke: a window without a break promises less than it seems to."""

from __future__ import annotations

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, Proposal, Record
from avh_ui.inference.by_key.unbroken import with_prices
from avh_ui.metrics.measure import Measure


def rule(metric: str, record: Record | None, *, key: tuple[str, ...] = ("id",), fpr: float = 1e-4) -> Proposal:
    measure = Measure(metric, ("a", "b"), parameters=(("key", key),) if key else ())
    made = Constraint(measure.subject, metric, "rows", None, 0.0, measure=measure, fpr=fpr)
    return Proposal(made, FromHistory(method="calibrated", backtest=record))


def price(one: Proposal) -> float:
    (found,) = with_prices([one])
    return found.constraint.fpr


def test_what_no_batch_broke_costs_what_such_rules_did() -> None:
    held = Record(119, ())
    assert price(rule("changed_rows", held)) == pytest.approx(0.9 / 120)
    assert price(rule("fallen_counters", held)) == pytest.approx(0.45 / 120)
    assert price(rule("exchanged_rows", held)) == pytest.approx(0.1 / 120)
    assert price(rule("exchanged_rows", held, fpr=0.02)) == 0.02, "what its own history says is more"
    assert price(rule("changed_rows", Record(29, ()))) == pytest.approx(0.9 / 30)


@pytest.mark.parametrize("record", [None, Record(0, ()), Record(119, ("b1",))], ids=["unknown", "none judged", "broke"])
def test_what_broke_or_is_not_known_keeps_its_own_price(record: Record | None) -> None:
    assert price(rule("changed_rows", record)) == 1e-4


def test_what_compares_no_rows_keeps_its_own_price() -> None:
    assert price(rule("least_complete_ratio", Record(119, ()), key=())) == 1e-4
