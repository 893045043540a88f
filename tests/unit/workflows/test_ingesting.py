"""Differential verification: a partition is kept only if the whole table keeps its rules with it, from states alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest

import avh_ui as avh
from avh_ui.constraints.constraint import Constraint
from avh_ui.errors import BatchNotFoundError, DeliveryError, EmptyBatchError, UsageError
from avh_ui.history.parts import Part
from avh_ui.store.history_files import HistoryFiles
from avh_ui.workflows.whole_table import WholeTable
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, config, day, orders

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
    assert broken.message == "country is not null in at least 99.9% of the rows: it is so in 95.24% of the rows."
    assert NEXT not in ws.batches("orders")


def test_rules_of_the_whole_table_may_come_one_by_one(ws: FakeWorkspace) -> None:
    """They were gone through twice, and of a generator none was left the second time."""
    whole = WholeTable(ws.profiles, ws.batch("orders", day(3)), [], lambda: None)
    assert [verdict.status for verdict in whole.of_rules(rule for rule in RULES[1:])] == ["pass"] * (len(RULES) - 1)


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
    with pytest.raises(UsageError, match=r"A builtins\.list cannot be ingested"):
        ws.ingest("orders", RULES, batch=NEXT, input=[1])


def test_a_table_may_stand_in_the_place_of_the_rules(ws: FakeWorkspace) -> None:
    one, other = orders(DAYS), orders(DAYS).to_pandas()
    with pytest.raises(UsageError, match="Nothing judges a batch of 'orders'"):
        ws.ingest("orders", one, batch=NEXT)
    with pytest.raises(UsageError, match="Two tables are given for one batch"):
        ws.ingest("orders", other, batch=NEXT, input=one)
    assert NEXT not in ws.batches("orders")
    published = FakeWorkspace().published()
    run = published.ingest("orders", other, batch=NEXT)
    assert run.row_count is not None
    assert run.verdicts


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


def test_a_rule_of_the_columns_is_of_the_batch(ws: FakeWorkspace) -> None:
    rules = [c.has_column("amount"), c.has_column_count(exactly=4), RULES[0]]
    assert ws.ingest("orders", rules, batch=NEXT).accepted
    ws.profiler.tables["orders"][NEXT] = orders(DAYS).drop_columns(["amount"])
    run = ws.ingest("orders", rules, batch=NEXT)
    assert [v.message for v in run.verdicts if v.status == "fail"] == [
        "there is a column amount: it is not so.",
        "Column count is exactly 4: it is 3.",
    ]


def test_what_is_asked_of_each_batch_is_measured_of_this_one(ws: FakeWorkspace) -> None:
    ws.add("orders", [c.satisfies("amount > 50")])
    ws.ingest("orders", RULES, batch=NEXT)
    assert "amount > 50" in ws.batch("orders", NEXT).columns


# By the published program


def nulls(k: int, share: float) -> pa.Table:
    """A batch of orders in which the first rows have no country."""
    table = orders(k)
    gone = round(share * table.num_rows)
    country = pa.chunked_array([pa.nulls(gone, pa.string()), table["country"].slice(gone).combine_chunks()])
    return table.set_column(2, "country", country)


@pytest.fixture
def live() -> FakeWorkspace:
    workspace = FakeWorkspace().published()
    workspace.profiler.tables["orders"][NEXT] = orders(DAYS)
    return workspace


def by_metric(run: avh.Run) -> dict[str, object]:
    return {v.constraint.metric: v for v in run.verdicts}


def test_the_program_judges_the_batch_and_what_merges_the_whole_table(live: FakeWorkspace) -> None:
    run = live.ingest("orders", batch=NEXT)
    assert (run.status, run.accepted, run.partition, run.program_version, run.row_count) == ("pass", True, "appended", 1, 400 * (DAYS + 1))
    found = by_metric(run)
    assert len(found) == len(CONSTRAINTS)
    for metric, why in {"row_count": "it grows with the rows", "min": "it compares the batch with another", "js_div": "compares"}.items():
        assert "It is judged on the batch alone: " in found[metric].message, metric
        assert why in found[metric].message
    assert "Of the whole table: 0% of country are null" in found["complete_ratio"].message
    assert found["row_count"].observed == 400
    alone = "3 of 5 rules are judged on the batch alone: the number of rows; the smallest id; the change of the mix of country."
    assert run.notes[-1] == alone
    assert "min" not in found["mean"].message
    assert live.batch("orders", NEXT).extra["program"] == "1"


def test_a_batch_that_breaks_the_program_is_refused_and_its_run_is_kept(live: FakeWorkspace) -> None:
    live.profiler.tables["orders"][day(3)] = nulls(3, 0.5)
    before = live.batch("orders", day(3)).digest
    run = live.ingest("orders", batch=day(3))
    assert (run.status, run.partition) == ("fail", "replaced")
    assert live.batch("orders", day(3)).digest == before
    (kept,) = live.runs("orders")
    assert (kept.batch, kept.status, kept.partition, kept.accepted) == (day(3), "fail", "replaced", False)
    assert [v.message for v in live.run("orders", kept.id).verdicts] == [v.message for v in run.verdicts]
    # So is the verdict of one that is kept, and who asks for none has none.
    live.ingest("orders", batch=NEXT)
    live.ingest("orders", batch=day(4), record=False)
    assert [(r.batch, r.partition) for r in live.runs("orders")] == [(day(3), "replaced"), (NEXT, "appended")]


def test_what_the_whole_table_breaks_without_the_batch_does_not_refuse_it(live: FakeWorkspace) -> None:
    # Somebody kept a batch without countries: the whole is below 99 % from now on, whatever comes.
    live.profiler.tables["orders"][day(9)] = nulls(9, 1.0)
    live.profile("orders", batches=day(9), again=True)
    run = live.ingest("orders", batch=NEXT)
    assert run.status == "pass"
    assert by_metric(run)["complete_ratio"].message.endswith("The whole table breaks it without this batch, too.")
    # The batch that breaks it is mended by a replacement, as far as that goes.
    live.profiler.tables["orders"][day(9)] = orders(9)
    assert live.ingest("orders", batch=day(9)).status == "pass"
    # A rule of the call asks more: it must hold of the whole.
    live.profiler.tables["orders"][day(9)] = nulls(9, 1.0)
    live.profile("orders", batches=day(9), again=True)
    assert live.ingest("orders", c.is_complete("country", at_least=0.99), batch=NEXT).status == "fail"


def test_what_a_batch_breaks_of_the_whole_alone_refuses_it() -> None:
    # A bound that a batch may keep while the union does not: the spread grows where the batches lie apart.
    spread = Constraint("id", "standard_deviation", "numeric", 0.0, 70_000.0, origin="snapshot")
    live = FakeWorkspace().published(spread)
    run = live.ingest("orders", batch=day(21), input=orders(21))
    assert run.status == "pass"
    run = live.ingest("orders", batch=day(99), input=orders(99))
    assert (run.status, run.accepted) == ("fail", False)
    assert run.verdicts[0].message.startswith("Of the whole table with this batch: The usual distance of id from its average is ")
    assert live.batches("orders")[-1] == day(21)


def test_rules_of_the_file_that_are_published_are_the_programs() -> None:
    ws = FakeWorkspace(settings=config(pipeline={"rules": [{"is_unique": "id"}, {"is_complete": "amount"}]}))
    ws.profiled().add("orders")
    (item,) = [item for item in ws.draft("orders").items if item.current.measure.name == "uniqueness"]
    ws.decide("orders", [item.suggestion.id], "accept")
    ws.publish("orders", message="one")
    run = ws.ingest("orders", batch=NEXT, input=orders(DAYS))
    # Of the whole table nobody could tell that ids are unique, which would refuse every batch.
    assert [v.status for v in run.verdicts] == ["pass", "pass"]
    assert "batch alone" in run.verdicts[0].message
    assert ws.ingest("orders", [c.is_unique("id")], batch=day(DAYS + 1), input=orders(DAYS + 1)).status == "not_evaluated"


def test_a_table_without_rows_is_refused(ws: FakeWorkspace) -> None:
    with pytest.raises(EmptyBatchError, match="Was its delivery cut short"):
        ws.ingest("orders", RULES, batch=NEXT, input=orders(DAYS).slice(0, 0))
    assert NEXT not in ws.batches("orders")


def test_a_warning_beside_what_cannot_be_told_refuses(ws: FakeWorkspace) -> None:
    run = ws.ingest("orders", [c.has(of.size(), at_least=10_000, level="warning"), c.is_unique("id")], batch=NEXT)
    assert {v.status for v in run.verdicts} == {"warn", "not_evaluated"}
    assert (run.accepted, NEXT in ws.batches("orders")) == (False, False)


def test_a_run_that_cannot_be_kept_says_what_became_of_the_batch(ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ws.kept_runs, "add", lambda _: (_ for _ in ()).throw(OSError("the disk is full")))
    with pytest.raises(DeliveryError, match=f"Batch '{NEXT}' is kept. The run was not recorded: OSError: the disk is full") as error:
        ws.ingest("orders", RULES, batch=NEXT)
    assert error.value.run.accepted
    assert NEXT in ws.batches("orders")


def test_texts_of_a_table_in_hand_are_withheld() -> None:
    ws = FakeWorkspace(settings=config(pipeline={"samples": "off"}))
    ws.profile("orders")
    ws.ingest("orders", [c.is_complete("country")], batch=NEXT, input=orders(DAYS))
    table = ws.batch("orders", NEXT).columns["country"].states["frequencies"].table
    assert len(table) == 4
    assert all(value.startswith("#") for value in table)


def test_who_ingests_at_once_is_judged_one_after_the_other(ws: FakeWorkspace, tmp_path: Path) -> None:
    # Each of two batches keeps the rule with what is there, and both together do not.
    repository = HistoryFiles(str(tmp_path))
    for batch in ws.batches("orders"):
        repository.save(ws.batch("orders", batch))
    ws.services.runs._history = repository
    most = c.has(of.size(), at_most=400 * (DAYS + 1))
    names = [day(DAYS), day(DAYS), day(DAYS + 1), day(DAYS + 1)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda name: ws.ingest("orders", most, batch=name, input=orders(DAYS)), names))
    kept = [b for b in repository.batches("orders") if b >= day(DAYS)]
    assert len(kept) == 1
    assert {run.batch for run in found if run.accepted} == set(kept)
    # The same batch twice is kept once: the second one replaces it by itself.
    assert sorted(run.partition for run in found if run.accepted) == ["appended", "replaced"]


def test_a_batch_between_others_or_the_first_of_all_is_new(ws: FakeWorkspace) -> None:
    ws.profiles.delete("orders", day(7))
    rule = c.has(of.size(), at_least=1)
    assert ws.ingest("orders", rule, batch=day(7)).partition == "new"
    assert FakeWorkspace().ingest("orders", rule, batch=day(0)).partition == "new"
