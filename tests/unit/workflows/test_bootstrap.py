"""Opening a workspace, resolving its stores, and `avh.validate` without Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import avh_ui as avh
from avh_ui.bootstrap import Later, resolve, resolve_database
from avh_ui.errors import ConfigError, ProgramNotFoundError, UsageError
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.program_files import ProgramFiles
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

NEXT = day(DAYS)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """History and programs as files, as a workspace would have left them."""
    ws, root = FakeWorkspace().published(), tmp_path_factory.mktemp("stores")
    history, programs = HistoryFiles(str(root / "history")), ProgramFiles(str(root / "programs"))
    for batch in ws.batches("orders"):
        history.save(ws.batch("orders", batch))
    from dataclasses import replace

    programs.publish(replace(ws.program("orders"), version=0, sha256=""))
    return root / "history", root / "programs"


def test_a_table_and_a_frame(stores: tuple[Path, Path]) -> None:
    history, programs = stores
    run = avh.validate(orders(DAYS), pipeline="orders", batch=NEXT, programs=programs, history=str(history), store=False)
    assert (run.status, run.rows) == ("pass", 400)
    frame: pd.DataFrame = orders(DAYS).to_pandas()
    assert avh.validate(frame, pipeline="orders", batch=NEXT, programs=programs, history=history).status == "pass"
    assert HistoryFiles(str(history)).load("orders", NEXT).extra["validation"] == "pass"


def test_bad_tables(stores: tuple[Path, Path]) -> None:
    history, programs = stores
    where = {"pipeline": "orders", "batch": NEXT, "programs": programs, "history": history}
    assert avh.validate(orders(0, rows=0), **where).rules[0].rule == "empty_batch"
    assert avh.validate(orders(0, rows=0).to_pandas(), **where).status == "fail"
    assert avh.validate(orders(0).drop_columns(["paid"]), **where, store=False).rules[0].rule == "missing_column"
    with pytest.raises(UsageError, match=r"builtins\.dict"):
        avh.validate({"a": 1}, **where)
    with pytest.raises(ProgramNotFoundError, match="orders"):
        avh.validate(orders(0), **{**where, "pipeline": "order"})


def test_ports_are_taken_as_they_are() -> None:
    ws = FakeWorkspace().published()
    run = avh.validate(orders(DAYS), pipeline="orders", batch=NEXT, programs=ws.store, history=ws.profiles)
    assert (run.status, NEXT in ws.batches("orders")) == ("pass", True)


def test_opening_loads_no_engine_and_makes_no_file(tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text("pipelines: {orders: {source: {path: 'x/{batch}.csv', format: csv}}}\n")
    code = (
        f"import sys, avh_ui as avh; ws = avh.open({str(tmp_path)!r}); assert ws.pipelines() == ['orders']; "
        "assert ws.batches('orders') == [] and ws.live('orders') is None; "
        "print({'pyspark', 'sqlalchemy', 'panel', 'statsmodels', 'cryptography'} & set(sys.modules) - {'cryptography'})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
    assert [p.name for p in tmp_path.iterdir()] == ["avh.yml"]


def test_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="avh init"):
        avh.open(tmp_path)


def test_drafts_are_kept_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text("pipelines: {orders: {source: {path: 'x/{batch}.csv', format: csv}}}\n")
    assert avh.open(tmp_path).draft("orders") is None
    assert (tmp_path / "reviews.db").exists()


def test_locations(tmp_path: Path) -> None:
    assert resolve("history/", tmp_path) == str(tmp_path / "history")
    assert resolve("/abs/history", tmp_path) == "/abs/history"
    assert resolve("s3://lake/history", tmp_path) == "s3://lake/history"
    assert resolve_database("sqlite:///reviews.db", tmp_path) == f"sqlite:///{tmp_path}/reviews.db"
    assert resolve_database("sqlite:////abs/reviews.db", tmp_path) == "sqlite:////abs/reviews.db"
    assert resolve_database("sqlite:///:memory:", tmp_path) == "sqlite:///:memory:"
    assert resolve_database("postgresql://host/db", tmp_path) == "postgresql://host/db"


def test_an_adapter_is_made_once_and_late() -> None:
    made: list[str] = []
    later = Later(lambda: made.append("x") or "text")
    assert made == []
    assert later.upper() == "TEXT"
    assert later.lower() == "text"
    assert made == ["x"]
