"""Differential verification: a partition is kept only if the whole table keeps its rules with it, from states alone."""

from __future__ import annotations

import pyarrow as pa
import pytest

import avh_ui as avh
from avh_ui.errors import BatchNotFoundError, UsageError
from avh_ui.history.parts import Part
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

c, of = avh.checks, avh.analyzers
NEXT = day(DAYS)
RULES = [
    c.has(of.size(), at_least=400 * (DAYS - 1) + 100),
    c.has(of.mean("amount"), above=95, below=105),
    c.is_complete("country", at_least=0.999),
    c.has(of.maximum("id"), at_most=10_000 * DAYS + 399),
]


@pytest.fixture
def ws() -> FakeWorkspace:
    workspace = FakeWorkspace()
    workspace.profile("orders")
    workspace.profiler.tables["orders"][NEXT] = orders(DAYS)
    return workspace


def all_rows(ws: FakeWorkspace) -> pa.Table:
    return pa.concat_tables(ws.profiler.tables["orders"].values())


def test_a_new_partition_is_kept_where_the_whole_still_holds(ws: FakeWorkspace) -> None:
    run = ws.ingest("orders", RULES, batch=NEXT)
    assert (run.status, run.row_count) == ("pass", 400 * (DAYS + 1))
    assert ws.batches("orders")[-1] == NEXT
    # What recomputing says of all rows, the states say too.
    anew = avh.check(all_rows(ws), RULES)
    assert [v.observed for v in run.verdicts] == pytest.approx([v.observed for v in anew.verdicts])


def test_what_breaks_the_whole_changes_nothing(ws: FakeWorkspace) -> None:
    ws.profiler.tables["orders"][NEXT] = orders(DAYS).set_column(2, "country", pa.nulls(400, pa.string()))
    run = ws.ingest("orders", RULES, batch=NEXT)
    (broken,) = (v for v in run.verdicts if v.status == "fail")
    assert broken.message == "country is not null in at least 99.9% of the rows: it is so in 95.2381% of the rows."
    assert NEXT not in ws.batches("orders")


def test_a_replaced_partition_takes_the_place_of_the_old_one(ws: FakeWorkspace) -> None:
    before = ws.batch("orders", day(3)).digest
    ws.profiler.tables["orders"][day(3)] = orders(3).set_column(1, "amount", pa.array([10_000.0] * 400))
    assert ws.ingest("orders", RULES, batch=day(3)).status == "fail"
    assert ws.batch("orders", day(3)).digest == before
    ws.profiler.tables["orders"][day(3)] = orders(3, rows=100)
    run = ws.ingest("orders", RULES, batch=day(3))
    assert (run.status, run.row_count) == ("pass", 400 * (DAYS - 1) + 100)
    assert ws.batch("orders", day(3)).rows == 100


def test_what_does_not_merge_is_not_evaluated_and_refuses(ws: FakeWorkspace) -> None:
    run = ws.ingest("orders", [*RULES, c.is_unique("id")], batch=NEXT)
    assert [v.status for v in run.verdicts] == ["pass", "pass", "pass", "pass", "not_evaluated"]
    assert "it does not follow from the states of batches" in run.verdicts[-1].message
    assert NEXT not in ws.batches("orders")


def test_a_batch_that_is_not_there(ws: FakeWorkspace) -> None:
    with pytest.raises(BatchNotFoundError):
        ws.ingest("orders", RULES, batch="2030-01-01")


def test_a_table_in_memory_is_ingested_as_it_is(ws: FakeWorkspace) -> None:
    assert ws.ingest("orders", RULES, batch=NEXT, input=orders(DAYS)).status == "pass"
    assert ws.ingest("orders", RULES, batch=day(DAYS + 1), input=orders(DAYS).to_pandas().assign(country=None)).status == "fail"
    assert ws.batches("orders")[-1] == NEXT
    with pytest.raises(UsageError, match="A list cannot be ingested"):
        ws.ingest("orders", RULES, batch=NEXT, input=[1])


def test_what_other_batches_were_not_measured_for_refuses(ws: FakeWorkspace) -> None:
    run = ws.ingest("orders", [c.satisfies("amount > 0")], batch=NEXT)
    assert (run.status, NEXT in ws.batches("orders")) == ("not_evaluated", False)
    assert "it is not known of the whole table. 20 batches" in run.verdicts[0].message


def test_a_batch_that_cannot_be_read_refuses(ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = ws.profiles.parts
    monkeypatch.setattr(ws.profiles, "parts", lambda *some: [*parts(*some), Part({}, unread={day(3): "It is cut off."})])
    run = ws.ingest("orders", [c.has(of.minimum("amount"), at_least=0), c.has(of.size(), at_least=1)], batch=NEXT)
    assert [v.status for v in run.verdicts] == ["not_evaluated", "not_evaluated"]
    assert day(3) in run.verdicts[0].message


def test_a_rule_of_the_columns_is_told(ws: FakeWorkspace) -> None:
    with pytest.raises(UsageError, match="the schema of every published program judges"):
        ws.ingest("orders", [c.has_column("amount")], batch=NEXT)


def test_what_is_asked_of_each_batch_is_measured_of_this_one(ws: FakeWorkspace) -> None:
    ws.add("orders", [c.satisfies("amount > 50")])
    ws.ingest("orders", RULES, batch=NEXT)
    assert "amount > 50" in ws.batch("orders", NEXT).columns
