"""Numbers of columns that have none in some batches are bounded by a condition of rows, which lets null pass."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.evidence import FromRelation
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.above_zero import ABOVE
from avh_ui.inference.by_history.measured import MeasuredColumn
from avh_ui.inference.by_history.where_filled import _condition
from avh_ui.review.draft import DraftItem
from tests.fakes.workspaces import FakeWorkspace, day

DAYS, ROWS = 60, 72


def weather(k: int, gusty: int, *, times: float = 1.0) -> pa.Table:
    """A day of which so many hours had gusts."""
    rng = np.random.default_rng(k)
    gusts = times * np.round(rng.gamma(20, 1.5, ROWS), 1)
    return pa.table({"hour": pa.array(np.arange(ROWS) % 24), "gust": pa.array(gusts, mask=np.arange(ROWS) >= gusty)})


def known(*gusty: int) -> FakeWorkspace:
    ws = FakeWorkspace(days=DAYS)
    ws.profiler.tables["orders"] = {day(k): weather(k, some) for k, some in enumerate(gusty)}
    ws.profile("orders")
    return ws


def limits(ws: FakeWorkspace) -> list[DraftItem]:
    evidence = [(i, i.suggestion.evidence) for i in ws.suggest("orders").items]
    return [i for i, of in evidence if isinstance(of, FromRelation) and of.of == ("gust",)]


def hours(fewest: int) -> list[int]:
    """The hours with gusts of sixty days, on every seventh so few and else 10 to 60; on the last as many as on the others."""
    return [fewest if k % 7 == 1 else int(np.random.default_rng(k).integers(10, 60)) for k in range(DAYS)]


@pytest.mark.parametrize("fewest", [0, 2])
def test_gusts_are_bounded_although_a_day_may_have_none(fewest: int) -> None:
    ws = known(*hours(fewest))
    (rule,) = limits(ws)
    assert "unit_change x1000" in " ".join(rule.suggestion.caught)
    ws.decide("orders", [rule.suggestion.id], "accept")
    ws.publish("orders", message="limits")
    for table, status in ((weather(DAYS, 40), "pass"), (weather(DAYS, 0), "pass"), (weather(DAYS, 40, times=1_000), "fail")):
        ws.profiler.tables["orders"][day(DAYS)] = table
        (verdict,) = ws.validate("orders", batch=day(DAYS), store=False, record=False).verdicts
        assert verdict.status == status


def test_what_always_has_numbers_is_bounded_by_its_extremes() -> None:
    assert not limits(known(*[40] * DAYS))


def test_what_is_mostly_empty_is_not_bounded() -> None:
    assert not limits(known(*[40 if k % 3 == 2 else 0 for k in range(DAYS)]))


@pytest.mark.parametrize(
    ("ends", "said", "test"),
    [
        ((ABOVE, 800.0), "x is above 0 and at most 800", "> 0.0D AND"),
        ((ABOVE, None), "x is always above 0", "> 0.0D)"),
        ((0.0, None), "x is never below 0", ">= 0.0D)"),
        ((None, 8.0), "x is never above 8", "<= 8.0D)"),
        ((1.0, 8.0), "x is between 1 and 8", ">= 1.0D AND"),
    ],
)
def test_a_condition_is_said_as_other_bounds_are(ends: tuple[float | None, float | None], said: str, test: str) -> None:
    values = {"min": np.arange(10.0) + 2, "max": np.arange(10.0) + 5}
    found = ColumnHistory("x", "numeric", "", tuple(map(day, range(10))), values, np.ones(10, dtype=bool))
    column = MeasuredColumn(found, 10, "calibrated", (), (), (), np.empty((0, 0)), ())
    made = _condition(found, column, ends, 1e-4, ("unit_change x10",)).constraint
    assert made.learned.says == said
    assert test in made.column
