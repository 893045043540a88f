"""The review page: queue and evidence side by side, and the pages for when there is nothing to review."""

from __future__ import annotations

from typing import Any

import panel as pn
from panel.viewable import Viewer

from avh_ui.ui.components.action_bar import ActionBar, action
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.panes import SHRINK, card, column, empty, html, loading
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.evidence import EvidenceView
from avh_ui.ui.views.notes import NotesView
from avh_ui.ui.views.queue import QueueView


class ReviewView(Viewer):
    """Shows both panes when the pipeline is loaded and has a draft, else what is the matter."""

    def __init__(self, session: SessionState, queue: QueueView, evidence: EvidenceView, notes: NotesView, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.queue, self.evidence = session, queue, evidence
        left = column(queue, sizing_mode="stretch_both", flex="1.42 1 0")
        said = card(notes, flex="0 0 auto", overflow="hidden")
        right = column(evidence, said, sizing_mode="stretch_both", flex="1 1 0", gap=8)
        self.panes = pn.Row(left, right, sizing_mode="stretch_both", margin=0, styles={**SHRINK, "gap": "12px"})
        self.text = html()
        self.again = ActionBar(lambda _: session.refresh(), actions=[action("again", "Check again", outlined=True)])
        self.again.styles = {"align-self": "center"}
        self.blank = card(self.text, self.again, padding_bottom="36px")
        self.body = column(self.panes, self.blank, sizing_mode="stretch_both")
        session.param.watch(lambda *_: self._show(), ["phase", "pipeline", "problems"])
        self._show()

    def __panel__(self) -> Any:
        return self.body

    def _show(self) -> None:
        ready = self.session.phase == "ready"
        self.panes.visible, self.blank.visible = ready, not ready
        self.again.visible = self.session.phase in ("nothing", "failed") and bool(self.session.pipeline)
        if not ready:
            self.text.object = blank_page(self.session)


def blank_page(session: SessionState) -> Markup:
    """Why there is nothing to review, and the command that changes it."""
    name = session.pipeline
    if session.phase == "loading":
        return loading(f"Reading {name} …" if name else "Reading the workspace …")
    if session.phase == "failed":
        problem = session.problems.get("draft")
        lines = [tag("p", getattr(problem, "message", str(problem)))]
        hint = getattr(problem, "hint", "")
        return empty(f"The draft of {name} cannot be read", *lines, tag("p", hint) if hint else None, glyph="⚠", role="alert")
    if not name:
        text = "A pipeline is a recurring table: name its source in avh.yml, then profile and suggest."
        return empty("This workspace has no pipeline yet", tag("p", text), tag("code", "avh init"))
    text = "Suggestions are programmed from the history of profiled batches. Profile the batches first, then suggest:"
    commands = tag("code", f"avh profile {name} && avh suggest {name}")
    return empty(f"Nothing is suggested for {name} yet", tag("p", text), commands)
