"""Comments and assignment of what the review looks at."""

from __future__ import annotations

from avh_ui.ui.components.notes_panel import NotesPanel
from avh_ui.ui.components.panes import PaneView
from avh_ui.ui.state.notes import NotesState
from avh_ui.ui.state.reading import when


class NotesView(PaneView):
    """Gives the panel what was said of the item looked at, and takes to the state what the person says."""

    def __init__(self, notes: NotesState) -> None:
        super().__init__()
        self.notes, self.queue = notes, notes.queue
        refusal = notes.session.refusal("reviewer", "comment")
        styles = {"flex": "0 0 auto"}
        self.body = self.panel = NotesPanel(self._comment, notes.assign, refusal=refusal, sizing_mode="stretch_width", styles=styles)
        self.queue.param.watch(lambda *_: self._fill(), ["cursor", "checked", "visible"])
        notes.session.param.watch(lambda *_: self._fill(), "draft")
        notes.session.param.watch(lambda *_: self._people(), ["draft", "loads"])
        self._people()
        self._fill()

    def _fill(self) -> None:
        comments = [{"by": one.by, "at": when(one.at), "text": one.text} for one in self.notes.comments]
        self.panel.param.update(comments=comments, assignee=self.notes.assignee, targets=len(self.queue.targets))

    def _people(self) -> None:
        self.panel.people = self.notes.people

    def _comment(self, text: str) -> None:
        if self.notes.comment(text):
            self.panel.sent += 1
