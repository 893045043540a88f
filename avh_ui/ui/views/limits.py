"""The limits of bounds that follow the history, below the form of the bounds: two fields and a button that keeps them."""

from __future__ import annotations

from typing import Any

from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.bounds_form import BoundsForm
from avh_ui.ui.components.markup import tag
from avh_ui.ui.components.panes import PaneView, column, html, row
from avh_ui.ui.state.limits import LimitsState

_SAYS = (
    "Each batch's bounds follow from those before it. What would carry them beyond these limits is not learned: "
    "the batch warns, and a person is asked."
)


class LimitsView(PaneView):
    """Hidden for what does not follow the history."""

    def __init__(self, state: LimitsState) -> None:
        super().__init__()
        self.state = state
        self.refusal = state.evidence.session.refusal("reviewer", "decide")
        self.form = BoundsForm(self._typed, named="limit", sizing_mode=None)
        self.actions, self.said = ActionBar(lambda _: state.save(), label="Edit of the limits", align="end"), html()
        self.body = column(row(self.form, self.actions, align_items="flex-end"), self.said, gap=6)
        state.param.watch(lambda *_: self._show(), ["limits", "problem"])
        state.evidence.param.watch(lambda *_: self._show(), "item")
        self._show()

    def _typed(self, item: str, lower: str, upper: str, entered: bool) -> None:
        if self.state.type(lower, upper, of=item) and entered and self.state.dirty and not self.refusal:
            self.state.save(stay=True)

    def _show(self) -> None:
        state, item = self.state, self.state.evidence.item
        self.body.visible = state.offered
        if item is None or not state.offered:
            return
        if not state.problem:  # what was typed stays to be mended
            texts = state.text(0), state.text(1), state.evidence.form_unit
            self.form.fill(item.suggestion.id, *texts, of=item.current.title)
        save = action("save", "Save limits", outlined=True, disabled=not state.dirty)
        self.actions.actions = withheld([save], self.refusal)
        self.said.object = self._sentence()

    def _sentence(self) -> Any:
        if self.state.problem:
            return tag("p", "⚠ ", self.state.problem, cls="problem wrap", role="alert")
        return tag("p", _SAYS, cls="quiet wrap")
