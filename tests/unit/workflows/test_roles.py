"""Who may do what, below the app: every call that changes something takes a role, and who did it stands in the audit log."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from avh_ui.constraints import checks
from avh_ui.constraints.checks import is_complete
from avh_ui.errors import NotPermittedError
from avh_ui.issues.faults import Fault
from avh_ui.workflows.what_if import WhatIf
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace, config, day

PEOPLE = {"vic": "viewer", "rae": "reviewer", "app": "approver"}
FIRST = CONSTRAINTS[0].key
CALLS: dict[str, tuple[str, Callable[[FakeWorkspace, str], object]]] = {
    "profile": ("reviewer", lambda ws, by: ws.profile("orders", by=by)),
    "ingest": ("reviewer", lambda ws, by: ws.ingest("orders", checks.is_complete("id"), batch="2024-01-01", by=by)),
    "suggest": ("reviewer", lambda ws, by: ws.suggest("orders", sources=["snapshot"], by=by)),
    "adopt": ("reviewer", lambda ws, by: ws.adopt("orders", WhatIf(), by=by)),
    "add rules": ("reviewer", lambda ws, by: ws.add("orders", is_complete("id"), by=by)),
    "remove rules": ("reviewer", lambda ws, by: ws.remove("orders", ["id is not null"], by=by)),
    "say what a column is": ("reviewer", lambda ws, by: ws.say_kind("orders", "amount", "count", by=by)),
    "say what the key is": ("reviewer", lambda ws, by: ws.say_key("orders", ["id"], by=by)),
    "measure batches": ("reviewer", lambda ws, by: ws.try_rule("orders", is_complete("id"), by=by)),
    "decide": ("reviewer", lambda ws, by: ws.decide("orders", [FIRST], "accept", by=by)),
    "try faults": ("reviewer", lambda ws, by: ws.trial("orders", day(1), Fault("amount", "nulls", 0.5, "null"), by=by)),
    "comment": ("reviewer", lambda ws, by: ws.comment("orders", [FIRST], "why?", by=by)),
    "assign": ("reviewer", lambda ws, by: ws.assign("orders", [FIRST], "rae", by=by)),
    "label": ("reviewer", lambda ws, by: ws.give_feedback("orders", day(1), FIRST, "false_alarm", by=by)),
    "snooze": ("reviewer", lambda ws, by: ws.give_feedback("orders", day(1), FIRST, "snooze", days=1, by=by)),
    "say something of incidents": ("reviewer", lambda ws, by: ws.tell_incident("orders", "any", own=by, by=by)),
    "publish": ("approver", lambda ws, by: ws.publish("orders", message="mine", by=by)),
    "roll back": ("approver", lambda ws, by: ws.rollback("orders", 1, by=by, message="x")),
}


def workspace(actor: str = "app") -> FakeWorkspace:
    return FakeWorkspace(settings=config(people=PEOPLE), actor=actor)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("person", ["vic", "rae", "stranger"])
def test_a_call_that_changes_something_takes_its_role(call: str, person: str) -> None:
    ws = workspace().published()
    before = (ws.draft("orders"), ws.batches("orders"), ws.programs("orders"), ws.feedback("orders"))
    needed, does = CALLS[call]
    if (person, needed) == ("rae", "reviewer"):
        assert ws.refusal(needed, call, by=person) == ""  # type: ignore[arg-type]
        return
    with pytest.raises(NotPermittedError, match=f"'{person}' is .* and may not .*: it takes an? {needed}"):
        does(ws, person)
    assert ws.refusal(needed, call, by=person).startswith(f"'{person}' is ")  # type: ignore[arg-type]
    assert (ws.draft("orders"), ws.batches("orders"), ws.programs("orders"), ws.feedback("orders")) == before


def test_a_scheduler_s_account_profiles_and_a_viewer_s_does_not() -> None:
    assert workspace("airflow").profile("orders").profiled
    assert workspace("rae").profile("orders").profiled
    for actor, by in (("vic", None), ("airflow", "vic"), ("airflow", "stranger"), ("app", "stranger")):
        with pytest.raises(NotPermittedError, match="may not profile"):
            workspace(actor).profile("orders", by=by)


def test_the_audit_log_names_who_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    ws = workspace().drafted()
    draft = ws.draft("orders")
    assert draft is not None
    monkeypatch.setattr("avh_ui.workflows.suggesting.suggest", lambda *_, **__: draft.run)
    ws.suggest("orders", by="rae")
    assert [(e.by, e.did) for e in ws.audit("orders")] == [("rae", "suggested"), ("", "suggested")]
    ws.suggest("orders")
    assert ws.audit("orders")[0].by == "app"


def test_where_nobody_is_named_everybody_may_do_everything() -> None:
    ws = FakeWorkspace(actor="whoever").published()
    assert ws.live("orders") is not None
    assert ws.refusal("approver", "publish", by="anybody") == ""
