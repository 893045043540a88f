"""Rows held to their weekday, from publishing to the verdict: a Saturday's rows on a Monday are too few."""

from __future__ import annotations

from datetime import date

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.transforms import Transform
from avh_ui.constraints.weekdays import Weekdays
from avh_ui.metrics.measure import Measure
from tests.fakes.workspaces import FakeWorkspace, day, orders

BESIDE = Transform(log=True, weekdays=Weekdays((400.0,) * 5 + (100.0, 50.0), (0.1,) * 7))
RULE = Constraint("rows", "row_count", "numeric", -4.0, 4.0, BESIDE, fpr=0.001, measure=Measure("row_count"))


def test_a_published_rule_judges_each_batch_by_its_weekday() -> None:
    ws = FakeWorkspace(days=14)
    weekdays = [date.fromisoformat(day(k)).weekday() for k in range(14)]
    ws.profiler.tables["orders"] = {day(k): orders(k, 100 if weekdays[k] == 5 else 50 if weekdays[k] == 6 else 400) for k in range(14)}
    ws = ws.published(RULE)
    assert ws.live("orders").constraints[0].transform == BESIDE
    assert {ws.validate("orders", batch=day(k)).status for k in range(7, 14)} == {"pass"}
    monday = weekdays.index(0, 7)
    ws.profiler.tables["orders"][day(monday)] = orders(monday, 100)
    run = ws.validate("orders", batch=day(monday))
    assert [result.message for result in run.results if result.status == "fail"] == [
        "The number of rows is 100, below the lower bound 268 on a Monday."
    ]
