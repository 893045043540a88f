"""What there is to do about an incident, with the findings as a text for whoever delivers the table."""

from __future__ import annotations

from collections.abc import Callable

from avh_ui.config_contacts import link_of, mail_of
from avh_ui.ui.components.copied_text import CopiedText
from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.components.panes import PaneView, column, html
from avh_ui.ui.state.incident_steps import Step, steps_of
from avh_ui.ui.state.incident_story import Story
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.workflows.findings import findings_of

TITLE = "What now"


class WhatNow(PaneView):
    """Draws the steps of the incident looked at."""

    def __init__(self, state: IncidentsState) -> None:
        super().__init__()
        self.state, self.steps = state, html()
        self.findings = CopiedText(sizing_mode="stretch_width")
        self.body = column(self.steps, self.findings, gap=8)

    def show(self) -> None:
        """Another incident, another label, or its story was read."""
        state, incident, story = self.state, self.state.incident, self.state.story
        if incident is None:
            return
        pipeline = state.session.services.pipeline(state.session.pipeline)
        asked = state.session.contacts.delivered_by
        last = max(state.standing.values(), key=lambda entry: entry.seq, default=None)
        steps = steps_of(incident, story, last, untold=state.untold(incident), asked=asked)
        self.steps.object = _drawn(steps, lambda option: state.session.command("validate", pipeline.name, *option.split(" ")))
        # Of what is over there may still be something to ask; without its story there is nothing to tell.
        self.findings.visible = story is not None
        if story is not None:
            found = findings_of(
                pipeline,
                story.told,
                [*filter(None, [story.slipped]), *(f"{one.fact}{one.such if k else ''}" for k, one in enumerate(story.clusters))],
                story.against,
                _rows(story),
            )
            who = f"The findings as a text for {asked}" if asked else "The findings as a text for whoever delivers the table"
            self.findings.param.update(title=who, text=found.text, subject=found.subject, mail=mail_of(asked), link=link_of(asked))


def _rows(story: Story) -> list[str]:
    """Those that moved, where a key tells which; else the findings name those that the results do."""
    first = story.clusters[0].moved if story.clusters else None
    return [str(row) for row in first.rows] if first is not None else []


def _drawn(steps: list[Step], command: Callable[[str], str]) -> Markup:
    if not steps:
        return Markup()
    lines = [
        tag("li", tag("b", f"{step.when}: "), step.do, _typed(step, command), cls="wrap", style="line-height: 1.5; padding: 2px 0")
        for step in steps
    ]
    return join(tag("h3", TITLE, style="font-size: 13px; font-weight: 650; margin: 0 0 4px"), tag("ul", *lines))


def _typed(step: Step, command: Callable[[str], str]) -> Markup | None:
    if not step.option:
        return None
    return tag("div", "Keep the rows that fail apart: ", tag("code", command(step.option), style="user-select: all"))
