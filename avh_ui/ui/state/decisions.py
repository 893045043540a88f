"""Deciding: accept, reject, edit, reopen and undo, with the lock that no other person's decision is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import param

from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.errors import AvhError, ConflictError
from avh_ui.review.decision import Action
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState

DONE: dict[Action, str] = {"accept": "Accepted", "reject": "Rejected", "edit": "Saved the edit of", "reset": "Reopened"}
# Which decision brings a status back.
BACK: dict[str, Action] = {"pending": "reset", "accepted": "accept", "rejected": "reject", "edited": "edit"}


# What an edit changes: lower and upper bound, and the pattern.
Edit = tuple[float | None, float | None, Pattern | None]
NO_EDIT: Edit = (None, None, None)


@dataclass(frozen=True)
class Step:
    """One decision that can be undone: the items before it, and the revisions it left."""

    before: tuple[DraftItem, ...]
    revisions: dict[str, int]


class Decisions(Observable):
    """The commands of the review page. Every one is recorded at once; undo is a new decision that restores what was."""

    can_undo = param.Boolean(False)

    def __init__(self, session: SessionState, queue: QueueState, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.queue = session, queue
        self._steps: list[Step] = []
        session.param.watch(self._forget, "pipeline")

    def _forget(self, *_: Any) -> None:
        self._steps.clear()
        self.can_undo = False

    def accept(self, ids: Sequence[str] = ()) -> None:
        """Accept the ticked items, else the one looked at. Edited ones are in the program already and keep their bounds."""
        self._decide("accept", ids, lambda item: not item.in_program)

    def reject(self, ids: Sequence[str] = ()) -> None:
        """Reject the ticked items, else the one looked at."""
        self._decide("reject", ids, lambda item: item.status != "rejected")

    def reopen(self, ids: Sequence[str] = ()) -> None:
        """Back to pending, with the suggested bounds."""
        self._decide("reset", ids, lambda item: item.status != "pending")

    def edit(self, suggestion_id: str, lower: float | None, upper: float | None) -> bool:
        """Put an item into the program with these bounds; the suggested ones make it an acceptance. Whether it was kept."""
        item = self._item(suggestion_id)
        if item is None:
            return False
        suggested = item.suggestion.constraint
        if (lower, upper) == (suggested.lower, suggested.upper):
            return self._record("accept", [item])
        return self._record("edit", [item], lower, upper, _other_pattern(item))

    def take_pattern(self, suggestion_id: str, pattern: Pattern) -> bool:
        """Put another pattern in the place of the suggested one; that one itself is an acceptance. Whether it was kept."""
        item = self._item(suggestion_id)
        if item is None or not isinstance(item.suggestion.constraint, PatternConstraint):
            return False
        if pattern.regex == item.suggestion.constraint.pattern.regex:
            return self._record("accept", [item])
        return self._record("edit", [item], pattern=pattern)

    def undo(self) -> None:
        """Take back this session's last decision that still stands."""
        if not self._steps:
            self.session.said = "Nothing to undo in this session"
            return
        step = self._steps.pop()
        self.can_undo = bool(self._steps)
        revisions = dict(step.revisions)
        for items, action, edit in _restoring(step.before):
            ids = [item.suggestion.id for item in items]
            if not self._write(ids, action, edit, {i: revisions[i] for i in ids}):
                return
        self._restored(step.before)
        self.session.said = f"Undone: {self._names(step.before)} as before"
        self.queue.reveal(step.before[0].suggestion.id)

    def _restored(self, before: tuple[DraftItem, ...]) -> None:
        """The restored items are as an earlier step left them, under a new revision: that step can still be undone."""
        for item in before:
            for step in self._steps:
                if step.revisions.get(item.suggestion.id) == item.revision:
                    step.revisions[item.suggestion.id] = self._revision(item.suggestion.id)

    def _decide(self, action: Action, ids: Sequence[str], wanted: Any) -> None:
        chosen = list(ids) or list(self.queue.checked) or [self.queue.cursor]
        items = [item for item in map(self._item, chosen) if item is not None]
        changing = [item for item in items if wanted(item)]
        if changing:
            self._record(action, changing)
        elif items:
            self.session.said = f"{self._names(tuple(items))}: {items[0].status} already"
            self.queue.checked = ()
            self._advance(items[-1].suggestion.id, self.queue.visible)

    def _record(
        self,
        action: Action,
        items: list[DraftItem],
        lower: float | None = None,
        upper: float | None = None,
        pattern: Pattern | None = None,
    ) -> bool:
        ids, order = [item.suggestion.id for item in items], self.queue.visible
        if not self._write(ids, action, (lower, upper, pattern), {item.suggestion.id: item.revision for item in items}):
            return False
        self._steps.append(Step(tuple(items), {i: self._revision(i) for i in ids}))
        self.can_undo = True
        text = f"{DONE[action]} {self._names(tuple(items))}"
        self.session.said = f"{text} · u undoes"
        if len(items) > 1:
            self.session.tell("success", text)
        self.queue.checked = ()
        if action != "reset":
            self._advance(ids[-1], order)
        return True

    def _write(self, ids: list[str], action: Action, edit: Edit, expected: dict[str, int]) -> bool:
        session, (lower, upper, pattern) = self.session, edit
        try:
            draft: Draft = session.door.decide(
                session.pipeline, ids, action, by=session.actor, lower=lower, upper=upper, pattern=pattern, expected=expected
            )
        except ConflictError as error:
            session.tell("warning", f"Not recorded: {error} The list has been refreshed; look again and decide.")
            session.refresh()
            return False
        except AvhError as error:
            session.tell("error", str(error))
            return False
        session.draft = draft
        return True

    def _advance(self, suggestion_id: str, order: tuple[str, ...]) -> None:
        """On to the next pending item of the order as it was shown; where none is left, stay."""
        place = order.index(suggestion_id) + 1 if suggestion_id in order else 0
        following = self.queue.next_pending(place, order)
        if following:
            self.queue.go(following)
        elif self.session.draft is not None and not self.session.draft.count("pending"):
            self.session.said += " · everything is decided"

    def _item(self, suggestion_id: str) -> DraftItem | None:
        draft = self.session.draft
        return None if draft is None else draft.by_id.get(suggestion_id)

    def _revision(self, suggestion_id: str) -> int:
        item = self._item(suggestion_id)
        return item.revision if item else 0

    @staticmethod
    def _names(items: tuple[DraftItem, ...]) -> str:
        if len(items) == 1:
            return f"{items[0].current.metric} of {items[0].current.column}"
        return count(len(items), "suggestion")


def _restoring(before: tuple[DraftItem, ...]) -> list[tuple[list[DraftItem], Action, Edit]]:
    """The decisions that bring items back: one per former status, and one per edited item, since these are edited one by one."""
    made: list[tuple[list[DraftItem], Action, Edit]] = []
    for status in ("pending", "accepted", "rejected"):
        items = [item for item in before if item.status == status]
        if items:
            made.append((items, BACK[status], NO_EDIT))
    for item in before:
        if item.status == "edited":
            current = item.current
            tested = isinstance(current, PatternConstraint) and bool(current.significance)
            bounds = (None, None) if tested else (current.lower, current.upper)
            made.append(([item], "edit", (*bounds, _other_pattern(item))))
    return made


def _other_pattern(item: DraftItem) -> Pattern | None:
    """The pattern that stands in the place of the suggested one."""
    now, suggested = item.current, item.suggestion.constraint
    if isinstance(now, PatternConstraint) and isinstance(suggested, PatternConstraint) and now.pattern != suggested.pattern:
        return now.pattern
    return None
