"""The bar above the suggestions: the piles, what accepting the one shown would cost, one key for all of it, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avh_ui.review.difference import difference
from avh_ui.review.triage import DEEDS, NAMES, PILES, Pile
from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.panes import PaneView, card, html, row
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.triaging import TriagingState

_MEANS: dict[Pile, str] = {
    "safe": "Facts that held in every batch they were learned from, each noticing what nothing else does",
    "eyes": "They held in the batches they were learned from; first what may alarm most, then what notices most",
    "redundant": "Others notice all that these do",
    "doubtful": "They broke before, cost too much, or are guesses",
}


class TriageView(PaneView):
    """Two lines: which pile, and what it is about; `on_publish` leads on once everything is decided."""

    def __init__(self, state: TriagingState, on_publish: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.state, self._on_publish = state, on_publish
        self.refusal = state.session.refusal("reviewer", "decide")
        self.piles = ChoiceBar(state.choose, label="Piles of suggestions")
        self.progress = html(sizing_mode=None, styles={"flex": "1 1 160px", "min-width": "0"})
        self.text = html(styles={"flex": "1 1 240px", "min-width": "0"})
        self.actions = ActionBar(self._press, label="The pile shown")
        self.body = card(
            row(self.piles, self.progress), row(self.text, self.actions, min_height="40px"), padding="8px 12px 4px", flex="none"
        )
        state.queue.param.watch(lambda *_: self._show(), ["pile", "visible"])
        state.queue.param.watch(lambda *_: self.text.param.update(object=self._text()), "cursor")
        state.session.param.watch(lambda *_: self._show(), ["draft", "phase", "versions"])
        self._show()

    def _show(self) -> None:
        state, found = self.state, self.state.triage
        self.body.visible = bool(found.groups)
        if not found.groups:
            return
        choices: list[dict[str, Any]] = [
            {"value": name, "label": NAMES[name], "count": len(state.waiting(name)), "title": _MEANS[name]}
            for name in PILES
            if found.pile(name)
        ]
        every = {"value": state.ALL, "label": "All", "title": "Every suggestion by itself"}
        self.piles.param.update(choices=[*choices, every], value=state.pile or state.ALL)
        done = tag("progress", value=found.decided, max=len(found.groups), aria_label="Groups decided", cls="beside")
        self.progress.object = tag("div", done, " ", self._progress(), cls="quiet num wrap", style="text-align: right")
        self.text.object = self._text()
        self.actions.actions = self._offer()

    def _press(self, name: str) -> None:
        if name == "publish":
            self._on_publish()
        elif name == "next":
            self.state.next(waiting=True, after=self.state.pile)
        else:
            self.state.decide()

    def _text(self) -> Markup:
        state = self.state
        if state.pile is None:
            words = "Every suggestion by itself, as it was suggested."
            if not state.triage.left:
                words = self._then
            return tag("p", words, cls="quiet")
        cost = state.cost()
        means = f"{_MEANS[state.pile]}."
        if cost is None:
            return tag("p", means, " ", tag("b", "All of it is decided."), cls="wrap")
        now, then = cost.now, cost.accepted
        became = f"{now.constraints:,} → {count(then.constraints, 'rule')}, {now.alarms} → {then.alarms} false alarms a year"
        return tag("div", tag("p", means, self._why()), tag("p", f"if accepted {became}", cls="quiet num", style="font-size: 12px"))

    def _progress(self) -> str:
        """How far it is; the key below is a decision of its own, which the piles do not count."""
        draft, found = self.state.session.draft, self.state.triage
        waits = draft is not None and draft.run.row_key is not None and draft.run.row_key.waits
        return "everything but the key is decided" if waits and not found.left else found.progress

    def _why(self) -> Markup | None:
        """Why the line looked at is doubtful; of a group its line says it."""
        item = self.state.queue.item
        placed = self.state.triage.placed.get(item.suggestion.id) if item is not None and self.state.pile == "doubtful" else None
        return tag("b", f" This one: {placed.why[:1].lower()}{placed.why[1:]}", cls="wrap") if placed is not None else None

    @property
    def _then(self) -> str:
        """What comes of it once everything is decided."""
        session = self.state.session
        if session.live is not None and not difference(session.draft, session.live).total:
            return f"Version {session.live.version} enforces what is accepted."
        return "What is accepted counts once it is published." if self._publishable else "Nothing is accepted."

    @property
    def _publishable(self) -> bool:
        """Whether something is accepted that the live version does not enforce as it stands."""
        draft, live = self.state.session.draft, self.state.session.live
        if draft is None or not any(item.in_program for item in draft.items):
            return False
        return live is None or bool(difference(draft, live).total)

    def _offer(self) -> list[dict[str, Any]]:
        """The one key of the pile, the pile that waits where all of this one is decided, or the next step after the last decision."""
        if not self.state.triage.left and not self._publishable:
            return []
        if not self.state.triage.left:
            return [action("publish", "Go on to publish", title="Everything is decided ( 6 )", tone="primary", filled=True)]
        pile = self.state.pile
        waiting = 0 if pile is None else len(self.state.waiting(pile))
        if pile is not None and not waiting:
            return [action("next", "Go on to what waits", title="To the next pile that waits ( b )", tone="primary", filled=True)]
        if pile not in DEEDS:
            return []
        does, reason = DEEDS[pile]
        label = f"{'Accept' if does == 'accept' else 'Reject'} all {waiting:,}"
        look: dict[str, Any] = {"tone": "success", "icon": icons.ACCEPT, "filled": True} if does == "accept" else {"icon": icons.REJECT}
        title = f"All of this pile that waits{f', as {reason}' if reason else ''} ( Shift A )"
        return withheld([action("pile", label, title=title, **look)], self.refusal)
