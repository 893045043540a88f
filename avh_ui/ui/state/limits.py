"""How far bounds that follow the history may go before a person is asked: the limits of the suggestion looked at, to be set."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.ui.state.bounds_input import parse_bound, rounded
from avh_ui.ui.state.evidence import Bounds, EvidenceState
from avh_ui.ui.state.observable import Observable


class LimitsState(Observable):
    """`limits` are those in the form, in the constraint's space, None on a side without; `problem` says what is wrong with them."""

    limits = param.Parameter((None, None))
    problem = param.String("")

    def __init__(self, evidence: EvidenceState, **params: Any) -> None:
        super().__init__(**params)
        self.evidence = evidence
        self._warned: tuple[str, Bounds] = "", (None, None)
        evidence.param.watch(self._look, "item")
        self._look()

    def _look(self, *_: Any) -> None:
        self.param.update(limits=self.standing, problem="")

    @property
    def offered(self) -> bool:
        """Whether the bounds that were suggested follow the history."""
        item = self.evidence.item
        return item is not None and item.suggestion.constraint.recipe is not None

    @property
    def standing(self) -> Bounds:
        """The limits as they stand decided; of an edit that gave bounds which stay, those that were suggested."""
        item = self.evidence.item
        found = None if item is None else item.limits or item.suggestion.constraint.limits
        return found or (None, None)

    @property
    def dirty(self) -> bool:
        """Whether saving would change anything."""
        item = self.evidence.item
        fixed = item is not None and item.status == "edited" and item.limits is None
        return self.offered and (fixed or self.limits != self.standing)

    def text(self, side: int) -> str:
        """The number in one input, with the digits that matter; '' for no limit."""
        value = self.limits[side]
        known = [abs(limit) for limit in self.limits if limit]
        return "" if value is None else f"{rounded(value, max(known, default=1.0)):.12g}"

    def type(self, lower: str, upper: str, *, of: str) -> bool:
        """Read what was typed in both inputs while they showed the item `of`; `problem` says what is wrong. Whether it makes limits."""
        item = self.evidence.item
        if item is None or of != item.suggestion.id:
            self.evidence.session.said = "The limits were typed for another suggestion, and are dropped"
            return False
        suggested, typed = item.suggestion.constraint, (lower, upper)
        try:
            share = self.evidence.reader.of_share
            low, high = (
                self.limits[side] if text.strip() == self.text(side) else parse_bound(text, suggested.transform, of_share=share)
                for side, text in enumerate(typed)
            )
            suggested.limited(low, high)
        except ValueError as error:
            self.problem = f"{str(error)[:1].upper()}{str(error)[1:].rstrip('.')}."
            return False
        if low is None and high is None:
            self.problem = "Without a limit it would learn a slow loss: give at least one."
            return False
        self.param.update(limits=(low, high), problem="")
        return True

    def save(self, *, stay: bool = False) -> None:
        """Record the limits; of those that today's normal is outside of, the first time only say so. `stay` as in `Decisions.edit`."""
        item, session = self.evidence.item, self.evidence.session
        if item is None or not self.dirty:
            session.said = "The limits are those that stand"
            return
        asked, tried = (item.suggestion.id, self.limits), self.evidence.trial_of(self.limits)
        if self._warned != asked and tried is not None and (warning := tried.warning):
            self._warned, self.problem = asked, f"{warning} Save again to keep them so."
            return
        self.evidence.decisions.limit(item.suggestion.id, self.limits, item.revision, stay=stay)
