"""`avh results`: the table that reports read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from avh_ui.metrics.measure import Measure
from avh_ui.workflows.results import SCHEMA, results_table
from tests.fakes.run_contract import failed, validation
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, day, orders
from tests.unit.cli.conftest import Avh

Use = Callable[[FakeWorkspace], FakeWorkspace]


def test_there_is_a_row_per_rule_and_batch_of_its_newest_run(avh: Avh, fake: Use, tmp_path: Path) -> None:
    workspace = fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    for k, rows in ((DAYS, 200), (DAYS + 1, 400)):
        workspace.profiler.tables["orders"][day(k)] = orders(k, rows)
        workspace.validate("orders", batch=day(k))
    workspace.validate("orders", batch=day(DAYS))
    answer = avh("results", "--to", tmp_path / "bi" / "results.parquet")
    assert (answer.code, answer.out) == (0, f"Wrote {tmp_path}/bi/results.parquet: 6 results of 2 batches.\n")
    table = pq.read_table(tmp_path / "bi" / "results.parquet")
    assert table.schema.equals(SCHEMA)
    rows = table.to_pylist()
    assert [row["batch"] for row in rows] == [day(DAYS)] * 3 + [day(DAYS + 1)] * 3
    (count,) = [row for row in rows if row["batch"] == day(DAYS) and row["metric"] == "row_count"]
    assert (count["run_status"], count["status"], count["level"]) == ("fail", "fail", "error")
    assert (count["observed"], count["lower"], count["upper"], count["rows"]) == (200.0, 300.0, 500.0, 200)
    (schema,) = [row for row in rows if row["batch"] == day(DAYS) and row["rule"]]
    assert (schema["metric"], schema["observed"], schema["status"]) == (None, None, "pass")


def test_without_runs_the_table_has_its_columns_and_no_row(avh: Avh, fake: Use, tmp_path: Path) -> None:
    fake(FakeWorkspace(days=2).profiled())
    assert avh("results", "orders", "--to", tmp_path / "r.parquet").out.endswith("0 results of 0 batches.\n")
    assert pq.read_schema(tmp_path / "r.parquet").equals(SCHEMA)
    unknown = avh("results", "oders", "--to", tmp_path / "r.parquet")
    assert (unknown.code, "Did you mean 'orders'?" in unknown.err) == (3, True)


def test_names_that_are_no_text_are_written_as_far_as_they_are() -> None:
    run = validation("b\udc80", failed(column="c\udc80"), pipeline="orders")
    found = {(row["batch"], row["column"]) for row in results_table([run]).to_pylist()}
    assert found == {("b?", ""), ("b?", "c?")}


def test_the_number_of_rows_is_of_no_column() -> None:
    _, row = results_table([validation("b1", failed(column="rows", metric="row_count", measure=Measure("row_count")))]).to_pylist()
    assert (row["column"], row["metric"]) == ("", "row_count")


def test_a_dash_is_refused_since_it_names_no_file(avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = avh("results", "--to", "-")
    assert answer.code == 2
    assert "`--to -` names no file" in answer.err
    assert not (tmp_path / "-").exists()


def test_a_name_that_denies_parquet_is_refused(avh: Avh, tmp_path: Path) -> None:
    run = avh("results", "--to", str(tmp_path / "out.xlsx"))
    assert (run.code, "out.xlsx would hold Parquet, which its name denies. Name it" in run.err) == (2, True)
    assert not list(tmp_path.glob("out*"))
