"""Validating a batch: measured anew, judged, kept; and every way in which a batch can be bad."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from avh_ui.errors import NotFoundError, ProgramNotFoundError, UsageError
from avh_ui.validator.run import Run
from avh_ui.workflows.at_source import batch_of
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

NEXT = day(DAYS)


@pytest.fixture
def ws() -> FakeWorkspace:
    workspace = FakeWorkspace().published()
    workspace.profiler.tables["orders"][NEXT] = orders(DAYS)
    return workspace


def only_rule(run: Run) -> tuple[str, str]:
    (rule,) = run.rules
    return rule.rule, rule.status


def test_a_clean_batch_passes_and_is_kept(ws: FakeWorkspace) -> None:
    run = ws.validate("orders", batch=NEXT)
    assert (run.status, run.row_count, run.program_version, only_rule(run)) == ("pass", 400, 1, ("schema", "pass"))
    assert ws.batch("orders", NEXT).extra == {"validation": "pass", "program": "1"}


def test_the_batch_is_measured_anew(ws: FakeWorkspace) -> None:
    assert ws.validate("orders", batch=day(19)).status == "pass"
    ws.profiler.tables["orders"][day(19)] = orders(19, rows=10)
    run = ws.validate("orders", batch=day(19))
    assert (run.status, run.row_count, ws.batch("orders", day(19)).rows) == ("fail", 10, 10)


def test_a_batch_need_not_be_kept(ws: FakeWorkspace) -> None:
    assert ws.validate("orders", batch=NEXT, store=False).status == "pass"
    assert NEXT not in ws.batches("orders")


def test_a_batch_that_vanished(ws: FakeWorkspace) -> None:
    del ws.profiler.tables["orders"][day(5)]
    run = ws.validate("orders", batch=day(5))
    assert (run.status, run.row_count, only_rule(run)) == ("not_evaluated", None, ("batch_not_found", "not_evaluated"))
    assert "2024-01-0" in run.rules[0].message
    assert {v.status for v in run.verdicts} == {"not_evaluated"}


def test_a_batch_that_vanishes_while_it_is_read(ws: FakeWorkspace) -> None:
    ws.profiler.ghosts.add(day(30))
    run = ws.validate("orders", batch=day(30))
    assert (run.status, only_rule(run)[0]) == ("not_evaluated", "batch_not_found")


def test_an_unreadable_batch(ws: FakeWorkspace) -> None:
    ws.profiler.tables["orders"][NEXT] = None
    run = ws.validate("orders", batch=NEXT)
    assert (run.status, run.row_count, only_rule(run)[0]) == ("not_evaluated", None, "unreadable_batch")
    assert "cut short" in run.rules[0].message
    assert NEXT not in ws.batches("orders")


def test_an_empty_batch_fails(ws: FakeWorkspace) -> None:
    ws.profiler.tables["orders"][NEXT] = orders(DAYS, rows=0)
    run = ws.validate("orders", batch=NEXT)
    assert (run.status, run.row_count, only_rule(run)) == ("fail", 0, ("empty_batch", "fail"))
    assert {v.status for v in run.verdicts} == {"not_evaluated"}
    assert NEXT not in ws.batches("orders")


def test_nothing_published() -> None:
    with pytest.raises(ProgramNotFoundError):
        FakeWorkspace(days=8).profiled().validate("orders", batch=day(7))


def test_an_unknown_pipeline(ws: FakeWorkspace) -> None:
    with pytest.raises(NotFoundError, match="'orders'"):
        ws.validate("order", batch=NEXT)


def test_a_batch_has_to_be_named(ws: FakeWorkspace) -> None:
    with pytest.raises(UsageError, match="--batch"):
        ws.validate("orders")
    with pytest.raises(UsageError, match="--batch"):
        ws.validate("orders", input="x.parquet", store=True)


def test_an_input_is_judged_as_the_batch_it_is_named_after_and_not_kept(ws: FakeWorkspace) -> None:
    path = f"/tmp/{day(19)}.parquet"
    ws.profiler.paths[path] = orders(19, rows=5)
    run = ws.validate("orders", input=path)
    assert (run.batch, run.status) == (day(19), "fail")
    assert ws.batch("orders", day(19)).rows == 400


def test_an_input_of_another_name_is_judged_as_the_next_batch(ws: FakeWorkspace) -> None:
    # As text, "broken" sorts before every date: by its name it would have no predecessor.
    ws.profiler.paths["broken.parquet"] = orders(DAYS)
    run = ws.validate("orders", input="broken.parquet")
    assert (run.batch, run.status, run.count("not_evaluated")) == ("broken", "pass", 0)


def test_an_input_is_kept_when_asked_for(ws: FakeWorkspace) -> None:
    ws.profiler.paths["late.parquet"] = orders(DAYS)
    assert ws.validate("orders", input="late.parquet", batch=NEXT).status == "pass"
    assert NEXT not in ws.batches("orders")
    assert ws.validate("orders", input="late.parquet", batch=NEXT, store=True).status == "pass"
    assert NEXT in ws.batches("orders")


@pytest.mark.parametrize(("table", "rule"), [(None, "unreadable_batch"), (orders(0, rows=0), "empty_batch")])
def test_bad_inputs(ws: FakeWorkspace, tmp_path: Path, table: pa.Table | None, rule: str) -> None:
    there = tmp_path / "x"
    there.touch()
    ws.profiler.paths[str(there)] = table
    assert ws.validate("orders", input=str(there)).rules[0].rule == rule


def test_an_input_that_may_still_come_is_late_and_kept_and_a_mistyped_path_is_not(ws: FakeWorkspace, tmp_path: Path) -> None:
    assert ws.validate("orders", input=str(tmp_path / f"{NEXT}.parquet")).rules[0].rule == "batch_not_found"
    kept = ws.services.runs.recent("orders")
    with pytest.raises(UsageError, match=r"spoilt\.parqet is not there\."):
        ws.validate("orders", input=str(tmp_path / "spoilt.parqet"), batch=NEXT)
    assert [run.id for run in ws.services.runs.recent("orders")] == [run.id for run in kept]


@pytest.mark.parametrize("batch", ["2024-01-3l", "2024-13-05", "2024-1-21", "latest"])
def test_a_batch_that_no_delivery_brings_is_a_mistake_and_keeps_no_run(ws: FakeWorkspace, batch: str) -> None:
    with pytest.raises(UsageError, match=rf"Batch '{batch}' of 'orders' is not at its source\. .*'2024-01-"):
        ws.validate("orders", batch=batch)
    assert ws.services.runs.recent("orders") == []
    assert ws.validate("orders", batch="2024-03-05").rules[0].rule == "batch_not_found"  # it may still come
    assert len(ws.services.runs.recent("orders")) == 1


@pytest.mark.parametrize(
    ("path", "batch"),
    [("a/2024-01-01.parquet", "2024-01-01"), ("s3://b/x.csv.gz", "x"), ("folder/", "folder"), ("C:\\d\\x.csv", "x"), ("", "input")],
)
def test_the_batch_of_a_path(path: str, batch: str) -> None:
    assert batch_of(path) == batch


def test_without_a_program_a_wrong_batch_is_told_too() -> None:
    ws = FakeWorkspace()
    with pytest.raises(ProgramNotFoundError) as error:
        ws.validate("orders", batch="2023-99")
    assert error.value.message.startswith("No ")
    assert "And: Batch '2023-99' of 'orders' is not at its source. The batches run from '2024-01-01' to" in error.value.hint
    with pytest.raises(ProgramNotFoundError) as error:
        ws.validate("orders", batch=day(1))
    assert "And: " not in error.value.hint


def test_a_batch_without_an_id_is_refused(ws: FakeWorkspace) -> None:
    for batch in ("", " "):
        with pytest.raises(UsageError, match=r"The batch has no id\. Give one"):
            ws.validate("orders", batch=batch)
    assert ws.services.runs.recent("orders") == []
