"""Incidents of a pipeline: what people say of them, what a run tells, and what `avh incidents` prints; held to the audit log."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from avh_ui import bootstrap
from avh_ui.cli.main import cli
from avh_ui.constraints.constraint import Verdict
from avh_ui.errors import AvhError, NotFoundError, UsageError
from avh_ui.metrics.measure import Measure
from avh_ui.validator.report import json_report, junit_report, text_report
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from tests.fakes.builders import constraint
from tests.fakes.run_contract import failed, validation
from tests.fakes.workspaces import FakeWorkspace, day, orders

SCHEMA = Path(bootstrap.__file__).parent / "validator" / "run.schema.json"


def two(batch: str) -> Run:
    """A run of which two columns fail."""
    return validation(batch, failed(column="a"), failed(column="b"), pipeline="orders")


@pytest.fixture
def ws() -> FakeWorkspace:
    """Two columns failed on two batches and passed on the next, then one did on the last."""
    made = FakeWorkspace(days=4)
    for run in (two(day(0)), two(day(1)), validation(day(2), pipeline="orders"), validation(day(3), failed(column="c"), pipeline="orders")):
        made.record(run)
    return made


def test_alarms_over_columns_and_batches_are_one_incident(ws: FakeWorkspace) -> None:
    newest, first = ws.incidents("orders")
    assert (first.since, first.last, first.ended, first.state) == (day(0), day(1), day(2), "resolved")
    assert (first.columns, len(first.alarms)) == (("a", "b"), 4)
    assert (newest.since, newest.ended, newest.state) == (day(3), None, "open")
    assert ws.incidents("orders", unresolved=True) == [newest]


def test_what_people_say_stands_in_the_state_and_in_the_audit_log(ws: FakeWorkspace) -> None:
    (newest, _) = ws.incidents("orders")
    assert ws.tell_incident("orders", newest.id[:11], own="bob", by="ann").state == "acknowledged"
    assert ws.tell_incident("orders", newest.id, resolve=True, comment="mended", by="bob").state == "resolved"
    assert ws.tell_incident("orders", newest.id, reopen=True, by="ann").state == "acknowledged"
    assert ws.tell_incident("orders", newest.id, comment="the vendor knows", by="ann").owner == "bob"
    ws.give_feedback("orders", day(3), newest.keys[0], "real_issue", by="ann")
    said = ws.incident("orders", newest.id).said
    assert [(entry.action, entry.by) for entry in said] == [
        ("own", "ann"), ("resolve", "bob"), ("reopen", "ann"), ("comment", "ann"), ("real_issue", "ann"),
    ]  # fmt: skip
    assert {entry.did for entry in ws.audit("orders")} >= {"assigned the incident of", "resolved the incident of"}
    # None of it is a label: nothing else is left out of learning, and the alarm's own label takes no conflict from it.
    assert ws.excluded("orders") == [day(3)]


def test_what_is_resolved_and_alarms_again_is_open_again(ws: FakeWorkspace) -> None:
    (newest, _) = ws.incidents("orders")
    ws.tell_incident("orders", newest.id, own="bob", resolve=True)
    ws.record(validation(day(4), failed(column="c"), pipeline="orders"))
    (again, _) = ws.incidents("orders")
    assert (again.id, again.last, again.state, again.owner) == (newest.id, day(4), "acknowledged", "bob")


def test_a_label_that_the_data_are_right_closes_it(ws: FakeWorkspace) -> None:
    (newest, _) = ws.incidents("orders")
    ws.give_feedback("orders", day(3), newest.keys[0], "expected_change")
    assert ws.incidents("orders")[0].state == "resolved"
    ws.record(validation(day(4), failed(column="c"), pipeline="orders"))
    assert [one.since for one in ws.incidents("orders")] == [day(4), day(3), day(0)]


def test_what_people_said_stays_where_a_batch_was_mended_and_validated_again(ws: FakeWorkspace) -> None:
    first = ws.incidents("orders")[-1]
    ws.tell_incident("orders", first.id, own="bob")
    ws.record(validation(day(1), pipeline="orders"))
    assert [(one.since, one.last, one.owner) for one in ws.incidents("orders")] == [(day(3), day(3), ""), (day(0), day(0), "bob")]


def test_what_passes_when_validated_again_is_still_found_with_its_label(ws: FakeWorkspace) -> None:
    (newest, first) = ws.incidents("orders")
    ws.give_feedback("orders", day(3), newest.keys[0], "known_error", why="half of it")
    ws.record(validation(day(3), pipeline="orders"))
    assert ws.incidents("orders") == [replace(newest, state="resolved", mended=True), first]
    assert ws.incidents("orders", unresolved=True) == []
    told = ws.incident("orders", newest.id)
    assert [(entry.action, entry.why) for entry in told.said] == [("known_error", "half of it")]
    assert (len(told.results), told.worst.keys(), told.rows) == (1, {day(3)}, 100)
    # What alarms of it once more is the same incident, which goes on.
    ws.record(validation(day(3), failed(column="c"), pipeline="orders"))
    assert (ws.incidents("orders")[0].id, ws.incidents("orders")[0].mended) == (newest.id, False)


def test_what_cannot_be_is_told(ws: FakeWorkspace) -> None:
    name = ws.incidents("orders")[0].id
    with pytest.raises(NotFoundError, match="no incident 'nothing' of 'orders'"):
        ws.incident("orders", "nothing")
    with pytest.raises(UsageError, match=r"2 incidents .* begin with '2024-01'"):
        ws.incident("orders", "2024-01")
    with pytest.raises(UsageError, match="What is to be said"):
        ws.tell_incident("orders", name, comment="  ")
    with pytest.raises(UsageError, match="not both"):
        ws.tell_incident("orders", name, resolve=True, reopen=True)


def test_a_batch_without_a_run_is_labelled_as_a_whole(ws: FakeWorkspace) -> None:
    ws.profile("orders")
    ws.give_feedback("orders", day(2), "", "known_error", why="half of it")
    assert ws.excluded("orders") == [day(2)]
    assert "all of it on 2024-01-03" in ws.audit("orders")[0].subject
    ws.give_feedback("orders", day(2), "", "unlabel")
    assert ws.excluded("orders") == []
    with pytest.raises(NotFoundError, match="2031"):
        ws.give_feedback("orders", "2031-01-01", "", "known_error")
    with pytest.raises(UsageError, match="cannot be snoozed"):
        ws.give_feedback("orders", day(2), "", "snooze", days=1)


def test_a_run_tells_the_incident_it_is_of() -> None:
    ws = FakeWorkspace(days=9).published()
    for k in (6, 7):
        ws.profiler.tables["orders"][day(k)] = orders(k, rows=40)
    first, second = (ws.validate("orders", batch=day(k)) for k in (6, 7))
    assert len(first.incidents) == len(second.incidents) == 1
    (told,) = second.incidents
    assert (told.since, told.batches, told.state) == (day(6), 2, "open")
    assert f"fails: one incident, open since {day(6)} (2 batches), {told.id}" in text_report(second)
    assert f"one incident, new, {first.incidents[0].id}" in text_report(first)
    assert f"fails: one incident, since {day(6)} (2 batches), resolved, {told.id}" in f"{replace(told, state='resolved').words}"
    assert replace(told, fails=False).words.startswith("1 rule on 1 column alarms: one incident, open since ")
    record = json.loads(json_report(second))
    jsonschema.validate(record, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert record["incidents"] == [told.to_record()]
    assert {result.get("incident") for result in record["results"] if result["status"] == "fail"} == {told.id}
    assert all("incident" not in result for result in record["results"] if result["status"] == "pass")
    assert told.id in junit_report(second)
    fine = ws.validate("orders", batch=day(8))
    assert (fine.status, fine.incidents) == ("pass", ())
    assert "incidents" not in json.loads(json_report(fine))
    assert ws.incidents("orders")[0].ended == day(8)


def test_a_validation_and_the_list_give_a_long_incident_one_id() -> None:
    ws = FakeWorkspace(days=8).published()
    ws.profiler.tables["orders"][day(7)] = orders(7, rows=40)
    run = ws.validate("orders", batch=day(7), record=False)
    for k in range(90):
        ws.kept_runs.add(replace(run, batch=f"2023-{k:03d}"))
    (told,) = ws.validate("orders", batch=day(7)).incidents
    assert (told.since, told.batches) == ("2023-000", 91)
    assert [one.id for one in ws.incidents("orders")] == [told.id]


def test_a_database_that_cannot_be_read_costs_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    ws = FakeWorkspace(days=8).published()
    ws.profiler.tables["orders"][day(7)] = orders(7, rows=40)

    def broken(*_: object) -> None:
        raise AvhError("The database is locked.")

    monkeypatch.setattr(ws.kept_runs, "unpassed", broken)
    run = ws.validate("orders", batch=day(7), record=False)
    assert (run.status, run.incidents) == ("fail", ())


def test_the_command_lists_shows_and_changes_them(ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "open_services", lambda *_, **__: ws.services)

    def avh(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, ["incidents", "orders", *words])
        return result.exit_code, result.output

    newest, first = ws.incidents("orders")
    code, listed = avh()
    assert (code, "5 alarms are 2 incidents." in listed) == (0, True)
    assert first.id not in avh("--open")[1]
    assert [one["id"] for one in json.loads(avh("--open", "--json")[1])] == [newest.id]
    assert avh("--resolve")[0] != 0
    code, shown = avh(newest.id, "--own", "bob", "--comment", "looks odd", "--by", "ann")
    assert code == 0
    assert "acknowledged, owned by bob" in shown
    assert "ann: comment looks odd" in shown
    record = json.loads(avh(first.id, "--json")[1])
    assert (record["state"], record["ended"], len(record["alarmed"])) == ("resolved", day(2), 4)
    assert avh(first.id, "--open")[0] != 0


def test_a_batch_that_cannot_be_read_is_an_incident_of_its_own(ws: FakeWorkspace) -> None:
    unread = RuleResult("unreadable_batch", "", "not_evaluated", "error", "Batch cannot be read.")
    ws.record(validation(day(4), rows=None, rules=(unread,), pipeline="orders"))
    newest, before, _ = ws.incidents("orders")
    assert [alarm.name for alarm in newest.alarms] == ["unreadable_batch"]
    assert (before.since, before.ended) == (day(3), None)


def test_of_a_copied_day_the_list_and_the_command_say_first_that_it_is_one(ws: FakeWorkspace) -> None:
    measure = Measure("renewed_rows", ("a", "b"), None, (("key", ("id",)),))
    of = constraint("a, b by id", metric="renewed_rows", kind="rows", measure=measure)
    ws.record(validation(day(4), Verdict(of, "fail", 0.02, 1.0, None, "2 of 90 rows are new."), pipeline="orders"))
    newest = ws.incidents("orders")[0]
    assert newest.copied
    assert newest.said == "It looks like an earlier batch under another date. 2 of 90 rows are new."
    assert ws.incidents("orders")[1].said == "mean of c is 9, above the upper bound 2."
