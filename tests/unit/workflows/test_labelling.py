"""Labelling alarms, and what the next suggestion makes of it."""

from __future__ import annotations

import pytest

from avh_ui.errors import ConflictError, DeliveryError, NotPermittedError, UsageError
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
    assert any("row_count of amount is 40, below the lower bound 300" in r.message for r in run.results)
    ws.validate("orders", batch=day(0), record=False)
    assert len(ws.runs("orders")) == 1


@pytest.mark.parametrize(("label", "learned"), [("real_issue", DAYS), ("known_error", DAYS), ("false_alarm", 21), ("expected_change", 21)])
def test_a_label_decides_whether_the_batch_is_learned_from(ws: FakeWorkspace, label: str, learned: int) -> None:
    ws.give_feedback("orders", NEXT, alarm(ws), label)  # type: ignore[arg-type]
    run = ws.suggest("orders").run
    assert run.batches == learned
    assert run.last_batch == (NEXT if learned > DAYS else day(DAYS - 1))


def test_a_mended_batch_is_learned_from_again(ws: FakeWorkspace) -> None:
    ws.give_feedback("orders", NEXT, alarm(ws), "real_issue")
    assert ws.excluded("orders") == [NEXT]
    ws.profiler.tables["orders"][NEXT] = orders(DAYS)
    ws.validate("orders", batch=NEXT)
    assert ws.excluded("orders") == []


def test_feedback_is_stamped_and_checked(ws: FakeWorkspace) -> None:
    made = ws.give_feedback("orders", NEXT, alarm(ws), "snooze", why=" vendor knows ", days=7)
    assert (made.by, made.why) == ("ann", "vendor knows")
    assert made.until > made.at
    with pytest.raises(UsageError, match="0 days"):
        ws.give_feedback("orders", NEXT, alarm(ws), "snooze")
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
