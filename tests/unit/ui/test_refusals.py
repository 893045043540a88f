"""What a viewer sees: buttons that would be refused are disabled and say which role they take; keys that do the same are told so."""

from __future__ import annotations

from typing import Any

import panel as pn
import pytest
from bokeh.document import Document

from avh_ui.ui.state.address import Address
from avh_ui.ui.views.overview import OverviewView
from avh_ui.ui.views.publish import PublishView
from avh_ui.ui.views.runs import RunsView
from avh_ui.ui.views.shell import Shell
from avh_ui.ui.views.what_if import WhatIfView
from avh_ui.workspace import Workspace
from tests.fakes.demo_runs import publish_and_validate
from tests.fakes.demo_workspace import demo_workspace

TAKES_A_REVIEWER = "'vic' is viewer and may not {}: it takes a reviewer. Ask ada."
STRANGER = "'eve' is not among the people of avh.yml and may not {}: it takes a reviewer."


@pytest.fixture
def workspace() -> Workspace:
    made = demo_workspace(people={"ada": "approver", "vic": "viewer"}, actor="ada")
    publish_and_validate(made, batches=2)
    return made


def shell_of(workspace: Workspace, person: str) -> Shell:
    shell = Shell(workspace.services, actor=person)
    shell.start(Address("orders"))
    pn.panel(shell).get_root(Document())
    return shell


def buttons(shell: Shell) -> dict[str, Any]:
    """Those that change something, by what they do: whether they can be pressed, and their tooltip."""
    pages = shell.pages
    review = pages["review"]
    runs, publish, overview, adopt = (
        RunsView(pages["runs"].state, None, None, None),
        PublishView(pages["publish"].state, str),
        OverviewView(pages["overview"].state, pages["overview"].profiling, None, None, None),
        WhatIfView(pages["what-if"].state).adopt,
    )
    made = {
        b.label: b
        for b in (*runs.labels.values(), runs.snooze, overview.job.start, overview.job.cancel, adopt, publish.approve, publish.back)
    }
    bars = (review.queue_view.actions, review.evidence_view.actions, review.evidence_view.form_actions)
    listed = {one["label"]: (bool(one.get("disabled")), one.get("title", "")) for bar in bars for one in bar.actions}
    return {label: (b.disabled, b.description or "") for label, b in made.items()} | listed


@pytest.mark.parametrize(("person", "sentence"), [("vic", TAKES_A_REVIEWER), ("eve", STRANGER)])
def test_buttons_that_would_be_refused_are_disabled_and_say_why(workspace: Workspace, person: str, sentence: str) -> None:
    shell = shell_of(workspace, person)
    found = buttons(shell)
    for labels, deed in (
        (("Accept", "Reject", "Save edit", "Reopen"), "decide"),
        (("False alarm", "Real issue", "Snooze"), "label alarms"),
        (("Profile now", "Cancel"), "profile"),
        (("Suggest again",), "suggest"),
        (("Make it the draft",), "change the draft"),
    ):
        for label in labels:
            disabled, title = found[label]
            assert disabled, label
            assert title.startswith(sentence.format(deed)), (label, title)
    assert found["Publish version 2"][0]
    assert found["Roll back"] == found["Publish version 2"]
    assert "it takes an approver" in found["Roll back"][1]
    assert shell.pages["review"].notes_view.panel.refusal.startswith(sentence.format("comment"))


def test_an_approver_s_buttons_are_as_they_were(workspace: Workspace) -> None:
    found = buttons(shell_of(workspace, "ada"))
    assert [label for label, (_, title) in found.items() if "may not" in title] == []
    assert not found["Profile now"][0]


def test_keys_that_would_be_refused_change_nothing_and_say_why(workspace: Workspace) -> None:
    shell = shell_of(workspace, "vic")
    before = workspace.draft("orders")
    for tab, keys in (("review", ("again", "reject", "reopen")), ("overview", ("profile",)), ("runs", ("label-false_alarm",))):
        shell.session.tab = tab
        for key in keys:
            shell.session.notice = None
            shell.command(key)
            assert shell.session.notice is not None, key
            assert "'vic' is viewer and may not" in shell.session.notice.text
    shell.pages["what-if"].state.adopt()
    assert workspace.draft("orders") == before
    assert workspace.feedback("orders") == []
