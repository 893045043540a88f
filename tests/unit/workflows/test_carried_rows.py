"""What rows carry over from the batch before: found from the history, enforced on batches in a row, and quiet after one that failed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.validator.run import Run
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced, judged

DAYS = [f"2026-01-{1 + k:02}" for k in range(30)]
METERS, LEARNED = 40, 24


def deliveries() -> list[pa.Table]:
    """Readings of meters with what each used, the price of the day before, and numbers that follow nothing."""
    rng, total, price = np.random.default_rng(1), np.round(np.linspace(900, 90_000, METERS), 1), np.round(np.geomspace(1, 9, METERS), 2)
    found = []
    for _ in DAYS:
        used = np.round(rng.uniform(5, 9, METERS), 1)
        total, before, price = np.round(total + used, 1), price, np.round(price * rng.uniform(0.9, 1.1, METERS), 2)
        ids = [f"m{k}" for k in range(METERS)]
        noise = np.round(rng.uniform(5, 9, METERS), 1)
        found.append(pa.table({"id": ids, "used": used, "total": total, "price": price, "before": before, "noise": noise}))
    return found


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    return deliveries()


@pytest.fixture(scope="module")
def ws(tables: list[pa.Table], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return enforced(tmp_path_factory.mktemp("meters"), dict(zip(DAYS[:LEARNED], tables, strict=False)), key=["id"])


def told(run: Run, column: str) -> tuple[str, str]:
    return next((v.status, v.message) for v in run.verdicts if v.constraint.column == column)


def test_what_carries_over_is_found_and_what_follows_nothing_is_not(ws: Workspace) -> None:
    found = {i.current.column: i for i in ws.draft("t").items if i.current.metric in ("the_rise", "earlier")}
    assert {name: item.current.title for name, item in found.items()} == {
        "used, total by id": "used is the rise of total since the batch before",
        "before, price by id": "before is what price was in the batch before",
    }
    evidence = found["used, total by id"].suggestion.evidence
    assert evidence.backtest.judged == LEARNED - 1
    assert {"used exchanged:0.02", "used shifted", "used zero:one"} & set(evidence.tried) <= set(evidence.caught)
    assert "used shifted" in evidence.caught


def test_two_exchanged_readings_fail_by_name_and_the_batch_after_is_not_compared(ws: Workspace, tables: list[pa.Table]) -> None:
    assert judged(ws, DAYS[LEARNED], tables[LEARNED]).status == "pass"
    clean = tables[LEARNED + 1]
    used = clean["used"].to_pylist()
    used[3], used[5] = used[5], used[3]
    run = judged(ws, DAYS[LEARNED + 1], clean.set_column(1, "used", pa.array(used)))
    status, message = told(run, "used, total by id")
    assert status == "fail"
    named = f"m3 ({used[3]:g}, not {used[5]:g}); m5 ({used[5]:g}, not {used[3]:g})"
    assert message.startswith(f"Rows whose used is not the rise of total: 2 of 40, such as {named}. used is the rise of total since")
    assert "it is so in 95% of the rows." in message
    run = judged(ws, DAYS[LEARNED + 2], tables[LEARNED + 2])
    assert told(run, "used, total by id")[0] == "pass"
    assert f"not compared, since the last sound batch, {DAYS[LEARNED]}, is 2 batches ago." in told(run, "used, total by id")[1]
    run = judged(ws, DAYS[LEARNED + 3], tables[LEARNED + 3])
    assert told(run, "used, total by id") == ("pass", "used is the rise of total since the batch before: it is so in 100% of the rows.")


def test_a_meter_that_sends_its_row_again_is_named(ws: Workspace, tables: list[pa.Table]) -> None:
    table, before = tables[LEARNED + 1], tables[LEARNED]
    again = pa.concat_tables([table.slice(0, 7), before.slice(7, 1), table.slice(8)])
    run = judged(ws, DAYS[LEARNED + 1], again)
    status, message = told(run, "used, total, price, before, noise by id")
    assert status == "fail"
    law = "In every row matched by id at least one of used, total, price, before, noise differs from the batch before"
    assert message.startswith(f"Rows that are as they were: 1 of 40, such as m7. {law}: it is so in 97.5% of the rows.")
    assert judged(ws, DAYS[LEARNED + 1], table).status == "pass"


def test_a_column_that_is_gone_is_not_evaluated(ws: Workspace, tables: list[pa.Table]) -> None:
    run = judged(ws, DAYS[LEARNED + 3], tables[LEARNED + 3].drop_columns(["total"]))
    status, message = told(run, "used, total by id")
    assert status == "not_evaluated"
    assert "total" in message


def test_over_a_day_that_did_not_come_nothing_is_carried(ws: Workspace, tables: list[pa.Table]) -> None:
    assert judged(ws, DAYS[LEARNED + 3], tables[LEARNED + 3]).status == "pass"
    run = judged(ws, DAYS[LEARNED + 5], tables[LEARNED + 5])
    status, message = told(run, "used, total by id")
    assert status == "pass"
    assert message.endswith(f"not compared, since 1 batch between {DAYS[LEARNED + 3]} and this one did not come.")
