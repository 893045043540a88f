"""A shop that delivers yesterday again, and one of its meters: found from the history, enforced, and named; nothing on a quiet Sunday."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pytest

from avh_ui.validator.run import Run
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced, judged

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(36)]
SHOPS, ARTICLES, LEARNED = ("Bari", "Como", "Lecce", "Pisa"), 30, 30


def deliveries() -> list[pa.Table]:
    """Articles of four shops, of which two thirds sell something on a day, and one in eight on a Sunday; prices that hardly change."""
    rng = np.random.default_rng(4)
    count = len(SHOPS) * ARTICLES
    stock, sold, price = rng.integers(200, 900, count), np.zeros(count, int), np.round(rng.uniform(2, 9, count), 2)
    ids = [f"a{k:03}" for k in range(count)]
    found = []
    for day in range(len(DAYS)):
        some = rng.random(count) < (1 / 8 if day % 7 == 6 else 2 / 3)
        today = np.where(some, rng.integers(1, 9, count), 0)
        stock, sold = stock - today, sold + today
        price = np.where(rng.random(count) < 0.02, np.round(price * 1.1, 2), price)
        found.append(pa.table({"id": ids, "shop": np.repeat(SHOPS, ARTICLES), "stock": stock, "sold": sold, "price": price}))
    return found


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    return deliveries()


@pytest.fixture(scope="module")
def ws(tables: list[pa.Table], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return enforced(tmp_path_factory.mktemp("shops"), dict(zip(DAYS[:LEARNED], tables, strict=False)), key=["id"])


def told(run: Run) -> dict[str, tuple[str, str]]:
    return {v.constraint.column: (v.status, v.message) for v in run.verdicts if v.constraint.metric == "renewed_parts"}


def with_shop_as_before(now: pa.Table, then: pa.Table, shop: str) -> pa.Table:
    sides = {name: then if name == shop else now for name in SHOPS}
    return pa.concat_tables([side.filter(pa.compute.equal(side["shop"], name)) for name, side in sides.items()])


def test_the_rule_is_found_by_the_column_that_says_which_part_a_row_is_of(ws: Workspace) -> None:
    found = {i.current.column: i for i in ws.draft("t").items if i.current.metric == "renewed_parts"}
    assert {name: item.current.title for name, item in found.items()} == {
        "stock, shop by id": "In no shop of 3 rows or more is each stock as in the batch before"
    }
    evidence = found["stock, shop by id"].suggestion.evidence
    assert evidence.tried == evidence.caught == ("stock stale:the smallest shop",)
    # Sundays are no exception: chance may leave a shop as it was, and is not held against it.
    assert (evidence.backtest.judged, evidence.backtest.fired) == (LEARNED - 1, ())


def test_a_shop_that_sends_yesterday_again_fails_by_name(ws: Workspace, tables: list[pa.Table]) -> None:
    run = judged(ws, DAYS[LEARNED], tables[LEARNED])
    assert run.status == "pass"
    run = judged(ws, DAYS[LEARNED + 1], with_shop_as_before(tables[LEARNED + 1], tables[LEARNED], "Lecce"))
    (status, message), *_ = told(run).values()
    assert status == "fail"
    said = "Rows whose stock is as it was: "
    law = "In no shop of 3 rows or more is each stock as in the batch before"
    assert message.startswith(f"{said}30 of 30 keys with shop Lecce. {law}: it is so in 75%")
    assert message.endswith(" and 25 more.")
    # The next day is compared with the last sound one, in which the shop had other numbers.
    run = judged(ws, DAYS[LEARNED + 2], tables[LEARNED + 2])
    assert told(run)["stock, shop by id"][0] == "pass"


def test_a_column_that_is_not_delivered_anew_fails_by_name(ws: Workspace, tables: list[pa.Table]) -> None:
    """That some shop has a stock that is not as it was is told of its parts; nearly all of what was sold is as it was on a Sunday."""
    found = [i.current.column for i in ws.draft("t").items if i.current.metric == "unchanged_share"]
    assert found == ["sold by id"]
    now, then = tables[LEARNED + 3], tables[LEARNED + 2]
    run = judged(ws, DAYS[LEARNED + 3], now.set_column(3, "sold", then["sold"]))
    (verdict,) = [v for v in run.verdicts if v.constraint.metric == "unchanged_share"]
    assert verdict.status == "fail"
    assert "sold" in verdict.message


def test_a_column_that_is_gone_is_not_evaluated(ws: Workspace, tables: list[pa.Table]) -> None:
    run = judged(ws, DAYS[LEARNED + 2], tables[LEARNED + 2].drop_columns(["shop"]))
    status, message = told(run)["stock, shop by id"]
    assert status == "not_evaluated"
    assert "shop" in message
