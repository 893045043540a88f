"""Batches broken on trial: what each fault does to a table, what the program says of it, and that nothing is kept."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.errors import NotFoundError, ProgramNotFoundError
from avh_ui.issues.faults import TABLE, THINNED, Fault, column_faults, row_faults
from avh_ui.issues.sample import Sample
from avh_ui.metrics.column import kind_of
from avh_ui.metrics.measure import Measure
from avh_ui.validator.results import Outcome
from avh_ui.workflows.breaking import broken, ways_of
from avh_ui.workflows.changed_rows import NOTHING, of_column
from tests.fakes.workspaces import FakeWorkspace, config, day

ROWS = 200
LARGE = 2**60


def table(shift: int = 0) -> pa.Table:
    """A column of each kind, and one of numbers that a float cannot hold."""
    places = range(shift, ROWS + shift)
    return pa.table(
        {
            "id": pa.array([LARGE + k for k in places], pa.int64()),
            "amount": pa.array([None if k % 17 == 0 else 1.5 * k for k in places]),
            "place": [["Roma", "Milano", "Bari"][k % 3] for k in places],
            "day": pa.array([date(2026, 1, 1 + k % 28) for k in places]),
            "paid": [k % 2 == 0 for k in places],
        }
    )


@pytest.mark.parametrize("name", table().column_names)
def test_the_faults_of_a_column_are_those_that_coverage_tells_of(name: str) -> None:
    column, kind = table().column(name), kind_of(table().schema.field(name).type)
    sample, before = Sample.from_arrow(column), Sample.from_arrow(table(7).column(name))
    made = {(fault.cls, fault.way) for fault, _ in column_faults(name, sample, before)}
    assert made <= set(ways_of(kind))
    assert {(one.fault.cls, one.fault.way) for one in row_faults(ROWS, ROWS)} == set(ways_of(None))


@pytest.mark.parametrize("name", table().column_names)
def test_a_fault_changes_its_share_of_a_column_and_nothing_else(name: str) -> None:
    old, before = table(), table(7)
    sample, earlier = Sample.from_arrow(old.column(name)), Sample.from_arrow(before.column(name))
    tried = 0
    for fault, changed in column_faults(name, sample, earlier):
        if fault.severity not in (0.1, 1.0) or fault.way == THINNED:
            continue
        new = broken(old, before, fault).table
        if new.schema != old.schema:
            continue  # ten times 2**60 is no number of 64 bits
        assert new.column_names == old.column_names
        assert all(new.column(other) == old.column(other) for other in old.column_names if other != name)
        asked = changed.to_arrow().to_pylist()
        same = [a == b for a, b in zip(sample.to_arrow().to_pylist(), asked, strict=True)]
        kept = [a == b for a, b in zip(old.column(name).to_pylist(), new.column(name).to_pylist(), strict=True)]
        assert all(k for s, k in zip(same, kept, strict=True) if s), fault
        tried += 1
    assert tried


def test_whole_rows() -> None:
    old, before = table(), table(7)
    rows = {cls: broken(old, before, Fault(TABLE, cls, 0.5, way)).table for cls, way in ways_of(None)}
    assert {cls: made.num_rows for cls, made in rows.items()} == {"rows lost": 100, "rows doubled": 300, "stale": 200, "duplicates": 200}
    assert all(made.schema == old.schema for made in rows.values())
    known = set(before.column("id").to_pylist())
    assert len([one for one in rows["stale"].column("id").to_pylist() if one in known]) >= 100
    assert broken(old, before, Fault(TABLE, "rows lost", 1.0, "rows at random")).table.num_rows == 0
    assert broken(old, before, Fault(TABLE, "stale", 1.0, "rows of the batch before")).table == before


def test_half_of_the_rows_of_one_value_are_missing_and_no_other() -> None:
    old, fault = table(), Fault("paid", "new or lost values", 0.5, THINNED)
    new = broken(old, None, fault)
    assert new.words == "new or lost values in paid: rows of its most frequent value missing, 50% of these"
    assert new.table.num_rows == 150
    assert sorted(pc.value_counts(new.table.column("paid")).field("counts").to_pylist()) == [50, 100]
    assert pc.all(pc.is_in(new.table.column("id"), old.column("id"))).as_py()
    with pytest.raises(NotFoundError, match="changes place of this batch"):
        broken(old, None, Fault("place", "new or lost values", 0.5, THINNED))


def test_numbers_come_as_texts() -> None:
    fault = Fault("amount", "type or format", 1.0, "numbers as texts")
    assert pa.types.is_string(broken(table(), None, fault).table.schema.field("amount").type)


def test_what_cannot_be_broken_says_so() -> None:
    with pytest.raises(NotFoundError, match="changes amount of this batch"):
        broken(table(), None, Fault("amount", "duplicates", 0.5, "values of other rows"))
    with pytest.raises(NotFoundError, match="no column 'amuont'"):
        broken(table(), None, Fault("amuont", "nulls", 0.5, "null"))


def test_a_trial_is_caught_and_leaves_nothing_behind() -> None:
    ws = FakeWorkspace().published()
    nulls, batch = Fault("country", "nulls", 0.5, "null"), day(12)
    before = ws.services.batches.names("orders"), ws.services.runs.recent("orders"), ws.services.runs.feedback("orders")
    assert ws.services.trials.last("orders") is None
    found = ws.services.trials.trial("orders", batch, nulls)
    assert found.caught
    assert found.run.status == "fail"
    assert "complete_ratio" in {Outcome.of(result).name for result in found.alarms}
    assert found.clean.status == "pass"
    assert not ws.services.trials.trial("orders", batch, Fault("amount", "nulls", 0.5, "null")).caught
    assert (ws.services.batches.names("orders"), ws.services.runs.recent("orders"), ws.services.runs.feedback("orders")) == before
    assert ws.services.trials.last("orders").fault.column == "amount"


def test_what_alarms_anyway_is_not_caught() -> None:
    ws = FakeWorkspace().published(Constraint("country", "complete_ratio", "string", 2.0, 3.0))
    found = ws.services.trials.trial("orders", day(12), Fault("country", "nulls", 0.5, "null"))
    assert found.run.status == "fail"
    assert not found.caught


def test_an_empty_batch_is_caught() -> None:
    ws = FakeWorkspace().published()
    found = ws.services.trials.trial("orders", day(12), Fault(TABLE, "rows lost", 1.0, "rows at random"))
    assert [Outcome.of(one).name for one in found.alarms] == ["empty_batch"]


def test_the_rows_that_a_fault_changed_are_told_by_their_place_and_key() -> None:
    old = table().append_column("row", pa.array(["x"] * ROWS))
    fault = Fault("amount", "unit or range", 0.1, "x10")
    new = broken(old, None, fault).table
    expected = {
        f"row {at + 1}, {old['place'][at]}": (was, now)
        for at, (was, now) in enumerate(zip(old["amount"].to_pylist(), new["amount"].to_pylist(), strict=True))
        if was != now
    }
    moved = of_column(old, new, "amount", ("place",)).moved
    assert moved is not None
    assert (moved.count, moved.among) == (len(expected), ROWS)
    assert {row.key: (row.was, row.now) for row in moved.rows} == expected


def test_who_carries_a_fault_of_one_place() -> None:
    old = table()
    lost = pc.if_else(pc.equal(old["place"], "Bari"), 0.0, old["amount"])
    new = old.set_column(1, "amount", lost)
    carried = of_column(old, new, "amount").carried
    assert (carried[0].column, carried[0].value, carried[0].share) == ("place", "Bari", 1.0)


def test_no_text_of_the_data_is_told_where_none_may_be() -> None:
    changed = {}
    for samples in ("on", "off"):
        ws = FakeWorkspace(settings=config(pipeline={"samples": samples})).published()
        changed[samples] = ws.services.trials.trial("orders", day(12), Fault("country", "nulls", 0.5, "null")).changed
    assert changed["on"].moved is not None
    assert changed["off"] == NOTHING


def test_what_a_trial_needs() -> None:
    nulls = Fault("amount", "nulls", 0.5, "null")
    with pytest.raises(ProgramNotFoundError):
        FakeWorkspace().drafted().services.trials.trial("orders", day(12), nulls)
    ws = FakeWorkspace().published()
    with pytest.raises(NotFoundError, match="profiled batch"):
        ws.services.trials.trial("orders", "2030-01-01", nulls)


def test_keys_that_never_come_again_are_counted_beside_the_batch_as_it_is() -> None:
    # To the one before it all of them are lost, whatever the fault did.
    gone = Measure("keys_gone", parameters=(("key", ("id",)),))
    rules = Constraint("amount", "row_count", "numeric", 390.0, 410.0), Constraint(gone.host, gone.name, "rows", 0.0, 2.0, measure=gone)
    ws = FakeWorkspace(settings=config(pipeline={"key": ["id"]})).published(*rules)
    found = ws.services.trials.trial("orders", day(12), Fault(TABLE, "rows lost", 0.5, "rows at random"))
    alarm = found.alarms[0]
    assert isinstance(alarm, Verdict)
    half = "There are about half as many rows as in batch 2024-01-12: 200, and 400 there."
    assert alarm.message == f"{half} The number of rows is 200, below the lower bound 390."
    assert found.changed.moved is not None
    assert (found.changed.moved.what, found.changed.moved.count, found.changed.against) == ("lost keys", 200, "")
    first = ws.services.trials.trial("orders", day(0), Fault(TABLE, "rows lost", 0.5, "rows at random")).changed
    assert first.moved is not None
    assert (first.moved.count, first.against) == (200, "")
