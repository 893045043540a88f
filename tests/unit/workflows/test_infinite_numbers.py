"""Columns that hold infinities are suggested for, covered and judged; a warning of NumPy would fail these tests."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import avh_ui as avh

ROWS = 120
DAYS = [f"2026-01-{1 + k:02}" for k in range(14)]


def tables() -> list[pa.Table]:
    rng = np.random.default_rng(0)
    base, found = rng.gamma(2, 50, ROWS), []
    for k, _ in enumerate(DAYS):
        price, noise = (base * (1 + 0.02 * rng.standard_normal(ROWS))).round(2), rng.normal(0, 1, ROWS).round(3)
        gross, low = price * 1.2, price * 0.8
        for numbers in (price, noise, low, *([] if k % 3 else [gross])):
            numbers[rng.integers(0, ROWS, 3)] = np.inf
        # Some stay infinite from one batch to the next.
        noise[:2] = -np.inf
        half = np.where(rng.random(ROWS) < 0.5, np.inf, 0.5)
        found.append(pa.table({"id": np.arange(ROWS), "price": price, "gross": gross, "low": low, "noise": noise, "half": half}))
    return found


def test_a_table_with_infinities_goes_the_whole_way(tmp_path: Path) -> None:
    made = tables()
    (tmp_path / "data").mkdir()
    settings = {"pipelines": {"t": {"source": {"path": "data/{batch}.parquet"}, "key": ["id"]}}, "engine": "local"}
    (tmp_path / "avh.yml").write_text(json.dumps(settings), encoding="utf-8")
    for day, table in zip(DAYS[:-1], made, strict=False):
        pq.write_table(table, tmp_path / "data" / f"{day}.parquet")
    ws = avh.open(tmp_path)
    ws.profile("t")
    ws.decide("t", [item.suggestion.id for item in ws.suggest("t", fpr=0.01).items], "accept")
    ws.publish("t", message="first")
    assert {cell.column for cell in ws.coverage("t").cells} >= {"price", "gross", "low", "noise", "half"}
    lost = made[-1].set_column(1, "price", pa.array(made[-1]["price"].to_numpy() * 10))
    pq.write_table(lost, tmp_path / "data" / f"{DAYS[-1]}.parquet")
    assert ws.validate("t", batch=DAYS[-1]).status == "fail"
