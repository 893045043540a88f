"""Two articles whose numbers are exchanged, and one at 0: found as one rule of all columns, enforced, and told by row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.review.plain import plain
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced, judged

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(36)]
ROWS, LEARNED = 40, 33
COLUMNS = ("stock", "price", "weight")
JUMPS = "No large value of stock, price and weight changes by a factor of 1.2 or more in the rows matched by id."
EXCHANGES = "No two rows matched by id swap clearly different values in any of stock, price and weight."


def deliveries() -> list[pa.Table]:
    """Articles whose numbers move by some percent a day."""
    rng = np.random.default_rng(4)
    numbers, found = np.geomspace(1_000, 90_000, 3 * ROWS).reshape(3, ROWS), []
    numbers = rng.permuted(numbers, axis=1)
    for _ in DAYS:
        numbers = np.round(numbers * rng.uniform(0.98, 1.02, (3, ROWS)))
        found.append(pa.table({"id": [f"a{k:02}" for k in range(ROWS)]} | dict(zip(COLUMNS, numbers, strict=True))))
    return found


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    return deliveries()


@pytest.fixture(scope="module")
def ws(tables: list[pa.Table], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return enforced(tmp_path_factory.mktemp("articles"), dict(zip(DAYS[:LEARNED], tables, strict=False)), key=["id"])


def test_one_rule_says_each_of_all_columns(ws: Workspace) -> None:
    found = [i for i in ws.draft("t").items if i.current.metric in ("leapt_rows", "jumped_rows", "exchanged_rows")]
    assert {plain(item.current) for item in found} == {JUMPS, EXCHANGES}
    assert not {i.current.metric for i in ws.draft("t").items} & {"exchanged_share", "wiped_share", "spoiled_share", "mistaken_rows"}


def test_it_fails_with_the_rows_and_what_they_were(ws: Workspace, tables: list[pa.Table]) -> None:
    run = judged(ws, DAYS[LEARNED], tables[LEARNED])
    assert run.status == "pass"
    now, then = tables[LEARNED + 1], tables[LEARNED]
    price, most = now["price"].to_numpy().copy(), int(np.argmax(then["price"].to_numpy()))
    price[most] = 0
    run = judged(ws, DAYS[LEARNED + 1], now.set_column(2, "price", pa.array(price)))
    (verdict,) = [v for v in run.verdicts if v.constraint.metric == "jumped_rows"]
    assert verdict.status == "fail"
    before = f"{then['price'][most].as_py():,.0f}"
    assert verdict.message.startswith(f"Rows that jump alone in price: 1 of {ROWS}, such as a{most:02} (price is 0, was {before}).")
