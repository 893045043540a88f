"""What a label of an expected change does to suggestions, and what failed and was not labelled never does."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.errors import NotFoundError
from avh_ui.history.regimes import TABLE
from avh_ui.review.feedback import LastingChange
from avh_ui.workflows.lasting import LastingChanges, lasting_changes
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

MEAN = Constraint("amount", "mean", "numeric", 90.0, 110.0)


def amounts(k: int, level: float, name: str = "amount") -> pa.Table:
    table = orders(k)
    moved = pa.array(table.column("amount").to_numpy() + level - 100)
    return table.set_column(table.column_names.index("amount"), name, moved)


def validated(ws: FakeWorkspace, days: range, level: float) -> list[str]:
    said = []
    for k in days:
        ws.profiler.tables["orders"][day(k)] = amounts(k, level)
        said.append(ws.validate("orders", batch=day(k)).status)
    return said


def mean_bounds(ws: FakeWorkspace) -> tuple[float, float]:
    ws.suggest("orders")
    found = ws.services.suggestions.next_bounds("orders", replace(MEAN, fpr=0.001), day(DAYS - 1)).learned
    assert found is not None
    assert found.lower is not None
    assert found.upper is not None
    return found.lower, found.upper


@pytest.fixture
def ws() -> FakeWorkspace:
    """A program that knows the mean alone, of whose last 9 batches the mean is half as large again."""
    workspace = FakeWorkspace().published(MEAN)
    assert set(validated(workspace, range(DAYS, DAYS + 9), 150.0)) <= {"fail", "warn"}
    return workspace


def test_an_alarm_labelled_expected_says_what_changed_since_the_first_that_alarmed(ws: FakeWorkspace) -> None:
    run = ws.runs("orders")[-1]
    (alarm,) = [o for o in run.alarms if o.name == "mean"]
    given = ws.give_feedback("orders", run.batch, alarm.key, "expected_change")
    assert given.change == LastingChange("amount", day(DAYS))
    assert ws.profiles.begins["orders"] == {day(DAYS): ["amount"]}
    assert "a change since" in next(e.subject for e in ws.audit("orders") if e.log == "feedback")
    ws.give_feedback("orders", run.batch, alarm.key, "unlabel")
    assert ws.profiles.begins["orders"] == {}


def test_two_changes_within_a_week_are_two(ws: FakeWorkspace) -> None:
    key = next(o.key for o in ws.runs("orders")[-1].alarms if o.name == "mean")
    given = ws.services.runs.label("orders", [(day(DAYS + 2), key)], "expected_change")
    # All batches that alarmed of it are of the change, those after the one that was labelled too.
    assert [entry.batch for entry in given] == [day(DAYS + 2), *(day(k) for k in range(DAYS + 3, DAYS + 9))]
    assert validated(ws, range(DAYS + 9, DAYS + 11), 300.0) == ["fail", "fail"]
    second = ws.give_feedback("orders", day(DAYS + 10), key, "expected_change")
    assert second.change == LastingChange("amount", day(DAYS + 9))
    assert ws.profiles.begins["orders"] == {day(DAYS): ["amount"], day(DAYS + 9): ["amount"]}


def test_a_change_taken_back_is_taken_back_of_all_its_batches(ws: FakeWorkspace) -> None:
    key = next(o.key for o in ws.runs("orders")[-1].alarms if o.name == "mean")
    ws.services.runs.label("orders", [(day(DAYS), key)], "expected_change")
    assert validated(ws, range(DAYS + 9, DAYS + 10), 150.0) == ["pass"]
    ws.services.runs.label("orders", [(day(DAYS + 4), key)], "unlabel")
    assert ws.profiles.begins["orders"] == {}
    assert ws.validate("orders", batch=day(DAYS + 9)).status == "warn"


def test_a_fall_after_a_rise_is_no_part_of_it(ws: FakeWorkspace) -> None:
    key = next(o.key for o in ws.runs("orders")[-1].alarms if o.name == "mean")
    assert validated(ws, range(DAYS + 9, DAYS + 10), 20.0) == ["warn"]
    given = ws.services.runs.label("orders", [(day(DAYS), key)], "expected_change")
    assert [entry.batch for entry in given][-1] == day(DAYS + 8)


def test_a_change_is_said_without_an_alarm_and_taken_back(ws: FakeWorkspace) -> None:
    services = ws.services
    services.runs.expect("orders", "amount", day(DAYS), by="ann")
    services.runs.expect("orders", None, day(DAYS), by="ann")
    assert ws.profiles.begins["orders"] == {day(DAYS): ["amount", TABLE]}
    services.runs.expect("orders", "amount", day(DAYS), by="ann", back=True)
    assert ws.profiles.begins["orders"] == {day(DAYS): [TABLE]}
    with pytest.raises(NotFoundError, match="amont"):
        services.runs.expect("orders", "amont", day(DAYS), by="ann")
    with pytest.raises(NotFoundError, match="2023"):
        services.runs.expect("orders", "amount", "2023-01-01", by="ann")


def test_what_failed_is_learned_once_it_is_expected_and_then_tightly(ws: FakeWorkspace) -> None:
    # Nobody said anything: the old level is what is suggested again.
    low, high = mean_bounds(ws)
    assert 80 < low < 100 < high < 120
    assert any("avh label" in out["reason"] and day(DAYS) in out["reason"] for out in ws.suggest("orders").run.left_out)
    ws.services.runs.expect("orders", "amount", day(DAYS), by="ann")
    low, high = mean_bounds(ws)
    assert 130 < low < 150 < high < 170
    ws.services.runs.expect("orders", "amount", day(DAYS), by="ann", back=True)
    assert mean_bounds(ws)[1] < 120


def test_a_known_error_of_one_batch_leaves_one_gap() -> None:
    ws = FakeWorkspace(days=0)
    for k in range(30):
        ws.profiler.tables["orders"][day(k)] = amounts(k, 100.0, "amount" if k != 27 else "amuont")
    ws.profile("orders")
    cut = {out["column"] for out in ws.suggest("orders").run.left_out if "since" in out["reason"]}
    assert "amount" in cut
    ws.give_feedback("orders", day(27), "missing_column/amount", "real_issue")
    draft = ws.suggest("orders")
    assert "amount" in {item.current.column for item in draft.items if item.current.origin == "history"}
    assert "amount" not in {out["column"] for out in draft.run.left_out if "since" in out["reason"]}


def test_a_slow_loss_of_a_column_is_reported_and_never_learned() -> None:
    ws = FakeWorkspace(days=30)
    ws.profile("orders")
    ws.suggest("orders")
    ws.decide("orders", [item.suggestion.id for item in ws.draft("orders").items], "accept")
    ws.publish("orders", message="walk")
    said, rng = [], np.random.default_rng(3)
    for k in range(30, 90):
        table = orders(k)
        lost = rng.random(400) < (k - 30) / 150
        countries = pa.array([None if gone else c for gone, c in zip(lost, table.column("country").to_pylist(), strict=True)])
        ws.profiler.tables["orders"][day(k)] = table.set_column(2, "country", countries)
        said.append(ws.validate("orders", batch=day(k)).status)
        if k == 70:
            # Suggesting anew learns none of it either.
            ws.suggest("orders")
            ws.decide("orders", [i.suggestion.id for i in ws.draft("orders").items if i.status == "pending"], "accept")
            ws.publish("orders", message="walk")
    assert "pass" not in said[20:]
    shares = [c for c in ws.program("orders").constraints if (c.column, c.metric) == ("country", "complete_ratio")]
    assert all(c.lower is not None and c.lower > 0.85 for c in shares)
    assert shares


def stepped() -> FakeWorkspace:
    """A history of 60 batches that nobody ever validated; the amounts are 30 % higher in the last 20."""
    workspace = FakeWorkspace(days=60)
    for k in range(40, 60):
        workspace.profiler.tables["orders"][day(k)] = amounts(k, 130.0)
    return workspace.profiled()


def test_of_a_level_that_is_many_times_as_high_no_percents_are_told() -> None:
    workspace = FakeWorkspace(days=60)
    for k in range(40, 60):
        workspace.profiler.tables["orders"][day(k)] = amounts(k, 1_300.0)
    (change,) = workspace.profiled().services.suggestions.lasting("orders")
    assert "the average of amount is about 13 times as high, 1,300 instead of 100" in change.words


def test_a_step_that_was_never_validated_is_offered_until_it_is_answered() -> None:
    ws = stepped()
    (change,) = ws.services.suggestions.lasting("orders")
    assert (change.column, change.since, change.batches) == ("amount", day(40), 20)
    assert change.words.startswith(f"Since {day(40)} (20 batches) the average of amount is about 30% higher, 130 instead of 100")
    assert change.answer.endswith(f"`avh label orders expected --since {day(40)} --column amount`.")
    ws.services.runs.expect("orders", change.column, change.since, by="ann")
    assert ws.services.suggestions.lasting("orders") == ()
    ws.services.runs.expect("orders", change.column, change.since, by="ann", back=True)
    assert ws.services.suggestions.lasting("orders") == (change,)
    for k in range(40, 60):
        ws.give_feedback("orders", day(k), "", "known_error")
    assert ws.services.suggestions.lasting("orders") == ()


@pytest.mark.parametrize(("beside", "told"), [(0.0, 0), (0.5, 1)])
def test_that_the_month_is_another_since_the_first_is_no_change(beside: float, told: int) -> None:
    """The same numbers half a month beside the batches' own are asked about."""
    history = stepped().services.batches.history("orders")
    batches = tuple(str(date(2026, 5, 2) + timedelta(days=k)) for k in range(len(history.batches)))
    months = np.array([float(batch[5:7]) for batch in batches]) + beside
    column = replace(history.columns["amount"], column="month", batches=batches, values={"mean": months})
    rows = np.full(len(batches), 9.0)
    changed = replace(history, batches=batches, rows=rows, columns={"month": column}, standings=())
    assert len(lasting_changes(changed)) == told


def test_one_history_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    history, looked, found = stepped().services.batches.history("orders"), [], LastingChanges()
    monkeypatch.setattr("avh_ui.workflows.lasting.lasting_changes", lambda *asked: (looked.append(asked), tuple(looked))[1])
    assert found.of(history, [7]) is found.of(history, [7])
    assert len(looked) == 1
    found.of(history, [5])
    found.of(replace(history), [5])
    assert len(looked) == 3


def test_nothing_is_offered_of_a_table_that_stands_still_or_is_new() -> None:
    assert FakeWorkspace(days=60).profiled().services.suggestions.lasting("orders") == ()
    assert FakeWorkspace().services.suggestions.lasting("orders") == ()


def test_an_alarm_of_more_than_a_year_ago_begins_a_regime() -> None:
    ws = FakeWorkspace().published(MEAN)
    last = DAYS + 3
    assert set(validated(ws, range(DAYS, last), 150.0)) == {"fail"}
    run = ws.runs("orders")[-1]
    # Hundreds of batches since, without validating each of them.
    kept = ws.services.runs._runs
    for k in range(last, last + 400):
        ws.profiles.save(replace(ws.profiles.load("orders", day(last - 1)), batch=day(k)))
        kept.add(replace(ws.services.runs.load("orders", run.id), batch=day(k), verdicts=(), rules=()))
    (alarm,) = [o for o in run.alarms if o.name == "mean"]
    assert ws.give_feedback("orders", run.batch, alarm.key, "expected_change").change == LastingChange("amount", day(DAYS))
