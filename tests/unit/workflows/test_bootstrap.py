"""Opening a workspace, resolving its stores, and `avh.validate` without Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import avh_ui as avh
from avh_ui.bootstrap import Later, check_writable, resolve, resolve_database
from avh_ui.constraints.codec import program_from_record
from avh_ui.errors import ConfigError, DeliveryError, ProgramNotFoundError, TamperedProgramError, UsageError
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.signing import KeyRing
from tests.fakes.disks import full_disk
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

NEXT = day(DAYS)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """History and programs as files, as a workspace would have left them."""
    ws, root = FakeWorkspace().published(), tmp_path_factory.mktemp("stores")
    history, programs = HistoryFiles(str(root / "history")), ProgramFiles(str(root / "programs"))
    for batch in ws.batches("orders"):
        history.save(ws.batch("orders", batch))
    programs.publish(replace(ws.program("orders"), version=0, sha256=""))
    return root / "history", root / "programs"


def test_a_table_and_a_frame(stores: tuple[Path, Path]) -> None:
    history, programs = stores
    run = avh.validate(orders(DAYS), pipeline="orders", batch=NEXT, programs=programs, history=str(history), store=False)
    assert (run.status, run.row_count) == ("pass", 400)
    frame: pd.DataFrame = orders(DAYS).to_pandas()
    assert avh.validate(frame, pipeline="orders", batch=NEXT, programs=programs, history=history).status == "pass"
    assert HistoryFiles(str(history)).load("orders", NEXT).extra["validation"] == "pass"


def test_bad_tables(stores: tuple[Path, Path]) -> None:
    history, programs = stores
    where = {"pipeline": "orders", "batch": NEXT, "programs": programs, "history": history}
    assert avh.validate(orders(0, rows=0), **where).rules[0].rule == "empty_batch"
    assert avh.validate(orders(0, rows=0), **where, empty="off").status == "pass"
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


def test_who_validates_does_not_load_what_publishes(tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text("pipelines: {orders: {source: {path: 'x/{batch}.csv', format: csv}}}\n")
    code = (
        f"import sys; from avh_ui.bootstrap import open_services; services = open_services({str(tmp_path)!r}); "
        "assert services.runs and services.programs.live('orders') is None; "
        "late = ('preview', 'program_backtest', 'promise', 'publishing', 'suggestions'); "
        "print([name for name in late if f'avh_ui.workflows.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="avh init"):
        avh.open(tmp_path)


def test_drafts_are_kept_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "avh.yml").write_text("pipelines: {orders: {source: {path: 'x/{batch}.csv', format: csv}}}\n")
    ws = avh.open(tmp_path)
    assert ws.draft("orders") is None
    # No database is made to say so.
    assert not (tmp_path / "reviews.db").exists()
    assert ws.decisions("orders") == []
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


# Whose programs are enforced


@pytest.fixture
def signed(stores: tuple[Path, Path], tmp_path: Path) -> dict[str, Any]:
    """A workspace's folders, whose program is signed by the workspace's key; what `avh.validate` is called with."""
    history, programs = stores
    KeyRing(tmp_path / "keys").generate()
    program = replace(ProgramFiles(str(programs)).load("orders"), version=0)
    ProgramFiles(str(tmp_path / "programs"), keys=KeyRing(tmp_path / "keys")).publish(program)
    return {"pipeline": "orders", "batch": NEXT, "programs": tmp_path / "programs", "history": history, "store": False}


def signed_again_by_a_stranger(programs: Path, folder: Path) -> None:
    """What somebody can do who may write programs and has a key of their own: open the bounds, hash and sign anew."""
    stranger = KeyRing(folder)
    stranger.generate()
    path = programs / "orders" / "v000001.json"
    document = json.loads(path.read_text())
    document["constraints"] = []
    path.unlink()
    (programs / "orders" / "head.json").unlink()
    ProgramFiles(str(programs), keys=stranger).publish(replace(program_from_record(document), version=0))


def test_a_right_signature_is_enough_where_signatures_are_required(signed: dict[str, Any]) -> None:
    assert avh.validate(orders(DAYS), **signed, require_signature=True).status == "pass"
    assert avh.validate(orders(DAYS), **{**signed, "programs": f"file://{signed['programs']}/"}, require_signature=True).status == "pass"


def test_a_program_that_a_stranger_signed_again_is_never_enforced(signed: dict[str, Any], tmp_path: Path) -> None:
    signed_again_by_a_stranger(signed["programs"], tmp_path / "stranger")
    trusted = tmp_path / "keys"
    for options in ({}, {"require_signature": True}, {"keys": trusted}, {"keys": KeyRing(trusted), "require_signature": True}):
        with pytest.raises(TamperedProgramError, match="not known here"):
            avh.validate(orders(DAYS), **signed, **options)


def test_keys_that_trust_nobody_are_an_error_and_no_licence(signed: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no public key"):
        avh.validate(orders(DAYS), **signed, keys=tmp_path / "nowhere")
    for pub in (tmp_path / "keys").glob("*.pub"):
        pub.unlink()
    with pytest.raises(TamperedProgramError, match="not known here"):
        avh.validate(orders(DAYS), **signed, require_signature=True)


def test_a_store_with_keys_of_its_own_is_not_silently_trusted(signed: dict[str, Any], tmp_path: Path) -> None:
    programs = ProgramFiles(str(signed["programs"]), require_signature=True, keys=KeyRing(tmp_path / "keys"))
    assert avh.validate(orders(DAYS), **{**signed, "programs": programs}).status == "pass"
    for options in ({"require_signature": True}, {"keys": tmp_path / "keys"}):
        with pytest.raises(UsageError, match="by its own keys"):
            avh.validate(orders(DAYS), **{**signed, "programs": programs}, **options)


def test_a_version_that_judged_batches_and_was_deleted_with_its_head_is_missed(tmp_path: Path) -> None:
    """Then nothing in the store says that it was there; the batches that it judged do."""
    programs, history = ProgramFiles(str(tmp_path / "programs")), HistoryFiles(str(tmp_path / "history"))
    live = FakeWorkspace().published().program("orders")
    for _ in range(2):
        programs.publish(replace(live, version=0, sha256=""))
    where = {"pipeline": "orders", "programs": programs, "history": history}
    assert avh.validate(orders(1), batch=day(1), **where).program_version == 2
    (tmp_path / "programs" / "orders" / "v000002.json").unlink()
    (tmp_path / "programs" / "orders" / "head.json").unlink()
    run = avh.validate(orders(2), batch=day(2), store=False, **where)
    said = f"Batch '{day(1)}' was judged by version 2 of the program of 'orders', and the newest that is there is 1: was it deleted?"
    assert (run.program_version, any(note.startswith(said) for note in run.notes)) == (1, True)
    programs.publish(replace(live, version=0, sha256=""))
    assert not any("deleted" in note for note in avh.validate(orders(2), batch=day(2), **where).notes)


def test_verify_and_doctor_miss_a_version_that_runs_name() -> None:
    ws = FakeWorkspace().published()
    ws.record(replace(ws.validate("orders", batch=day(DAYS - 1)), program_version=3))
    (said,) = ws.check_audit("orders")
    assert "was judged by version 3 of the program of 'orders', and the newest that is there is 1: was it deleted?" in said


def test_a_full_disk_is_not_writable(tmp_path: Path) -> None:
    check_writable(str(tmp_path))
    with full_disk(), pytest.raises(DeliveryError, match="could not be written"):
        check_writable(str(tmp_path))
    with full_disk(room=1_000), pytest.raises(DeliveryError, match="could not be written"):
        check_writable(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
