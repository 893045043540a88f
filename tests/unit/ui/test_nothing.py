"""Where nothing is suggested yet, the first profiles and suggestions are made by one button."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.errors import HistoryError
from avh_ui.ui.components.markup import failure
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.ui.state.runs import RunsState
from avh_ui.ui.views import incident_text, no_runs, nothing
from avh_ui.ui.views.nothing import NothingView
from tests.fakes.workspaces import FakeWorkspace
from tests.unit.ui.conftest import sit_down


def test_profiles_and_suggestions_are_made_from_the_empty_page() -> None:
    ws = FakeWorkspace()
    session = sit_down(ws).session
    view = NothingView(session)
    assert session.phase == "nothing"
    assert "Nothing is suggested for orders yet" in view.text.object
    assert view.begin.start.visible
    view.beginning.start()
    assert (session.phase, len(session.history.batches)) == ("ready", len(ws.batches("orders")))
    assert session.draft.items
    assert f"{len(session.draft.items)} suggestions from " in session.notice.text


def test_a_page_without_data_says_what_to_do_first() -> None:
    ws = FakeWorkspace()
    tables = dict(ws.profiler.tables["orders"])
    ws.profiler.tables["orders"].clear()
    session = sit_down(ws).session
    view = NothingView(session)
    assert "orders has no data yet" in view.text.object
    assert "Put its files there" in view.text.object
    assert "`" not in view.text.object
    assert "see what is noticed, review, publish" in view.text.object
    assert (view.begin.body.visible, view.again.visible) == (False, True)
    ws.profiler.tables["orders"].update(tables)
    view.again._handle_msg("again")
    assert "Nothing is suggested for orders yet" in view.text.object
    assert view.begin.body.visible


def test_why_it_could_not_be_done_stands_on_the_page_until_it_is_tried_anew() -> None:
    ws = FakeWorkspace()
    session = sit_down(ws).session
    view, tables = NothingView(session), dict(ws.profiler.tables["orders"])
    ws.profiler.tables["orders"].clear()
    view.beginning.start()
    assert view.beginning.problem is not None
    assert "That could not be done" in view.text.object
    assert view.beginning.problem.message.split("'")[0] in view.text.object
    ws.profiler.tables["orders"].update(tables)
    view.beginning.start()
    assert (view.beginning.problem, session.phase) == (None, "ready")


def test_commands_that_are_shown_name_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "my tables"
    there.mkdir()
    session = sit_down(FakeWorkspace(there)).session
    assert session.command("profile", "orders") == f"avh profile orders -w '{there}'"
    assert session.command("validate", "orders", batch=True).startswith("avh validate orders --batch ID -w ")
    page = nothing.blank_page(session)
    assert page.count(f"-w &#x27;{there}&#x27;") == 3
    monkeypatch.chdir(there)
    assert session.command("profile", "orders") == "avh profile orders"


def test_runs_lead_to_the_review_until_a_program_is_published() -> None:
    ws = FakeWorkspace(days=5)
    session = sit_down(ws).session
    view = no_runs.NoRunsView(session)
    view.say(no_runs.blank_page(RunsState(session)), begins=True)
    assert view.lead.visible
    assert view.lead.can("review")
    view.lead._handle_msg("review")
    assert session.tab == "review"
    view = no_runs.NoRunsView(sit_down(FakeWorkspace(days=5).published()).session)
    view.say(no_runs.blank_page(RunsState(session)), begins=True)
    assert not view.lead.visible


def test_the_newest_batch_is_named_where_one_is_known() -> None:
    ws = FakeWorkspace(days=5).published()
    runs = RunsState(sit_down(ws).session)
    runs.visit()
    assert f"avh validate orders --batch {ws.batches('orders')[-1]}" in no_runs.blank_page(runs)
    incidents = IncidentsState(sit_down(ws).session)
    incidents.visit()
    assert f"avh validate orders --batch {ws.batches('orders')[-1]}" in incident_text.blank_page(incidents)


def test_commands_in_errors_name_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = sit_down(FakeWorkspace(tmp_path)).session
    session.param.update(phase="failed", problems={"draft": HistoryError("Nothing is kept.", hint="Run `avh profile orders` first.")})
    assert f"Run `avh profile orders -w {tmp_path}` first." in nothing.blank_page(session)
    monkeypatch.chdir(tmp_path)
    assert "Run `avh profile orders` first." in nothing.blank_page(session)


def test_a_notice_names_the_workspace_too(tmp_path: Path) -> None:
    session = sit_down(FakeWorkspace(tmp_path)).session
    session.tell("error", "Nothing is published. Publish with `avh publish orders`.")
    assert session.notice.text.endswith(f"`avh publish orders --by NAME -m TEXT -w {tmp_path}`.")


@pytest.mark.parametrize("command", ["avh explain drift", "avh profile -w x", "avh profile --help"])
def test_commands_of_no_workspace_stay_as_they_are(command: str) -> None:
    assert f"`{command}`" in failure("Not read", HistoryError("It is not there.", hint=f"Try `{command}`."), "-w here")
