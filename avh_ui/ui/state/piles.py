"""The piles of the draft that the session shows, for its queue: told anew when the draft changes."""

from __future__ import annotations

from collections.abc import Iterable

from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.triage import Triage, triage
from avh_ui.ui.state.grouping import MEANING, PREFIX, QueueGroup
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.calendar import batches_per_year

# By pipeline the piles of the draft that was looked at last: sessions share drafts, and piles of 2,000 suggestions take 60 ms.
_KEPT: dict[str, tuple[Draft, float, Triage]] = {}


def _piles(draft: Draft, per_year: float) -> Triage:
    kept = _KEPT.get(draft.pipeline)
    if kept is None or kept[0] is not draft or kept[1] != per_year:
        kept = _KEPT[draft.pipeline] = (draft, per_year, triage(draft, per_year))
    return kept[2]


class QueuePiles:
    """The triage of the session's draft, as groups of the queue."""

    def __init__(self, session: SessionState) -> None:
        self.session = session
        self._of: Draft | None = None
        self._found = Triage(())

    @property
    def triage(self) -> Triage:
        """The piles of the draft as it stands; none without one."""
        draft = self.session.draft
        if self._of is not draft:
            self._of = draft
            self._found = Triage(()) if draft is None else _piles(draft, batches_per_year(self.session.cadence))
        return self._found

    def within(self, items: list[DraftItem], pile: str) -> list[DraftItem]:
        """The items that are in a pile; all where it is ''."""
        placed = self.triage.placed if pile else {}
        return [item for item in items if placed[item.suggestion.id].pile == pile] if pile else items

    def groups(self, items: Iterable[DraftItem]) -> list[QueueGroup]:
        """The items by their meaning, in the order in which they are to be looked at."""
        shown = {item.suggestion.id for item in items}
        found = []
        for one in self.triage.groups:
            members = tuple(item for item in one.items if item.suggestion.id in shown)
            if members:
                found.append(QueueGroup(f"{PREFIX}{MEANING}:{one.pile}:{one.meant}", one.label, one.why, members))
        return found
