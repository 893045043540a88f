"""The table's key above the suggestions: what it is, on what grounds, and the buttons that accept or change it."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui

from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.markup import join, tag
from avh_ui.ui.components.panes import PaneView, card, html, row
from avh_ui.ui.state.row_key import KeyState

# On a low screen, as of 1440 x 900 pixels at a zoom of 200 %, the list comes first: no row of it was to be seen.
_BELOW = "@container (max-height: 520px) { :host { order: 1 !important; } }"


class KeyView(PaneView):
    """One line; while other columns are chosen, a second one with the picker."""

    def __init__(self, state: KeyState) -> None:
        super().__init__()
        self.state = state
        self.text = html(styles={"flex": "1 1 260px", "min-width": "0"})
        self.actions = ActionBar(self._act, label="The key of the table")
        self.picker: Any = None
        self.chosen = ActionBar(self._act, label="The columns chosen", actions=[action("use", "Use them", tone="primary", filled=True)])
        self.choice = row(self.chosen, padding="0 0 6px")
        self.choice.visible = False
        self.body = card(row(self.text, self.actions), self.choice, padding="4px 12px", flex="none")
        self.body.stylesheets = [*self.body.stylesheets, _BELOW]
        state.session.param.watch(lambda *_: self._show(), ["draft", "history", "phase"])
        state.param.watch(lambda *_: self._show(), "choosing")
        self._show()

    def _show(self) -> None:
        state, known = self.state, self.state.known
        self.body.visible = known is not None
        if known is None:
            return
        said = f" ({state.said})" if state.said else ""
        self.text.object = tag("p", tag("b", f"Key: {known.title}"), join(f"{said}. {known.why}"), cls="wrap")
        accept = [action("accept", "Accept key", icon=icons.ACCEPT, tone="success", outlined=True)] if known.waits else []
        none = [action("none", "No key", title="Rows are matched by no key")] if known.columns else []
        other = action("other", "Close" if state.choosing else "Other columns", title="Choose the columns of the key")
        self.actions.actions = withheld([*accept, other, *none], state.refusal)
        if state.choosing and self.picker is None:
            self.picker = pmui.MultiChoice(label="Columns of the key", options=state.columns, value=[], margin=0, width=360)
            self.choice.insert(0, self.picker)
        if self.picker is not None and not state.choosing:
            self.picker.param.update(options=state.columns, value=[])
        self.choice.visible = state.choosing

    def _act(self, name: str) -> None:
        state = self.state
        if name == "accept":
            state.accept()
        elif name == "other":
            state.choosing = not state.choosing
        elif name == "none":
            state.choose(())
        elif name == "use" and self.picker is not None and self.picker.value:
            state.choose(self.picker.value)
