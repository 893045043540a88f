"""Labelling alarms, and what the next suggestion makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pyarrow.compute as pc
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.errors import ConflictError, DeliveryError, NotPermittedError, UsageError
from avh_ui.review.feedback import Feedback
from avh_ui.validator.run import Run
from tests.fakes.workspaces import DAYS, FakeWorkspace, config, day, orders

NEXT = day(DAYS)


@pytest.fixture
def ws() -> FakeWorkspace:
    """A workspace whose newest batch alarmed: a tenth of its rows came."""
    workspace = FakeWorkspace().published()
    workspace.profiler.tables["orders"][NEXT] = orders(DAYS, rows=40)
    workspace.validate("orders", batch=NEXT)
    return workspace


def alarm(ws: FakeWorkspace) -> str:
    (run,) = ws.runs("orders")
    return next(o.key for o in run.alarms if o.name == "row_count")


def test_a_validation_keeps_its_run(ws: FakeWorkspace) -> None:
    (summary,) = ws.runs("orders")
    run = ws.run("orders", summary.id)
    assert (summary.batch, summary.status, summary.rows) == (NEXT, "fail", 40)
    assert isinstance(run, Run)
    assert any("The number of rows is 40, below the lower bound 300" in r.message for r in run.results)
    ws.validate("orders", batch=day(0), record=False)
    assert len(ws.runs("orders")) == 1


@pytest.mark.parametrize(("label", "learned"), [("real_issue", DAYS), ("known_error", DAYS), ("false_alarm", 21), ("expected_change", 21)])
def test_a_label_decides_whether_the_batch_is_learned_from(ws: FakeWorkspace, label: str, learned: int) -> None:
    ws.give_feedback("orders", NEXT, alarm(ws), label)  # type: ignore[arg-type]
    run = ws.suggest("orders").run
    assert run.batches == learned
    assert run.last_batch == (NEXT if learned > DAYS else day(DAYS - 1))


def test_many_alarms_are_labelled_by_one_reading_of_the_runs(ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    for name in ("recent", "load"):
        monkeypatch.setattr(ws.kept_runs, name, partial(_noted, read, name, getattr(ws.kept_runs, name)))
    alarms = [(NEXT, alarm(ws))] * 3
    read.clear()
    given = ws.services.runs.label("orders", alarms, "expected_change", by="ann")
    # What did not pass is read once more, of all batches together.
    assert read == ["recent", "recent", "load"]
    assert [(entry.batch, entry.key) for entry in given] == alarms
    assert all(entry.change is not None and entry.change.since == NEXT for entry in given)


def _noted(read: list[str], name: str, call: Callable[..., object], *given: object) -> object:
    read.append(name)
    return call(*given)


def test_a_mended_batch_is_learned_from_again(ws: FakeWorkspace) -> None:
    ws.give_feedback("orders", NEXT, alarm(ws), "real_issue")
    assert ws.excluded("orders") == [NEXT]
    ws.profiler.tables["orders"][NEXT] = orders(DAYS)
    ws.validate("orders", batch=NEXT)
    assert ws.excluded("orders") == []


@pytest.mark.parametrize(("label", "said"), [("real_issue", "wrong"), ("known_error", "wrong"), ("false_alarm", "right")])
def test_the_history_is_told_what_later_batches_may_be_compared_with(ws: FakeWorkspace, label: str, said: str) -> None:
    (before,) = ws.profiles.standings("orders", [NEXT])
    assert (before.failed, before.sound) == (True, False)
    ws.give_feedback("orders", NEXT, alarm(ws), label)  # type: ignore[arg-type]
    (after,) = ws.profiles.standings("orders", [NEXT])
    assert (after.said, after.sound) == (said, said == "right")
    ws.give_feedback("orders", NEXT, alarm(ws), "unlabel")
    assert ws.profiles.standings("orders", [NEXT]) == [before]


def test_a_validation_tells_the_history_too_and_needs_no_database_for_its_verdict(
    ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws.give_feedback("orders", NEXT, alarm(ws), "false_alarm")
    ws.profiles.tell("orders", {})
    later = day(DAYS + 1)
    ws.profiler.tables["orders"][later] = orders(DAYS + 1)
    ws.validate("orders", batch=later)
    assert ws.profiles.standings("orders", [NEXT])[0].said == "right"

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(ws.profiles, "tell", full)
    assert ws.validate("orders", batch=later).batch == later


def test_a_snoozed_failure_is_not_compared_with_either(ws: FakeWorkspace) -> None:
    for outcome in ws.runs("orders")[0].alarms:
        ws.give_feedback("orders", NEXT, outcome.key, "snooze", days=3)
    assert ws.validate("orders", batch=NEXT).status == "warn"
    assert not ws.profiles.standings("orders", [NEXT])[0].sound


def test_feedback_is_stamped_and_checked(ws: FakeWorkspace) -> None:
    made = ws.give_feedback("orders", NEXT, alarm(ws), "snooze", why=" vendor knows ", days=7)
    assert (made.by, made.why) == ("ann", "vendor knows")
    assert made.until > made.at
    with pytest.raises(UsageError, match="0 days"):
        ws.give_feedback("orders", NEXT, alarm(ws), "snooze")
    for days in (30.1, 365, float("inf"), float("nan")):
        with pytest.raises(UsageError, match=r"longer than 30 days, the longest_snooze of 'orders'"):
            ws.give_feedback("orders", NEXT, alarm(ws), "snooze", days=days)
    with pytest.raises(UsageError, match="no label 'nonsense'"):
        ws.give_feedback("orders", NEXT, alarm(ws), "nonsense")  # type: ignore[arg-type]
    first = ws.give_feedback("orders", NEXT, alarm(ws), "known_error", expected=0, by="bob")
    with pytest.raises(ConflictError, match="bob"):
        ws.give_feedback("orders", NEXT, alarm(ws), "false_alarm", expected=0)
    ws.give_feedback("orders", NEXT, alarm(ws), "false_alarm", expected=first.seq)
    assert ws.excluded("orders") == []


def test_a_viewer_may_not_label() -> None:
    ws = FakeWorkspace(settings=config(people={"vic": "viewer"}), actor="vic")
    with pytest.raises(NotPermittedError, match="vic"):
        ws.give_feedback("orders", NEXT, "k", "known_error")
    assert ws.feedback("orders") == []


def test_a_run_that_cannot_be_kept_is_told(ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Run) -> int:
        raise DeliveryError("The review database could not be written.")

    monkeypatch.setattr(ws.kept_runs, "add", broken)
    with pytest.raises(DeliveryError):
        ws.validate("orders", batch=day(3))


def test_a_snoozed_failure_warns_until_the_snooze_ends(ws: FakeWorkspace) -> None:
    key = alarm(ws)
    ws.give_feedback("orders", NEXT, key, "snooze", days=7, why="vendor knows")
    run = ws.validate("orders", batch=NEXT)
    (told,) = (v for v in run.verdicts if v.constraint.key == key)
    assert told.status == "warn"
    assert "below the lower bound 300" in told.message
    assert re.search(r"\(snoozed until \d{4}-\d\d-\d\d \d\d:\d\d UTC by ann: vendor knows\)$", told.message)
    assert {o.status for o in ws.runs("orders")[-1].outcomes if o.key == key} == {"warn"}
    assert {v.status for v in ws.validate("orders", batch=NEXT, snoozes=False).verdicts if v.constraint.key == key} == {"fail"}
    ws.give_feedback("orders", NEXT, key, "wake")
    assert {v.status for v in ws.validate("orders", batch=NEXT).verdicts if v.constraint.key == key} == {"fail"}


def test_without_the_review_database_nothing_is_snoozed(ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: str) -> list[Feedback]:
        raise DeliveryError("The review database could not be read.")

    ws.give_feedback("orders", NEXT, alarm(ws), "snooze", days=7)
    monkeypatch.setattr(ws.kept_runs, "feedback", broken)
    assert ws.validate("orders", batch=NEXT, record=False).status == "fail"


def test_the_next_bounds_are_next_bounds_with_and_without_a_batch() -> None:
    ws = FakeWorkspace().profiled()
    ws.suggest("orders")
    moved = orders(DAYS)
    ws.profiler.tables["orders"][NEXT] = moved.set_column(1, "amount", pc.add(moved.column("amount"), 4.0))
    ws.profile("orders")
    mean = Constraint("amount", "mean", "numeric", 90.0, 110.0, fpr=0.003)
    found = ws.next_bounds("orders", mean, NEXT)
    assert found.learned is not None
    assert found.left_out is not None
    assert max(found.learned.fpr, found.left_out.fpr) <= mean.fpr
    width = found.left_out.upper - found.left_out.lower
    assert found.learned.upper - found.learned.lower > 1.5 * width
    # A label on another batch counts in both cases.
    ws.give_feedback("orders", NEXT, "k", "known_error")
    again = ws.next_bounds("orders", mean, day(3))
    assert again.learned == found.left_out
    assert ws.next_bounds("orders", Constraint("amount", "mean", "numeric", 90.0, 110.0, fpr=1e-30), NEXT).learned is None
