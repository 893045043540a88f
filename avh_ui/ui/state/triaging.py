"""What the triage bar is about: which pile is shown, what it would cost to accept, and one decision on all of it."""

from __future__ import annotations

from typing import Any, cast

from avh_ui.review.triage import DEEDS, NAMES, PILES, Pile, Triage
from avh_ui.ui.state.budget import BudgetPreview, preview
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.grouping import MEANING
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.session import SessionState


class TriagingState:
    """The piles of the queue, and their commands. `ALL` stands for no pile: every suggestion by itself."""

    ALL = "all"

    def __init__(self, session: SessionState, queue: QueueState, decisions: Decisions) -> None:
        self.session, self.queue, self.decisions = session, queue, decisions
        self._begun = ""

    @property
    def triage(self) -> Triage:
        """The piles as they stand."""
        return self.queue.piles.triage

    @property
    def pile(self) -> Pile | None:
        """The pile that is shown."""
        return cast("Pile", self.queue.pile) if self.queue.pile in PILES else None

    def begin(self, wanted: str = "") -> None:
        """The page is shown: the pile that an address names, else on a first visit the first with anything to decide."""
        first = self._begun != self.session.pipeline
        self._begun = self.session.pipeline
        if wanted:
            self.choose(wanted)
        elif first:
            self.next(waiting=True, after=None)

    def choose(self, pile: str) -> None:
        """Show a pile, its rules of one meaning together; anything else shows all suggestions, one by one."""
        queue, known = self.queue, pile in PILES
        queue.clear()
        queue.param.update(pile=pile if known else "", group=MEANING if known else "", sort="", opened=frozenset())
        if queue.lines and known:
            queue.go(next(filter(queue.waits, queue.lines), queue.lines[0]))

    def next(self, *, waiting: bool = False, after: Pile | None = None) -> None:
        """The pile after one, of those that have anything (anything `waiting`); after the last all suggestions."""
        order = [name for name in PILES if any(group.open or not waiting for group in self.triage.pile(name))]
        rest = [name for name in order if after is None or PILES.index(name) > PILES.index(after)]
        # What is left in piles before comes before all suggestions.
        self.choose(next(iter(rest or (order if waiting else [])), self.ALL))

    def turn(self) -> None:
        """The next pile."""
        self.next(after=self.pile)

    def waiting(self, pile: Pile) -> list[Any]:
        """What is pending in a pile."""
        return [item for item in self.triage.items(pile) if item.status == "pending"]

    def cost(self) -> BudgetPreview | None:
        """What accepting what waits in the pile shown would do to the program; None where nothing is shown or waits."""
        draft, pile = self.session.draft, self.pile
        waiting = self.waiting(pile) if pile is not None else []
        if draft is None or not waiting:
            return None
        return preview(draft, [item.suggestion.id for item in waiting], self.session.cadence)

    def decide(self) -> None:
        """Do what the pile shown is for, with all that waits in it; then on to the next with anything to decide."""
        pile = self.pile
        if pile is None or pile not in DEEDS:
            self.session.said = f"“{NAMES[pile]}” is decided group by group" if pile is not None else "Choose a pile first ( b )"
            return
        action, reason = DEEDS[pile]
        waiting = self.waiting(pile)
        if not waiting:
            self.session.said = "Nothing in this pile waits for a decision"
            return
        self.queue.checked = ()
        if self.decisions.decide_all(action, waiting, reason):
            self.next(waiting=True, after=pile)
