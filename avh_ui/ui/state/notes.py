"""What people say of suggestions, and whose they are to decide: for the ticked ones, the group or the one looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avh_ui.review.draft import Draft
from avh_ui.review.note import Note
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState


class NotesState(Observable):
    """Commands alone: what was said stands in the draft. Assigning is locked as decisions are; a comment takes nothing from anybody."""

    def __init__(self, session: SessionState, queue: QueueState, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.queue = session, queue

    @property
    def comments(self) -> tuple[Note, ...]:
        """Of the item looked at, oldest first."""
        item = self.queue.item
        return item.comments if item else ()

    @property
    def assignee(self) -> str:
        """Whose the item looked at is to decide; '' is nobody's."""
        item = self.queue.item
        return item.assignee if item else ""

    @property
    def people(self) -> list[str]:
        """To whom it can be assigned, the person of this session first: those of avh.yml, else everybody who is known here."""
        session = self.session
        named = session.services.people.deciders()
        if named:
            known = set(named)
        else:
            items = session.draft.items if session.draft is not None else ()
            known = {name for i in items for name in (i.decided_by, i.assignee, *(n.by for n in i.comments)) if name} | {session.actor}
        return sorted(known, key=lambda name: (name != session.actor, name.casefold()))

    def comment(self, text: str) -> bool:
        """Say something of the targets, without deciding. Whether it was kept."""
        ids = self.queue.targets
        if not text.strip() or not ids:
            return False
        if not self._write(lambda: self.session.services.suggestions.comment(self.session.pipeline, ids, text, by=self.session.actor)):
            return False
        self.session.said = f"Commented on {count(len(ids), 'suggestion')}"
        return True

    def assign(self, person: str) -> bool:
        """Make the targets somebody's to decide; '' nobody's. Whether it was kept."""
        session, draft, ids = self.session, self.session.draft, self.queue.targets
        if draft is None or not ids:
            return False
        chosen = set(ids)
        seen = {item.suggestion.id: item.assigned for item in draft.items if item.suggestion.id in chosen}
        if not self._write(lambda: session.services.suggestions.assign(session.pipeline, ids, person, by=session.actor, expected=seen)):
            return False
        what = count(len(ids), "suggestion")
        session.said = f"Assigned {what} to {person}" if person.strip() else f"{what[:1].upper()}{what[1:]}: nobody's now"
        return True

    def _write(self, write: Callable[[], Draft]) -> bool:
        return self.session.record(lambda: setattr(self.session, "draft", write()), " The list has been refreshed.")
