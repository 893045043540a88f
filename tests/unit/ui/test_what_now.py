"""What the page of incidents says there is to do, and the findings that it hands over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.constraints.constraint import Verdict
from avh_ui.ui.state.incident_steps import Step, steps_of
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.ui.state.pipeline_health import pipeline_health
from avh_ui.ui.views.incident_text import about
from avh_ui.ui.views.incidents import IncidentsView
from avh_ui.ui.views.pipeline_list import pipeline_line
from avh_ui.validator.stale import RULE as STALE
from avh_ui.workflows.findings import findings_of
from avh_ui.workspace import Workspace
from tests.fakes.run_contract import failed, said, validation
from tests.fakes.workspaces import FakeWorkspace, config, day
from tests.unit.ui.conftest import sit_down

SHOP = "Shop <b> <shop@example.org>"


def shop() -> Workspace:
    """One incident over two batches that is over, and an open one."""
    named = config(pipeline={"delivered_by": SHOP, "owner": "team prices", "description": "All orders."})
    made = FakeWorkspace(days=5, settings=named).drafted()
    for k in (0, 1):
        made.record(validation(day(k), failed("a is odd.", column="a"), failed("b is odd.", column="b"), pipeline="orders"))
    made.record(validation(day(2), pipeline="orders"))
    made.record(validation(day(3), failed("All countries are gone.", column="country"), pipeline="orders"))
    return made


@pytest.fixture
def state() -> IncidentsState:
    found = IncidentsState(sit_down(shop()).session)
    found.visit()
    return found


def steps(state: IncidentsState, **more: object) -> list[Step]:
    assert state.incident is not None
    last = max(state.standing.values(), key=lambda entry: entry.seq, default=None)
    told = {"untold": state.untold(state.incident), "asked": SHOP, **more}
    return steps_of(state.incident, state.story, last, **told)  # type: ignore[arg-type]


def test_of_an_open_incident_each_case_has_its_step(state: IncidentsState) -> None:
    found = steps(state)
    assert [one.when for one in found] == ["If the data are wrong", "If they are right", "If the rule is wrong", "If it has to wait"]
    assert f"ask {SHOP}, with the findings below. Validate batch {day(3)} again" in found[0].do
    assert "delivered_by in avh.yml names them" in steps(state, asked="")[0].do


def test_rows_that_fail_can_be_kept_apart_unless_they_are(state: IncidentsState) -> None:
    assert state.incident is not None
    (result,) = state.story.told.results
    assert isinstance(result, Verdict)

    def option(**changes: object) -> str:
        told = replace(state.story.told, results=(replace(result, **changes),))  # type: ignore[arg-type]
        return steps_of(state.incident, replace(state.story, told=told), None, untold=False, asked="")[0].option  # type: ignore[arg-type]

    assert option() == ""
    assert option(failing=7) == f"--batch {day(3)} --quarantine bad_rows"
    assert option(failing=7, kept="bad_rows/x") == ""


def test_a_label_and_an_end_leave_other_steps(state: IncidentsState) -> None:
    assert state.say("real_issue")
    assert [one.when for one in steps(state)] == ["The data are wrong", "If it has to wait"]
    assert state.take_back()
    state.move(1)
    assert [one.when for one in steps(state)] == ["It is over by itself"]
    assert state.say("real_issue")
    assert steps(state) == []


def test_what_did_not_come_or_is_old_asks_for_another_file(state: IncidentsState) -> None:
    incident, story = state.incident, state.story
    assert incident is not None
    none = replace(story, told=replace(story.told, rows=None))
    assert [one.when for one in steps_of(incident, none, None, untold=False, asked=SHOP)] == ["The batch could not be judged"]
    old = replace(incident, alarms=(replace(incident.alarms[0], name=STALE),))
    assert [one.when for one in steps_of(old, story, None, untold=False, asked=SHOP)] == ["It is an old file", "If it is right"]
    right = said("false_alarm", batch=incident.since, key=incident.alarms[0].key)
    assert [one.when for one in steps_of(incident, story, right, untold=False, asked=SHOP)] == ["The data are right"]


def test_the_findings_are_sentences_for_who_delivers_the_table(state: IncidentsState) -> None:
    pipeline = state.session.services.pipeline("orders")
    found = findings_of(pipeline, state.story.told, [one.fact for one in state.story.clusters], state.story.against)
    assert found.subject == f"orders {day(3)}: All countries are gone."
    assert found.text.startswith(
        f"Batch {day(3)} of orders (All orders) looks wrong. It has 100 rows. What we see, compared with {day(2)}:"
    )
    assert "- All countries are gone.\n" in found.text
    state.move(1)
    found = findings_of(pipeline, state.story.told)
    lasting = f"It is so on 2 batches, {day(0)} to {day(1)}. Batch {day(2)} is right again."
    assert f"- a is odd.\n- b is odd.\n\nSuch are:\n- 9\n\n{lasting}" in found.text, "with the sample of the first result"
    rows = [f"A{k}: 1 → 2" for k in range(7)]
    named = findings_of(pipeline, state.story.told, ["a moved, such as A0: 1 → 2."], rows=rows).text
    assert [line for line in named.splitlines() if "→" in line][1:] == [f"- {row}" for row in rows[1:6]]
    lost = findings_of(pipeline, replace(state.story.told, rows=None), ["x" * 200])
    assert lost.text.startswith(f"Batch {day(0)} of orders (All orders) could not be judged.")
    assert len(lost.subject) == 90
    many = findings_of(pipeline, state.story.told, [f"fact {k}." for k in range(8)])
    assert "- fact 5.\n- and 2 more." in many.text


def test_the_page_names_them_and_hands_over_the_findings(state: IncidentsState) -> None:
    view = IncidentsView(state, print, print, print)
    assert "Delivered by</dt><dd>Shop &lt;b&gt; &lt;shop@example.org&gt;" in view.about.object
    assert "Rules answered for by</dt><dd>team prices" in view.about.object
    assert "If the data are wrong" in view.now.steps.object
    given = view.now.findings
    assert (given.mail, given.link, given.visible) == ("shop@example.org", "", True)
    assert given.title == f"The findings as a text for {SHOP}"
    assert "All countries are gone." in given.text
    assert state.incident is not None
    assert "Delivered by" not in about(state.incident)


def test_its_rule_is_open_to_change_where_the_draft_has_it(state: IncidentsState) -> None:
    assert not state.ruled
    draft = state.session.draft
    assert draft is not None
    first = state.story.clusters[0]
    of_draft = replace(first.alarms[0], key=next(iter(draft.by_id)))
    state.story = replace(state.story, clusters=(replace(first, alarms=(of_draft,)),))
    assert state.ruled
    assert IncidentsView(state, print, print, print).rule.visible


def test_the_list_of_pipelines_names_them() -> None:
    line = pipeline_line(pipeline_health(shop().services, "orders"))
    assert line["note"].endswith(f" · delivered by {SHOP} · rules answered for by team prices")
