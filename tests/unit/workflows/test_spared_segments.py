"""What never happens to the rows of one segment, matched by key: found, enforced on its rows alone, shown with them, and covered."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.review.plain import plain
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced, judged

DAYS = [f"2026-01-{1 + k:02}" for k in range(31)]
SHOPS, ARTICLES, LEARNED = ("Bern", "Oslo", "Rome"), 40, 30
PRICE = "price by id where shop = 'Oslo'"


def deliveries() -> list[pa.Table]:
    """Prices that rise and fall in a third of the rows, but never fall in Oslo, of articles of which a tenth goes, but none of Oslo's."""
    rng, count = np.random.default_rng(5), len(SHOPS) * ARTICLES
    shop, price = np.repeat(SHOPS, ARTICLES), np.round(rng.uniform(20, 900, count), 2)
    found = []
    for _ in DAYS:
        moves = np.where(rng.random(count) < 1 / 3, rng.uniform(0.9, 1.1, count), 1.0)
        price = np.round(price * np.where((shop == "Oslo") & (moves < 1), 1.0, moves), 2)
        there = (shop == "Oslo") | (rng.random(count) < 0.8)
        found.append(pa.table({"id": [f"a{k:03}" for k in range(count)], "shop": shop, "price": price}).filter(pa.array(there)))
    return found


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    return deliveries()


@pytest.fixture(scope="module")
def ws(tables: list[pa.Table], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return enforced(tmp_path_factory.mktemp("shops"), dict(zip(DAYS[:LEARNED], tables, strict=False)), key=["id"], segments=["shop"])


def spared(ws: Workspace) -> dict[str, str]:
    rules = (i.current for i in ws.draft("t").items)
    return {rule.column: plain(rule) for rule in rules if rule.measure.key and rule.measure.where is not None}


def test_only_the_segment_that_chance_would_not_have_spared_has_a_rule(ws: Workspace) -> None:
    assert spared(ws) == {
        "rows by id where shop = 'Oslo'": "No key (id) of the batch before is gone where shop = 'Oslo'.",
        PRICE: "price never falls in the rows matched by id where shop = 'Oslo'.",
    }
    evidence = {i.current.column: i.suggestion.evidence for i in ws.draft("t").items}[PRICE]
    assert (evidence.caught, evidence.backtest.judged, evidence.backtest.fired) == (("price back:0.5",), LEARNED - 1, ())


def test_falls_elsewhere_pass_and_one_in_the_segment_fails_by_name(ws: Workspace, tables: list[pa.Table]) -> None:
    clean = tables[LEARNED]
    assert judged(ws, DAYS[LEARNED], clean, store=False).status == "pass"
    price, shop = clean["price"].to_numpy().copy(), clean["shop"].to_pylist()
    at = shop.index("Oslo") + 3
    price[at] -= 0.5
    run = judged(ws, DAYS[LEARNED], clean.set_column(2, "price", pa.array(price)), store=False)
    (verdict,) = [v for v in run.verdicts if v.status == "fail"]
    assert verdict.constraint.column == PRICE
    assert verdict.observed == 1 / ARTICLES
    name = clean["id"][at].as_py()
    assert f"{name}: {price[at] + 0.5:,.2f}".rstrip("0").rstrip(".") in verdict.message
    assert "where shop = 'Oslo'" in verdict.message


def test_keys_of_the_segment_that_are_gone_are_named(ws: Workspace, tables: list[pa.Table]) -> None:
    clean = tables[LEARNED]
    gone = clean["shop"].to_pylist().index("Oslo") + 5
    run = judged(ws, DAYS[LEARNED], pa.concat_tables([clean.slice(0, gone), clean.slice(gone + 1)]), store=False)
    (verdict,) = [v for v in run.verdicts if v.status == "fail"]
    assert verdict.constraint.column == "rows by id where shop = 'Oslo'"
    assert clean["id"][gone].as_py() in verdict.message


def test_the_page_of_the_rule_lists_the_rows_of_its_segment(ws: Workspace) -> None:
    moved = ws.moved_rows("t", DAYS[LEARNED - 1], column=PRICE)
    assert moved is not None
    assert moved.among == ARTICLES
    assert ws.coverage("t", "draft").rules == len(ws.draft("t").items)
