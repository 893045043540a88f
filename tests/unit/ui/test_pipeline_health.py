"""How urgent a pipeline is, what is new of it since yesterday, and where its line of the overview leads."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pyarrow as pa
import pytest

from avh_ui.notices.notice import record_of
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.pipeline_health import Lead, PipelineStanding, pipeline_health, standing
from avh_ui.ui.state.reading import count
from avh_ui.ui.views.pipeline_list import pipeline_line
from avh_ui.ui.views.shell import Shell
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, day, orders


@pytest.mark.parametrize(
    ("stands", "page", "words"),
    [
        (PipelineStanding("t"), "overview", "Profile it"),
        (PipelineStanding("t", last="b"), "review", "See how to begin"),
        (PipelineStanding("t", last="b", suggested=True, pending=3), "coverage", "See its coverage"),
        (PipelineStanding("t", last="b", suggested=True, pending=3, decided=1), "review", "Review 3 suggestions"),
        (PipelineStanding("t", last="b", suggested=True, decided=4), "publish", "Publish it"),
        (PipelineStanding("t", last="b", suggested=True, decided=4, version=1), "coverage", "See its coverage"),
        (PipelineStanding("t", last="b", suggested=True, decided=4, version=1, outgrown=True), "review", "Suggest anew"),
        (PipelineStanding("t", last="b", suggested=True, version=1, open_alarms=2, incident="i7"), "incidents", "Open the incident"),
        (PipelineStanding("t", last="b", suggested=True, version=1, open_alarms=2), "incidents", "See its incidents"),
    ],
)
def test_what_is_to_be_done_next(stands: PipelineStanding, page: str, words: str) -> None:
    lead = stands.lead
    assert lead is not None
    assert (lead.page, lead.words) == (page, words)
    assert lead.about == ({"incident": "i7"} if stands.incident else {})


def test_the_worst_comes_first() -> None:
    fine = PipelineStanding("fine", last="b", suggested=True, version=2)
    worse = [
        fine,
        replace(fine, pending=3),
        replace(fine, pending=30),
        replace(fine, suggested=False, version=0),
        replace(fine, unsure=True),
        replace(fine, late=True),
        replace(fine, open_alarms=1),
        replace(fine, open_alarms=5),
        replace(fine, open_alarms=1, failed=True),
        PipelineStanding("broken", problem="The history is damaged."),
    ]
    assert sorted(worse, key=lambda one: one.urgency) == worse
    assert worse[-1].lead is None


def test_what_is_new_since_yesterday(monkeypatch: pytest.MonkeyPatch) -> None:
    ws = FakeWorkspace()
    assert standing(ws.profiled().services, "orders").news == ("nothing was ever suggested",)
    ws.published()
    assert standing(ws.services, "orders").news == ("version 1 published",)
    ws.profiler.tables["orders"][day(DAYS)] = orders(DAYS).set_column(1, "amount", pa.array([1_000.0] * 400))
    ws.validate("orders", batch=day(DAYS))
    found = standing(ws.services, "orders")
    assert found.news == (f"{count(found.open_alarms, 'alarm')}", "1 incident", "version 1 published")
    assert found.incident == ws.services.incidents.incidents("orders")[0].id
    monkeypatch.setattr("avh_ui.ui.state.pipeline_health.NEW", timedelta(days=-1))
    assert standing(ws.services, "orders").news == ()


def test_a_batch_that_was_judged_is_no_longer_awaited_though_its_profile_was_not_kept() -> None:
    ws = FakeWorkspace().published()
    before = standing(ws.services, "orders")
    assert (before.last, before.expected) == (day(DAYS - 1), day(DAYS))
    ws.profiler.tables["orders"][day(DAYS)] = orders(DAYS)
    ws.validate("orders", batch=day(DAYS), store=False)
    assert day(DAYS) not in ws.services.batches.names("orders")
    after = standing(ws.services, "orders")
    assert (after.last, after.expected) == (day(DAYS), day(DAYS + 1))


def test_all_pages_mean_the_same_by_an_alarm() -> None:
    ws = FakeWorkspace().published(*CONSTRAINTS)
    ws.profiler.tables["orders"][day(DAYS)] = orders(DAYS, 200).drop_columns(["amount"])
    run = ws.validate("orders", batch=day(DAYS))
    assert run.count("not_evaluated") > 0
    alarms = run.count("fail") + run.count("warn")
    incidents = ws.services.incidents.incidents("orders")
    assert sum(len(one.alarms) for one in incidents) == alarms
    found = pipeline_health(ws.services, "orders")
    assert (found.open_alarms, found.news[0]) == (alarms, count(alarms, "alarm"))
    assert f"{count(run.count('not_evaluated'), 'result')} not evaluated" in pipeline_line(found)["note"]
    told = record_of(run)
    assert (told["alarm_count"], told["not_evaluated_count"]) == (alarms, run.count("not_evaluated"))
    assert "not_evaluated" not in {one["status"] for one in told["alarms"]}


def test_what_could_not_be_evaluated_needs_a_look() -> None:
    unsure = PipelineStanding("t", last="b", suggested=True, version=1, ran="2026", unsure=True)
    assert (unsure.health, unsure.lead) == ("attention", Lead("See what was not evaluated", "runs"))
    assert replace(unsure, unsure=False).health == "good"


def test_a_line_leads_to_what_is_to_be_done() -> None:
    ws = demo_workspace(hostile=False)
    shell = Shell(ws.services)
    shell.start(Address.parse(""))
    assert (shell.session.tab, shell.session.pipeline) == ("overview", "orders")
    lines = shell.pages["overview"].drawn.pipelines.lines
    assert [(line["value"], line["lead"]) for line in lines.lines] == [("orders", "See its coverage"), ("returns", "Profile it")]
    lines._handle_msg({"lead": "nowhere"})
    lines._handle_msg({"lead": "returns"})
    assert (shell.session.tab, shell.session.pipeline) == ("overview", "returns")
    lines._handle_msg({"lead": "orders"})
    assert (shell.session.tab, shell.session.pipeline) == ("coverage", "orders")


def test_the_worst_is_looked_at_where_nobody_named_a_pipeline() -> None:
    ws = demo_workspace(hostile=False)
    pipelines = {name: ws.config.pipelines[name] for name in ("returns", "orders")}
    ws.services.config = ws.config.model_copy(update={"pipelines": pipelines})
    shell = Shell(ws.services)
    shell.start(Address.parse(""))
    assert shell.session.pipeline == "orders"
    shell.start(Address.parse("?tab=overview&pipeline=returns"))
    assert shell.session.pipeline == "returns"
    shell.pages["overview"].state.list.visit()
    assert shell.session.pipeline == "returns"
