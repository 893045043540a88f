"""Lasting changes above the suggestions: a line and a button each, the newest first."""

from __future__ import annotations

from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.markup import join, tag
from avh_ui.ui.components.panes import PaneView, card, html, row
from avh_ui.ui.state.lasting import LastingState
from avh_ui.ui.state.reading import count

# The next comes when one is answered; more lines would push the suggestions off the page.
_SHOWN = 2
_TITLE = "Its history begins anew there. If it is an error, label its batches on the page Runs: nothing is learned from them."


class LastingView(PaneView):
    """Hidden where nothing has changed for good."""

    def __init__(self, state: LastingState) -> None:
        super().__init__()
        self.state = state
        self.texts = [html(styles={"flex": "1 1 260px", "min-width": "0"}) for _ in range(_SHOWN)]
        self.bars = [ActionBar(lambda _, k=k: self._answer(k), label="Is it the new normal?") for k in range(_SHOWN)]
        self.rows = [row(text, bar) for text, bar in zip(self.texts, self.bars, strict=True)]
        self.body = card(*self.rows, padding="4px 12px", flex="none")
        state.param.watch(lambda *_: self._show(), "changes")
        state.session.param.watch(lambda *_: self._show(), "phase")
        self._show()

    def _show(self) -> None:
        changes = self.state.changes
        self.body.visible = bool(changes)
        for k, (text, bar, line) in enumerate(zip(self.texts, self.bars, self.rows, strict=True)):
            line.visible = k < len(changes)
            if line.visible:
                more = f" {count(len(changes) - _SHOWN, 'more change')}." if k == _SHOWN - 1 and len(changes) > _SHOWN else ""
                text.object = tag("p", join(f"{changes[k].words}{more}"), title=changes[k].answer)
                bar.actions = withheld([action("expect", "It is normal", title=_TITLE, outlined=True)], self.state.refusal)

    def _answer(self, place: int) -> None:
        if place < len(self.state.changes):
            self.state.expect(self.state.changes[place])
