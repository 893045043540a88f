"""An anomaly strategy beside the bounds: which one, how wide, on what it would have alarmed, and the button that takes it as the rule."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.filter_bar import FilterBar
from avh_ui.ui.components.markup import tag
from avh_ui.ui.components.panes import PaneView, column, field, html, row
from avh_ui.ui.state.strategies import LABELS, StrategiesState

_CHOICES = [{"value": "", "label": "none"}, *({"value": name, "label": label} for name, label in LABELS.items())]


class StrategiesView(PaneView):
    """Two lines below the form of the bounds; the chart draws what it found."""

    def __init__(self, state: StrategiesState) -> None:
        super().__init__()
        self.state = state
        self.refusal = state.session.refusal("reviewer", "add rules")
        self.pick = FilterBar(self._chosen, label="Anomaly strategy", sizing_mode=None)
        self.body = column(row(self.pick, gap=10, align_items="center"), gap=6)
        state.param.watch(lambda *_: self._show(), ["picked", "found", "problem", "saving"])
        state.evidence.param.watch(lambda *_: self._show(), "item")
        self._show()

    @cached_property
    def _more(self) -> tuple[Any, ActionBar, Any]:
        """What is only there once a strategy was picked: most pages open without, and are smaller for it."""
        deviations = field("Deviations", self._typed, value=self.state.width, sizing_mode=None, width=96)
        actions, said = ActionBar(lambda _: self.state.take(), label="Take the strategy"), html()
        self.body[0].extend([deviations, actions])
        self.body.append(said)
        return deviations, actions, said

    def _chosen(self, _: str, value: str) -> None:
        self.state.picked = value

    def _typed(self, text: str) -> None:
        self.state.width = text

    def _show(self) -> None:
        state = self.state
        self.body.visible = state.offered
        self.pick.fields = [{"name": "strategy", "label": "Strategy", "choices": _CHOICES, "value": state.picked}]
        if not state.picked and "_more" not in self.__dict__:
            return
        deviations, actions, said = self._more
        deviations.visible = said.visible = bool(state.picked)
        actions.visible = bool(state.picked) and state.found is not None
        take = action("take", "Take as rule", outlined=True, disabled=state.saving, title="Accept it in the place of these bounds")
        actions.actions = withheld([take], self.refusal)
        said.object = self._sentence()

    def _sentence(self) -> Any:
        state = self.state
        if state.problem:
            return tag("p", "⚠ ", state.problem, cls="problem wrap", role="alert")
        text = "Trying it on the history …" if state.found is None else state.found.verdict
        return tag("p", text, cls="wrap", role="status")
