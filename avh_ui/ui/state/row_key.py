"""By which key a table's rows are matched with those of the batch before: accepting what was found, choosing other columns, or none."""

from __future__ import annotations

from collections.abc import Sequence

import param

from avh_ui.config import CONFIG_NAME
from avh_ui.constraints.known_key import KnownKey
from avh_ui.metrics.type_names import MATCHED, SAMPLED
from avh_ui.review.draft import Draft
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import SessionState


class KeyState(Observable):
    """Of the draft that the session shows; `choosing` while other columns are picked."""

    choosing = param.Boolean(False)

    def __init__(self, session: SessionState) -> None:
        super().__init__()
        self.session = session

    @property
    def known(self) -> KnownKey | None:
        """What the draft says of it; None in drafts of earlier releases, or where no source matches rows."""
        draft = self.session.draft
        return None if draft is None else draft.run.row_key

    @property
    def said(self) -> str:
        """Whose word it is."""
        known = self.known
        if known is None or known.waits:
            return "found, waiting for a decision" if known is not None else ""
        return CONFIG_NAME if known.filed else f"said by {known.by}" if known.by else ""

    @property
    def refusal(self) -> str:
        """Why it cannot be changed here; '' where it can."""
        known = self.known
        if known is not None and known.filed:
            return f"{CONFIG_NAME} says it: change it there."
        return self.session.refusal("reviewer", "say what the key is")

    @property
    def columns(self) -> list[str]:
        """The columns that can be part of a key."""
        history = self.session.history
        found = history.columns.values() if history is not None else ()
        return [c.column for c in found if c.present[-1:].any() and c.type not in (MATCHED, SAMPLED) and c.kind != "rows"]

    def accept(self) -> None:
        """Take the key that was found."""
        if self.known is not None and self.known.waits:
            self._say(None)

    def choose(self, columns: Sequence[str]) -> None:
        """Take these columns; none are no key."""
        self._say(list(columns))

    def _say(self, columns: list[str] | None) -> None:
        session, pipeline = self.session, self.session.pipeline

        def done(draft: Draft) -> None:
            known = draft.run.row_key
            self.choosing = False
            title = known.title if known is not None else "no key"
            anew = "" if columns is None else " Suggest anew to go by it."
            session.tell("success", f"Rows are matched by {title}.{anew}")
            session.refresh()

        session.attempt(lambda: session.services.suggestions.say_key(pipeline, columns, by=session.actor), done)
