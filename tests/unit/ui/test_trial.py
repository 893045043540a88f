"""The trial page and the first steps: what is chosen, what came of it, and what is ticked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from avh_ui.issues.faults import TABLE, Fault
from avh_ui.metrics.contributions import Contribution
from avh_ui.metrics.moved import Moved, MovedRow
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.coverage import CoverageState
from avh_ui.ui.state.first_steps import FirstStepsState
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.trial import TrialState, story_of
from avh_ui.ui.views.shell import Shell
from avh_ui.ui.views.trial_text import now_text, outcome_text, trial_text
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, config, day, orders


def shown(workspace: Any, tab: str = "trial", **about: str) -> Shell:
    made = Shell(workspace.services)
    made.start(Address("orders", tab, **about))
    return made


def test_what_there_is_to_choose() -> None:
    state = shown(FakeWorkspace().published(), column="country", fault="type or format").pages["trial"].state
    assert (state.batch, state.column, state.share) == (day(DAYS - 1), "country", "0.5")
    assert state.chosen == Fault("country", "type or format", 0.5, "a blank after")
    state.choose(column="amount")
    assert state.fault == state.faults[0] == "nulls: null"
    state.choose(column="nowhere", share="7", batch="never")
    assert (state.column, state.fault.split(":")[0], state.share, state.batch) == (TABLE, "rows lost", "0.5", day(DAYS - 1))


def test_a_trial_is_shown_as_one() -> None:
    ws = FakeWorkspace().published()
    shell = shown(ws, column="country", fault="nulls")
    state, view = shell.pages["trial"].state, shell.pages["trial"].view()
    assert "No trial yet" in view.told.object
    loads = shell.session.loads
    shell.command("break")
    assert "Caught by 1 rule" in view.told.object
    assert "What its incident would say" in view.told.object
    assert "Nothing of this is kept" in view.now.object
    assert view.cell.visible
    assert (ws.services.runs.recent("orders"), shell.session.loads) == ([], loads)
    state.choose(column="amount")
    state.start()
    assert "Not caught" in view.told.object
    view.cell.clicks += 1
    assert shell.session.tab == "coverage"
    assert (shell.pages["coverage"].state.column, shell.pages["coverage"].state.cls) == ("amount", "nulls")


def test_a_trial_is_told_as_an_incident_is() -> None:
    shell = shown(FakeWorkspace().published(), column="country", fault="nulls", share="0.1")
    view = shell.pages["trial"].view()
    shell.command("break")
    found = shell.pages["trial"].state.trial
    moved = view.moved.shown
    assert (len(moved["rows"]), moved["heads"]) == (40, ["row", "Before", "After"])
    clean = orders(DAYS - 1).column("country").to_pylist()
    for key, before, after in moved["rows"]:
        assert (before, after) == (clean[int(key.split()[1].rstrip(",")) - 1], "null")
    assert found.batch in moved["note"]
    assert "Who carries the change" in view.now.object
    assert "What now, if it were real" in view.now.object
    shell.pages["trial"].state.choose(column="amount")
    shell.command("break")
    assert "What now" not in view.now.object
    shell.pages["trial"].state.choose(column=TABLE, share="1")
    shell.command("break")
    assert "What its incident would say" in view.told.object
    assert view.moved.shown == {}


def test_rows_of_a_trial_are_told_once_and_beside_the_batch_as_it_is() -> None:
    shell = shown(FakeWorkspace().published(), column="country", fault="nulls", share="0.1")
    shell.pages["trial"].view()
    shell.command("break")
    found = shell.pages["trial"].state.trial
    (alarm,) = found.alarms
    # What a table with a key says: rows beside the batch before, which had another value.
    before = Moved("country", rows=(MovedRow("9", "FR", "null"),), far=1, count=3, among=3)
    said = replace(alarm, moved=before, message=f"{alarm.message} {before.said} {before.listed}")
    story = story_of(replace(found, run=replace(found.run, verdicts=tuple(said if v == alarm else v for v in found.run.verdicts))))
    assert story is not None
    assert story.clusters[0].fact == alarm.fact
    # 40 rows drawn at random share a value by chance.
    by_chance = Contribution("place", "Bari", 4.0, 0.0, 1.0, 0.4)
    assert "Bari" not in now_text(replace(found, changed=replace(found.changed, carried=(by_chance,))), shell.session)


def test_what_alarms_anyway_is_told() -> None:
    ws = FakeWorkspace().published()
    found = ws.services.trials.trial("orders", day(12), Fault("country", "nulls", 0.5, "null"))
    assert "Without the fault" not in outcome_text(found)
    assert f"avh watch {found.pipeline}" in now_text(found, SessionState(ws.services))
    assert "&lt;" in outcome_text(type(found)(**{**vars(found), "words": "<b>"}))


def test_what_cannot_be_tried() -> None:
    ws = FakeWorkspace().drafted()
    shell = shown(ws)
    view = shell.pages["trial"].view()
    assert "Nothing is published yet" in view.told.object
    assert (view.start.disabled, view.review.visible, view.publish.visible, view.cell.visible) == (True, True, False, False)
    view.review.param.trigger("clicks")
    assert shell.session.tab == "review"
    ws.decide("orders", [CONSTRAINTS[0].key], "accept")
    view = shown(ws).pages["trial"].view()
    assert (view.review.visible, view.publish.visible) == (False, True)
    ws = FakeWorkspace().published()
    shell = shown(ws, column="id", fault="duplicates")
    shell.pages["trial"].state.choose(column="country", fault="duplicates: values of other rows")
    shell.command("break")
    assert "The trial could not be made" in trial_text(shell.pages["trial"].state)
    watched = FakeWorkspace(settings=config(people={"vic": "viewer", "app": "approver"}), actor="app").published()
    watched.services.people.__dict__.update(actor="vic")
    view = shown(watched).pages["trial"].view()
    assert view.start.disabled
    assert "may not try faults" in view.start.description


def test_the_steps_are_ticked_by_the_workspace() -> None:
    ws = FakeWorkspace().drafted()
    session = SessionState(ws.services)
    coverage, trial = CoverageState(session), TrialState(session)
    session.open(Address("orders"))
    state = FirstStepsState(session, coverage, trial)
    ticked = lambda: [step.done for step in state.steps]  # noqa: E731
    assert ticked() == [False] * 4
    coverage.visit()
    assert ticked() == [True, False, False, False]
    draft = ws.draft("orders")
    assert draft is not None
    ws.decide("orders", [item.suggestion.id for item in draft.items][:2], "accept")
    session.refresh()
    assert (state.steps[1].note, ticked()) == ("2 of 5", [True, False, False, False])
    ws.decide("orders", [item.suggestion.id for item in draft.items][2:], "reject")
    session.refresh()
    assert ticked() == [True, True, False, False]
    ws.publish("orders", message="first")
    session.refresh()
    # Whoever comes anew finds these ticked, too.
    assert ticked() == [True, True, True, False]
    trial.visit()
    trial.choose(column="country")
    trial.start()
    # What nobody noticed was not seen caught.
    assert (trial.trial.caught, ticked()) == (False, [True, True, True, False])
    trial.choose(column=TABLE, fault="rows lost: rows at random", share="1")
    trial.start()
    assert (state.steps, state.tried) == ((), True)
    # A browser keeps it.
    later = FirstStepsState(session, coverage, TrialState(session))
    assert [step.done for step in later.steps] == [True, True, True, False]
    later.tried = True
    assert later.steps == ()


def test_who_has_seen_a_run_alarm_has_no_first_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    ws = FakeWorkspace().published()
    session = SessionState(ws.services)
    state = FirstStepsState(session, CoverageState(session), TrialState(session))
    session.open(Address("orders"))
    ws.validate("orders", batch=day(DAYS - 1))
    session.refresh()
    assert [step.done for step in state.steps] == [True, True, True, False]
    ws.profiler.tables["orders"][day(DAYS)] = orders(DAYS).set_column(1, "amount", pa.array([1_000.0] * 400))
    ws.validate("orders", batch=day(DAYS))
    session.refresh()
    assert state.steps == ()
    # Once that is known the runs are read no more.
    monkeypatch.setattr(ws.services.incidents, "incidents", None)
    session.refresh()
    assert state.steps == ()


def test_the_steps_are_dismissed() -> None:
    shell = shown(demo_workspace(), "review")
    assert [step["page"] for step in shell.strip.steps] == ["coverage", "review", "publish", "trial"]
    assert shell.strip.visible
    shell.strip._handle_msg("nowhere")
    shell.strip._handle_msg("publish")
    assert (shell.session.tab, shell.strip.visible) == ("publish", True)
    shell.strip._handle_msg("")
    assert not shell.strip.visible
