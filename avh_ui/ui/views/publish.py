"""The publish page: what the next version changes, its message, and the versions so far."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui
from panel.viewable import Viewer

from avh_ui.constraints.program import Program
from avh_ui.ui.components import icons
from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.components.panes import card, column, empty, fact, html, row
from avh_ui.ui.state.publishing import Difference, PublishState, alarms_per_year
from avh_ui.ui.state.reading import count, when
from avh_ui.ui.views.difference_text import groups

_PAD = "16px 20px 20px"


class PublishView(Viewer):
    """Draws the difference of draft and live version and publishes the draft."""

    def __init__(self, publish: PublishState, **params: Any) -> None:
        super().__init__(**params)
        self.publish, self.session = publish, publish.session
        self.changes, self.facts, self.versions = html(), html(), html()
        self.alert = html(visible=False)
        self.message = pmui.TextAreaInput(
            label="Message", placeholder="What changes, and why", rows=3, sizing_mode="stretch_width", margin=0, description=""
        )
        self.message.param.watch(lambda event: setattr(publish, "message", event.new), "value_input")
        self.approve = pmui.Button(label="Publish", icon=icons.PUBLISH, color="primary", variant="contained", margin=0)
        self.approve.on_click(lambda _: publish.approve())
        self._layout()
        publish.param.watch(lambda *_: self._form(), ["busy", "problem", "message"])
        self.session.param.watch(lambda *_: self._show(), ["draft", "versions", "loads"])
        self._show()

    def _layout(self) -> None:
        left = card(self.changes, padding=_PAD, flex="1.7 1 460px")
        form = card(self.facts, self.message, self.alert, self.approve, gap=14, padding=_PAD)
        side = column(form, card(self.versions, padding=_PAD), gap=12, flex="1 1 340px")
        self.body = column(row(left, side, gap=12, align_items="flex-start"), sizing_mode="stretch_both", overflow_y="auto")

    def __panel__(self) -> Any:
        return self.body

    def _show(self) -> None:
        found = self.publish.difference()
        self.changes.object = changes(found, self.session.live)
        self.facts.object = self._facts(found)
        self.versions.object = versions(self.session.versions, self.session.problems.get("versions"))
        self._form()

    def _form(self) -> None:
        publish = self.publish
        self.approve.param.update(
            label="Publishing …" if publish.busy else f"Publish version {publish.next_version}", disabled=publish.busy, loading=publish.busy
        )
        alert = tag("div", "⚠ ", publish.problem, cls="problem wrap", role="alert")
        self.alert.param.update(object=alert, visible=bool(publish.problem))
        if self.message.value_input != publish.message:
            self.message.value = publish.message

    def _facts(self, found: Difference) -> Markup:
        draft, cadence = self.session.draft, self.session.cadence
        accepted = draft.accepted() if draft else ()
        pending = draft.count("pending") if draft else 0
        made = [
            fact("Constraints", len(accepted)),
            fact("Change", found.summary),
            fact("False alarms a year", alarms_per_year(accepted, cadence), title="expected at most, at this cadence"),
            fact("Approver", self.session.actor),
        ]
        note = f"{count(pending, 'suggestion')} of this draft are not decided and will not be enforced." if pending else ""
        return join(tag("dl", *made, cls="facts"), tag("p", note, cls="quiet", style="margin-top: 8px") if note else None)


def changes(found: Difference, live: Program | None) -> Markup:
    """The lists of what is added, changed and removed."""
    against = f"against version {live.version}" if live else "nothing is published yet"
    heading = tag(
        "div", tag("h2", "Next version", style="font-size: 17px"), tag("p", f"{found.summary.capitalize()}, {against}", cls="quiet")
    )
    if not found.total:
        text = "Accept suggestions in the review to put them into the program." if live is None else "The draft enforces what is live."
        return join(heading, empty("Nothing to publish", tag("p", text)))
    same = tag("p", f"{count(found.unchanged, 'constraint')} unchanged", cls="quiet", style="margin-top: 14px") if found.unchanged else None
    return join(heading, tag("div", *groups(found), style="margin-top: 14px"), same)


def versions(found: tuple[Program, ...], problem: Exception | None) -> Markup:
    """All versions, newest first."""
    heading = tag("h2", "Versions", style="font-size: 15px; margin-bottom: 4px")
    if problem is not None:
        return join(heading, tag("p", "⚠ ", str(problem), cls="problem", role="alert"))
    if not found:
        return join(
            heading, tag("p", "None yet. A published version is immutable, hashed, and enforced by the validator.", cls="quiet prose")
        )
    return join(heading, tag("ul", *(_version(program, live=at == 0) for at, program in enumerate(found))))


def _version(program: Program, *, live: bool) -> Markup:
    badge = tag("span", "live", cls="badge") if live else None
    who = f"{program.author} · {when(program.created_at)} · {count(len(program.constraints), 'constraint')}"
    signed = "signed" if program.signature else "unsigned"
    return tag(
        "li",
        tag("div", tag("b", f"Version {program.version}"), badge),
        tag("div", program.message, cls="wrap"),
        tag("div", who, cls="quiet"),
        tag("div", tag("code", program.sha256[:12], title=f"SHA-256 {program.sha256}"), f" {signed}", cls="quiet"),
        cls="version",
    )
