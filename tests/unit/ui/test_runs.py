"""Runs and alarms: what is looked at, what people say of it, and the grid of constraints over runs."""

from __future__ import annotations

import csv
import io
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.errors import AvhError
from avh_ui.metrics.shared_values import Shared
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.alarm_grid import GridRow, alarm_grid
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.runs import RunsState
from avh_ui.ui.state.runs_words import bounds_next, effect, ingested, overview, training
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.broken_rows import broken_rows
from avh_ui.ui.views.incidents import IncidentsView
from avh_ui.ui.views.runs import RunsView, _line, alarm, lines
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import RunSummary
from avh_ui.workflows.what_if import NextBounds
from avh_ui.workspace import Workspace
from tests.fakes.demo_runs import publish_and_validate
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.run_contract import said
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders
from tests.unit.ui.conftest import sit_down

NEWEST = "2025-12-31"


@pytest.fixture
def workspace() -> Workspace:
    made = demo_workspace()
    publish_and_validate(made)
    return made


@pytest.fixture
def runs(workspace: Workspace) -> RunsState:
    state = RunsState(sit_down(workspace).session)
    state.visit()
    return state


def summary(batch: str, rows: int | None = 10, **statuses: str) -> RunSummary:
    outcomes = tuple(Outcome(key.replace("_rule", "/"), "c", key, status) for key, status in statuses.items())  # type: ignore[arg-type]
    return RunSummary(1, "p", batch, "fail", 1, "", 1.0, rows, outcomes)


def test_it_opens_on_the_newest_alarm(runs: RunsState) -> None:
    assert (runs.phase, runs.batch) == ("ready", NEWEST)
    assert runs.outcome is not None
    assert runs.outcome.status == "fail"
    assert runs.result is not None
    assert "Some values of order_id occur more than once" in runs.result.message
    assert len(runs.runs) == 40


def test_the_first_run_is_made_from_the_page() -> None:
    ws = FakeWorkspace(days=12).profiled()
    ws.suggest("orders")
    session = SessionState(ws.services)
    session.open(Address("orders", "runs"))
    state = RunsState(session)
    state.visit()
    view = RunsView(state, print, print, print)
    assert not view.blank.begin.body.visible  # nothing is published
    ws.decide("orders", [item.suggestion.id for item in ws.draft("orders").items[:5]], "accept")  # type: ignore[union-attr]
    ws.publish("orders", message="first")
    session.refresh()
    state.visit()
    assert "validated from here" in view.blank.text.object
    assert view.blank.begin.body.visible
    view.blank.validating.start()
    assert "is validated: all rules pass." in session.notice.text
    state.visit()
    assert (state.phase, [run.batch for run in state.runs]) == ("ready", [session.history.batches[-1]])
    assert not view.blank.body.visible


def test_what_came_since_is_validated_from_the_page_too() -> None:
    ws = FakeWorkspace(days=12).published()
    ws.profiler.tables["orders"] |= {day(12): orders(12), day(13): orders(13)}
    session = SessionState(ws.services)
    session.open(Address("orders", "runs"))
    view = RunsView(RunsState(session), print, print, print)
    view.judge.job.start()
    assert [run.batch for run in ws.services.runs.recent("orders")] == [day(12), day(13)]
    assert session.notice.text == "orders 2 batches are validated: all pass."
    view.judge.job.start()
    assert session.notice.text == "orders: every batch at its source is validated already."
    # One whose data were mended, from its run and from its incident.
    ws.profiler.tables["orders"][day(12)] = orders(12, rows=40)
    view.blank.validating.again(day(12))
    assert session.notice.text.startswith(f"orders {day(12)} is validated: ")
    assert "see its incident" in session.notice.text
    incidents = IncidentsState(session)
    incidents.visit()
    ws.profiler.tables["orders"][day(12)] = orders(12)
    shown = IncidentsView(incidents, print, print, print)
    assert shown.again.label == "Validate it again"
    shown.again.clicks += 1
    assert session.notice.text == f"orders {day(12)} is validated: all rules pass."
    view.judge.job.start()
    assert session.notice.text == "orders: every batch at its source is validated already."


def test_a_result_that_passed_says_its_rule(runs: RunsState) -> None:
    shown = {line["value"]: line for line in lines(runs)}
    assert runs.outcome is not None
    assert "occur more than once" in shown[runs.outcome.key]["note"]
    notes = {line["note"] for line in shown.values() if line["tag"] == "passed"}
    assert any(re.fullmatch(r"Between 0\.\d+% and 2\.\d+% of customer_id are null\.", note) for note in notes)


def test_an_ingested_batch_is_told_from_a_validated_one() -> None:
    kept, refused = replace(summary("b1", a="warn"), partition="appended"), replace(summary("b2", a="not_evaluated"), partition="replaced")
    assert ingested(kept) == ("Ingested", "after all others", "kept")
    assert ingested(refused) == ("Ingested", "in place of the one before", "refused")


def test_rows_with_open_alarms_come_first() -> None:
    found = alarm_grid(
        [summary("b1", a="pass", b="fail", c="fail"), summary("b2", a="pass", c="warn")], [said(batch="b1", key="b")], "2026"
    )
    assert [(r.key, r.alarms, r.open) for r in found.rows] == [("", 3, 2), ("c", 2, 2), ("b", 1, 0), ("a", 0, 0)]
    assert found.cells == "fw" + "fw" + "h " + "pp"
    assert found.alarms_of(2) == [0]


def test_a_snoozed_constraint_is_quiet_until_it_ends() -> None:
    runs, log = [summary("b1", a="fail")], [said("snooze", key="a", until="2026-02-08T00:00:00+00:00")]
    assert alarm_grid(runs, log, "2026-02-07T00:00:00+00:00").open == 0
    assert alarm_grid(runs, log, "2026-02-09T00:00:00+00:00").open == 1


def test_a_batch_that_was_not_measured_is_one_alarm() -> None:
    unread = summary("b1", None, a="not_evaluated", b="not_evaluated", unreadable_batch_rule="not_evaluated")
    assert [o.key for o in unread.alarms] == ["unreadable_batch/"]
    assert alarm_grid([unread], [], "2026").open == 1


def test_what_was_not_evaluated_is_told_apart_from_alarms(runs: RunsState) -> None:
    some = [summary("b1", a="fail", b="not_evaluated"), summary("b2", a="pass", b="not_evaluated", c="warn")]
    found = alarm_grid(some, [said(batch="b1", key="b")], "2026")
    assert [(r.key, r.alarms, r.open) for r in found.rows] == [("", 2, 2), ("a", 1, 1), ("c", 1, 1), ("b", 0, 0)]
    assert (found.cells, found.alarms_of(3)) == ("fw" + "fp" + " w" + "nn", [0, 1])
    runs.param.update(runs=tuple(some), log=(), batch="b2", key="b", run=None)
    assert overview(runs) == ("2 batches validated, 2 of them failed · 2 alarms wait for a label · 2 results not evaluated, no alarms")
    assert [line["value"] for line in lines(runs)] == ["c", "b", "a"]
    assert runs.unlabelled == ("c",)
    assert not runs.labelled_here
    assert not runs.say("known_error")
    assert runs.session.notice.text == "There is no alarm here to label."
    # What was called wrong and did not pass since can be taken back.
    runs.log = (said(batch="b2", key="b"),)
    assert runs.labelled_here
    runs.param.update(runs=(replace(summary("b3", b="not_evaluated"), status="not_evaluated"),), batch="b3", key="", log=())
    assert "1 of 1 result could not be evaluated" in alarm(runs)


def test_a_label_is_recorded_and_undone(runs: RunsState, workspace: Workspace) -> None:
    before = runs.open_alarms
    assert runs.say("known_error", "vendor")
    assert runs.label is not None
    assert (runs.label.action, runs.label.why, runs.label.by) == ("known_error", "vendor", "ada")
    assert (runs.open_alarms, runs.excluded) == (before - 1, (NEWEST,))
    assert "not learned from" in effect(runs.label)
    assert runs.say("unlabel")
    assert (runs.label, runs.excluded, runs.open_alarms) == (None, (), before)
    assert [e.action for e in workspace.feedback("orders")] == ["known_error", "unlabel"]


def test_a_snooze_and_its_end(runs: RunsState) -> None:
    assert runs.say("snooze", days=7)
    assert runs.snooze is not None
    assert runs.say("wake")
    assert runs.snooze is None


def test_somebody_elses_label_is_not_overwritten(runs: RunsState, workspace: Workspace) -> None:
    workspace.give_feedback("orders", runs.batch, runs.key, "real_issue", by="bob")
    assert not runs.say("false_alarm")
    assert "bob" in runs.session.notice.text
    assert runs.label is not None
    assert runs.label.action == "real_issue"
    assert runs.say("false_alarm")


def test_what_passed_cannot_be_labelled(runs: RunsState, workspace: Workspace) -> None:
    runs.go(NEWEST, "schema/")
    assert not runs.say("known_error")
    assert workspace.feedback("orders") == []


def test_moving_over_the_grid(runs: RunsState) -> None:
    first = runs.key
    runs.move(1)
    assert runs.key != first
    runs.move(-1)
    assert runs.key == first
    runs.turn(-1)
    assert (runs.batch, runs.run.batch) == ("2025-12-30", "2025-12-30")
    runs.turn(99)
    assert runs.batch == NEWEST
    runs.pick(0, 3)
    assert runs.batch == runs.grid.batches[3]
    runs.pick(1, -1)
    assert runs.grid.places[runs.key] == 1


def test_an_address_names_an_alarm(workspace: Workspace) -> None:
    state = RunsState(sit_down(workspace).session)
    key = workspace.runs("orders")[5].outcomes[3].key
    state.visit(Address("orders", "runs", batch="2025-12-01", alarm=key))
    assert (state.batch, state.key) == ("2025-12-01", key)
    state.visit(Address("orders", "runs", batch="2024-01-01"))
    assert "no run of batch '2024-01-01'" in state.session.notice.text
    assert state.batch == NEWEST


def test_nothing_and_failures_are_told(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    state = RunsState(sit_down(workspace, "?pipeline=returns").session)
    state.visit()
    assert state.phase == "nothing"

    def broken(*_: object) -> None:
        raise AvhError("The database is locked.")

    monkeypatch.setattr(workspace.services.runs, "recent", broken)
    state.session.refresh()
    state.visit()
    assert (state.phase, str(state.problem)) == ("failed", "The database is locked.")


def test_what_is_learned_from() -> None:
    batches = [f"b{k}" for k in range(10)]
    assert training(batches, ["b8", "b1"], window=4) == "4 batches, b5 to b9, without b8"
    assert training(batches, [], window=20) == "10 batches, b0 to b9"
    assert training([], []) == "nothing yet"


def test_addresses_read_back() -> None:
    for address in (Address("p", "runs", batch="a b&c", alarm="x/y"), Address("p", "drift", column="ü", batch="1..2", against="0")):
        assert Address.parse(address.search()) == address


def test_the_results_are_saved_as_a_table_with_what_was_said(runs: RunsState) -> None:
    assert runs.say("known_error", "vendor")
    rows = list(csv.DictReader(io.StringIO(runs.results_csv())))
    assert len(rows) == len(runs.summary.outcomes)
    (labelled,) = [row for row in rows if row["label"]]
    assert (labelled["label"], labelled["why"], labelled["status"]) == ("known_error", "vendor", "fail")
    assert float(labelled["observed"]) == runs.result.observed


def test_the_next_bounds_in_words() -> None:
    wide, narrow = (Constraint("c", "row_count", "numeric", 10.0, upper) for upper in (90.0, 50.0))
    assert bounds_next(None, "b", left_out=False) == ""
    assert bounds_next(NextBounds(None, None), "b", left_out=False) == ""
    assert bounds_next(NextBounds(wide, narrow), "b", left_out=False) == (
        "Next, its bounds would be 10 – 90 rows; without b, its bounds would be 10 – 50 rows."
    )
    assert bounds_next(NextBounds(wide, narrow), "b", left_out=True) == (
        "Next, its bounds would be 10 – 50 rows; learned from b, its bounds would be 10 – 90 rows."
    )
    assert bounds_next(NextBounds(wide, wide), "b", left_out=True) == "Next, its bounds would be 10 – 90 rows, with b or without it."
    assert bounds_next(NextBounds(None, narrow), "b", left_out=False) == (
        "Next, it would not be suggested; without b, its bounds would be 10 – 50 rows."
    )


def test_all_alarms_of_a_batch_are_labelled_at_once(workspace: Workspace, runs: RunsState) -> None:
    first, *others = runs.unlabelled
    assert others
    runs.go(NEWEST, first)
    assert runs.say("known_error", "the source was down", every=True)
    assert runs.unlabelled == ()
    said_of = {(f.batch, f.key, f.action, f.why) for f in workspace.feedback("orders")}
    assert said_of == {(NEWEST, key, "known_error", "the source was down") for key in (first, *others)}
    assert f"and {count(len(others), 'other')} on" in runs.session.said


def test_an_alarm_says_how_many_rows_break_it_and_where_they_are_kept() -> None:
    constraint = Constraint("x", "complete_ratio", "string", 1.0, 1.0)
    told = " ".join(map(str, broken_rows(Verdict(constraint, "fail", 0.5, 1.0, 1.0, "", ("<b>", "y"), 12, "q/<p>/b"), 842)))
    for words in ("12 of 842 rows fail.", "Samples: &lt;b&gt;; y", "kept in <code", "q/&lt;p&gt;/b"):
        assert words in told
    assert broken_rows(Verdict(constraint, "pass", 1.0, 1.0, 1.0, ""), 842) == []
    # What the sentence has counted is not counted again, and rows have a line each.
    counted = Verdict(constraint, "fail", 0.5, 1.0, 1.0, "12 of 842 values are odd.", ("a=1, b=2", "a=3, b=4"), 12)
    assert list(map(str, broken_rows(counted, 842))) == ['<p class="wrap quiet">Samples:\na=1, b=2\na=3, b=4</p>']
    shared = replace(counted, shared=(Shared("country", ("IT",), 12, 12),))
    assert "they are all rows in which country is IT" in str(broken_rows(shared, 842)[0])


def test_a_line_of_matched_rows_leaves_the_key_to_its_tip() -> None:
    lines = [_line(GridRow("k", name, metric, 0, 0), {}) for name, metric in (("n by id", "count_fall"), ("n by id", "mean"))]
    told = [(line["label"], line["note"], line["title"]) for line in lines]
    assert told == [
        ("n", "largest fall of a matched row's number by key", "n by id"), ("n by id", "average", "n by id"),
    ], "a column may be called so"  # fmt: skip


def test_bad_rows_that_a_run_kept_are_shown_with_its_alarm(tmp_path: Path) -> None:
    ws = FakeWorkspace().published(Constraint("country", "complete_ratio", "string", 1.0, 1.0))
    table = orders(DAYS)
    countries = pa.array([None] * 3 + table.column("country").to_pylist()[3:])
    ws.profiler.tables["orders"][day(DAYS)] = table.set_column(2, "country", countries)
    ws.validate("orders", batch=day(DAYS), quarantine=str(tmp_path / "bad"))
    session = SessionState(ws.services)
    session.open(Address("orders", "runs"))
    state, story = RunsState(session), IncidentsState(session)
    state.visit()
    story.visit()
    view, page = RunsView(state, print, print, print), IncidentsView(story, print, print, print)
    for shown in (view.bad.shown, page.bad.shown):
        assert shown["title"] == "3 rows that break this rule"
        assert (shown["heads"][0], [row[0] for row in shown["rows"]]) == ("country", ["null"] * 3)
    shutil.rmtree(tmp_path / "bad")
    view = RunsView(state, print, print, print)
    assert (view.bad.shown, "any more" in str(view.alarm.object)) == ({}, True)
