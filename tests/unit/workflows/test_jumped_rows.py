"""A rate in another unit in one row of a table of rates: found as a rule of the one column there is, enforced, and told by row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.review.plain import plain
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced, judged

DAYS = [f"2026-01-{1 + k:02}" for k in range(14)]
ROWS, LEARNED = 40, 12


@pytest.fixture(scope="module")
def tables() -> list[pa.Table]:
    rng = np.random.default_rng(4)
    rates, found = rng.permuted(np.geomspace(0.004, 9_000, ROWS)), []
    for _ in DAYS:
        rates *= rng.uniform(0.995, 1.005, ROWS)
        found.append(pa.table({"currency": [f"c{k:02}" for k in range(ROWS)], "rate": rates.round(7)}))
    return found


@pytest.fixture(scope="module")
def ws(tables: list[pa.Table], tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return enforced(tmp_path_factory.mktemp("rates"), dict(zip(DAYS[:LEARNED], tables, strict=False)), key=["currency"])


def test_a_rule_of_one_column_is_suggested_and_fails_with_the_row(ws: Workspace, tables: list[pa.Table]) -> None:
    found = [plain(i.current) for i in ws.draft("t").items if i.current.metric == "jumped_rows"]
    assert found == ["No large value of rate changes by a factor of 1.5 or more in the rows matched by currency."]
    assert judged(ws, DAYS[LEARNED], tables[LEARNED]).status == "pass"
    middle = int(np.argsort(tables[0]["rate"].to_numpy())[ROWS // 2])
    rates = tables[LEARNED + 1]["rate"].to_numpy().copy()
    rates[middle] /= 1.609344
    run = judged(ws, DAYS[LEARNED + 1], tables[LEARNED + 1].set_column(1, "rate", pa.array(rates)))
    (verdict,) = [v for v in run.verdicts if v.constraint.metric == "jumped_rows"]
    assert verdict.status == "fail"
    assert verdict.message.startswith(f"Rows that jump alone in rate: 1 of {ROWS}, such as c{middle:02} (rate is ")


def test_the_rule_is_told_in_coverage_too(ws: Workspace) -> None:
    rate = [cell for cell in ws.coverage("t").cells if cell.column == "rate"]
    assert any("by a factor of" in str(by) for cell in rate for one in cell.findings for by in one.by)
