"""The columns of a rule that says the same of several, each with a button that takes it out or puts it back."""

from __future__ import annotations

from avh_ui.constraints.several import each_of
from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.markup import tag
from avh_ui.ui.components.panes import PaneView, column, html
from avh_ui.ui.state.evidence import EvidenceState


class ColumnsOutView(PaneView):
    """Hidden for any other rule."""

    def __init__(self, evidence: EvidenceState) -> None:
        super().__init__()
        self.evidence = evidence
        self.refusal = evidence.session.refusal("reviewer", "decide")
        self.said, self.actions = html(), ActionBar(self._take, label="Columns of the rule")
        self.body = column(self.said, self.actions, gap=6)
        evidence.param.watch(lambda *_: self._show(), "item")
        self._show()

    def _take(self, name: str) -> None:
        if (item := self.evidence.item) is not None:
            self.evidence.decisions.take_out(item.suggestion.id, name)

    def _show(self) -> None:
        item = self.evidence.item
        names = () if item is None else each_of(item.suggestion.constraint)
        self.body.visible = bool(names)
        if item is None or not names:
            return
        # The last one stays: who wants none rejects the rule.
        last = len(names) - len(item.out) == 1

        def does(name: str) -> str:
            return "Put back" if name in item.out else "Take out"

        offered = [action(name, f"{does(name)} {name}", disabled=last and name not in item.out) for name in names]
        self.actions.actions = withheld(offered, self.refusal)
        self.said.object = tag("p", f"It says the same of each of {len(names)} columns; any of them can be taken out.", cls="quiet wrap")
