"""Coverage: it says what a validation of the faulty batch says, and of every hole what would close it, or why nothing would."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.errors import CancelledError, NotFoundError, ProgramNotFoundError, SourceError
from avh_ui.issues.coverage import Deliveries, try_column
from avh_ui.issues.faults import CLASSES, REPEATED, SEVERITIES, TABLE, Fault, column_faults, row_faults
from avh_ui.issues.mixed_up import EXCHANGED
from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import IN_MILES
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import Progress, Watch
from avh_ui.validator.validate import validate
from avh_ui.workflows.coverage import Coverage, alarms
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace, config, day, orders


def accepted(ws: FakeWorkspace) -> FakeWorkspace:
    ws.decide("orders", [item.suggestion.id for item in ws.suggest("orders").items], "accept")
    return ws


@pytest.fixture(scope="module")
def mature() -> FakeWorkspace:
    ws = accepted(FakeWorkspace(days=12).profiled())
    ws.publish("orders", message="first")
    return ws


@pytest.fixture(scope="module")
def told(mature: FakeWorkspace) -> Coverage:
    return mature.coverage("orders")


def noticed(found: Coverage) -> dict[Fault, bool]:
    return {one.fault: bool(one.by) for cell in found.cells for one in cell.findings}


def test_a_validation_of_the_faulty_batch_says_the_same(mature: FakeWorkspace, told: Coverage) -> None:
    """The oracle: each fault is put into the whole table, which is measured and judged as any delivery."""
    program, latest = mature.program("orders"), mature.batch("orders", day(11))
    samples = {name: Sample.from_arrow(orders(11).column(name)) for name in orders(11).column_names}
    before = {name: Sample.from_arrow(orders(10).column(name)) for name in samples}
    tables: dict[Fault, dict[str, pa.Array]] = {}
    for name, sample in samples.items():
        made = column_faults(name, sample, before[name])
        tables |= {fault: {name: changed.to_arrow()} for fault, changed in made if (name, fault.way) != ("id", IN_MILES)}
    for one in row_faults(400, 400):
        rows_of = {name: one.of(sample, before[name]) for name, sample in samples.items()}
        tables[one.fault] = {name: changed.to_arrow() for name, changed in rows_of.items() if changed is not None}
    found = noticed(told)
    assert set(tables) <= set(found)
    for fault, arrays in tables.items():
        columns = {
            name: replace(ColumnProfile.from_arrow(name, a), kind=latest.columns[name].kind, type=latest.columns[name].type)
            for name, a in arrays.items()
        }
        rows = len(next(iter(arrays.values())))
        faulty = BatchProfile("orders", day(11), rows, {**latest.columns, **columns}, covers_all=True)
        run = validate(program, faulty, mature.profiles, stale="off")
        others = {name for name in latest.columns if name not in arrays}
        bad = [v for v in run.verdicts if v.status in ("fail", "warn") and v.constraint.column not in others]
        assert bool(bad) == found[fault], (fault, [v.message for v in bad])


def test_every_place_is_there(told: Coverage) -> None:
    assert {(cell.column, cell.cls) for cell in told.cells} == {(c, cls) for c in (TABLE, *told.columns) for cls in CLASSES}
    assert (told.pipeline, told.of, told.batch, told.notes) == ("orders", "version 1", day(11), ())
    assert [told.by_place[TABLE, cls].noticed(0.5) for cls in ("rows lost", "rows doubled")] == [1, 1]
    assert told.by_place["amount", "type or format"].least == 0.01


def test_the_file_of_the_batch_before_is_noticed_unless_the_rule_is_off(mature: FakeWorkspace, told: Coverage) -> None:
    again = Fault(TABLE, "stale", 1.0, REPEATED)
    (finding,) = told.by_place[TABLE, "stale"].at(1.0)
    assert (finding.fault, finding.by[0]) == (again, "a batch is none of those before")
    off = FakeWorkspace(days=9, settings=config(pipeline={"severities": {"stale": "off", "schema": "off"}})).drafted(CONSTRAINTS[1])
    off.decide("orders", [CONSTRAINTS[1].key], "accept")
    found = noticed(off.coverage("orders", "draft"))
    assert not found[again]
    assert not found[Fault("amount", "type or format", 1.0, "numbers as texts")]


def test_a_hole_names_the_suggestion_that_would_close_it() -> None:
    ws = FakeWorkspace(days=12).profiled()
    ws.suggest("orders")
    none, everything = ws.coverage("orders", "draft"), ws.coverage("orders", "all")
    assert (none.rules, none.share(0.5)[0] < everything.share(0.5)[0]) == (0, True)
    half = next(one for one in none.by_place[TABLE, "rows lost"].findings if one.fault.severity == 0.5)
    assert half.closing is not None
    assert half.closing.price is not None
    assert half.closing.affordable
    ws.decide("orders", [half.closing.suggestion], "accept")
    after = ws.coverage("orders", "draft")
    assert next(one for one in after.by_place[TABLE, "rows lost"].findings if one.fault.severity == 0.5).by
    assert "accept" in half.advice
    assert "false alarm" in half.advice


WAYS = {"x10", "a tenth", "x1.609", "the sign turned", "becomes 0", "one value throughout", "another column's values"}


def test_identifiers_are_not_tried_in_miles() -> None:
    ws = FakeWorkspace(days=12).profiled()
    kinds = ws.suggest("orders").run.kinds
    ways = {
        name: {one.fault.way for one in ws.coverage("orders", "all").by_place[name, "unit or range"].findings} for name in ("id", "amount")
    }
    assert (kinds["id"].kind, kinds["amount"].kind) == ("identifier", "measure")
    assert ways == {"id": WAYS - {"x1.609"}, "amount": WAYS}


def test_what_columns_are_is_found_where_a_program_has_no_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    ws = accepted(FakeWorkspace(days=12).profiled())
    ws.publish("orders", message="first")
    monkeypatch.setattr(ws.reviews, "draft", lambda _: None)
    cells = ws.coverage("orders", "published").by_place
    ways = {name: {one.fault.way for one in cells[name, "unit or range"].findings} for name in ("id", "amount")}
    assert ways == {"id": WAYS - {"x1.609"}, "amount": WAYS}


def test_a_hole_that_no_suggestion_closes_names_bounds_or_why_there_are_none() -> None:
    ws = accepted(FakeWorkspace(days=12).profiled())
    missed = [one for cell in ws.coverage("orders", "draft").holes for one in cell.missed]
    assert missed
    assert all((one.closing is None) == bool(one.why) and not one.by for one in missed)
    bounds = [one.closing for one in missed if one.closing is not None]
    assert all(c.suggestion == "" and c.price is not None and c.words for c in bounds)
    still = next(one for one in missed if one.why == "nothing that is measured shows it")
    assert still.fault.cls == "stale"


def test_of_a_table_without_a_key_coverage_says_why_no_rule_shows_rows_mixed_up(told: Coverage) -> None:
    missed = {(one.fault.way, one.fault.severity): one.why for one in told.by_place["amount", "mixed-up rows"].missed}
    assert {severity for way, severity in missed if way == EXCHANGED} == set(SEVERITIES)
    assert {missed[EXCHANGED, severity] for severity in SEVERITIES} == {
        "only known rows would show it, and this table has no key to know them by"
    }


def test_columns_of_one_value_in_the_batch_are_named() -> None:
    """What never has another value is none of them."""
    ws = FakeWorkspace(days=9)
    tables = ws.profiler.tables["orders"]
    for name, table in tables.items():
        with_one = table.append_column("unit", pa.array(["kg"] * table.num_rows))
        same = with_one.set_column(1, "amount", pa.array([100.0] * table.num_rows))
        tables[name] = same if name == day(8) else with_one
    notes = accepted(ws.profiled()).coverage("orders", "draft").notes
    assert "Exchanged values are not tried where all are the same in this batch: amount." in notes


def test_amounts_that_all_are_0_in_the_batch_are_named() -> None:
    """Ten times nothing is nothing: the cell is empty, as of a text, and a wrong unit would pass unseen. What was 0 always has none."""
    ws = FakeWorkspace(days=9)
    tables = ws.profiler.tables["orders"]
    for name, table in tables.items():
        with_none = table.append_column("refund", pa.array([0.0] * table.num_rows))
        tables[name] = with_none.set_column(1, "amount", pa.array([0.0] * table.num_rows)) if name == day(8) else with_none
    notes = accepted(ws.profiled()).coverage("orders", "draft").notes
    assert "Other units are not tried where all values of this batch are 0 or null: amount." in notes


def test_holes_come_worst_first(told: Coverage) -> None:
    places = [(-cell.closable, cell.cls == "mixed-up rows", -cell.missed[0].fault.severity) for cell in told.holes]
    assert places == sorted(places)
    assert all(cell.worst in cell.missed for cell in told.holes)


def test_a_rule_that_alarms_anyway_notices_nothing() -> None:
    broken = Constraint("amount", "mean", "numeric", 500.0, 600.0, fpr=0.0001)
    ws = FakeWorkspace(days=9).published(broken)
    found = ws.coverage("orders")
    assert not any("on average" in rule for cell in found.cells for one in cell.findings for rule in one.by)
    assert "amount is 500 to 600 on average" in found.notes[0]


def test_of_a_large_batch_a_sample_is_told_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("avh_ui.workflows.covering.SAMPLE_ROWS", 100)
    monkeypatch.setattr("avh_ui.workflows.covering._LEAST_ROWS", 100)
    ws = FakeWorkspace(days=9).published(Constraint("amount", "row_count", "numeric", 250.0, 450.0, fpr=0.0001))
    found = ws.coverage("orders")
    assert found.notes[0] == "Told on 100 of the batch's 400 rows, drawn at random."
    assert [found.by_place[TABLE, "rows lost"].noticed(s) for s in SEVERITIES] == [0, 0, 1, 1]
    assert [found.by_place[TABLE, "rows doubled"].noticed(s) for s in SEVERITIES] == [0, 0, 1, 1]


def test_it_is_told_once_and_anew_after_a_decision(mature: FakeWorkspace, told: Coverage, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mature.coverage("orders") is told
    draft = mature.coverage("orders", "draft")
    monkeypatch.setattr(mature.profiler, "sample", None)  # no data is read for another set of rules
    draft_items = mature.draft("orders")
    assert draft_items is not None
    mature.decide("orders", [draft_items.items[0].suggestion.id], "reject")
    assert mature.coverage("orders", "draft").rules == draft.rules - 1


def test_progress_and_cancelling() -> None:
    ws, heard = FakeWorkspace(days=8).published(), list[Progress]()
    ws.coverage("orders", watch=Watch(heard.append))
    assert (heard[-1].done, heard[-1].total) == (4, 4)
    cancelled = Watch()
    cancelled.cancelled.set()
    with pytest.raises(CancelledError):
        FakeWorkspace(days=8).published().coverage("orders", watch=cancelled)


def test_what_is_not_there() -> None:
    with pytest.raises(NotFoundError):
        FakeWorkspace(days=0).coverage("orders")
    ws = FakeWorkspace(days=8).drafted()
    with pytest.raises(NotFoundError, match="published program"):
        ws.coverage("orders", "published")
    with pytest.raises(ProgramNotFoundError):
        ws.coverage("orders", version=3)
    ws.profiler.tables["orders"].clear()
    with pytest.raises(SourceError):
        ws.coverage("orders")


def test_without_rows_of_the_batch_before_its_file_alone_is_tried() -> None:
    ws = FakeWorkspace(days=8).published()
    del ws.profiler.tables["orders"][day(6)]
    found = ws.coverage("orders")
    assert [found.by_place[TABLE, "stale"].noticed(s) for s in SEVERITIES] == [None, None, None, 1]
    assert found.notes[0].startswith(f"Of {day(6)} no rows can be read")


def test_a_table_of_one_batch_of_one_row_of_constants() -> None:
    ws = FakeWorkspace(days=1)
    ws.profiler.tables["orders"][day(0)] = pa.table({"a": ["x"], "n": [1]})
    ws.profile("orders")
    ws.suggest("orders")
    found = ws.coverage("orders", "all")
    assert found.notes[0] == "There is no batch before to deliver again: stale is not tried."
    assert found.by_place[TABLE, "rows lost"].least == 1.0


def test_prices_as_people_say_them() -> None:
    assert [alarms(p) for p in (36.5, 3.65, 1, 0.96, 0.1, 1e-9)] == [
        "36 false alarms a year", "3.6 false alarms a year", "1 false alarm a year", "1 false alarm a year",
        "1 false alarm in 10 years", "no false alarm in 1,000 years",
    ]  # fmt: skip


@pytest.mark.parametrize(("estimate", "tried"), [(0.985, True), (0.9, False)])
def test_an_estimate_makes_no_key_of_a_large_batch_one_that_comes_twice(estimate: float, tried: bool) -> None:
    sampled = Deliveries(orders(11).slice(0, 100), 400, {"id": "numeric"}, {"id": {"unique_ratio": estimate}})
    column = try_column("id", sampled, [*row_faults(100, 0)], [])
    hits = column.notices(Constraint("id", "unique_ratio", "numeric", 1.0, 1.0, fpr=0.0001))
    assert (hits is not None) == tried
    if hits is not None:
        assert hits[column.places[Fault(TABLE, "rows doubled", 0.01, "rows twice")]]


def test_of_a_column_with_few_values_the_reason_is_that_they_are_few() -> None:
    def table(k: int) -> pa.Table:
        rare = [float(30 + row % 7 + k) if row % 100 == 0 else None for row in range(400)]
        return orders(k).append_column("rare", pa.array(rare))

    ws = FakeWorkspace(days=0)
    ws.profiler.tables["orders"] = {day(k): table(k) for k in range(12)}
    ws.profiled().suggest("orders")
    missed = {one.fault: one.why for one in ws.coverage("orders", "all").by_place["rare", "unit or range"].missed}
    why = missed[Fault("rare", "unit or range", 1.0, "x10")]
    assert why == "it shows only where no rule is suggested: a batch has 4 of its values, too few to say more than how many"
