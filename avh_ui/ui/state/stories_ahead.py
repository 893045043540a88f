"""The sentences that the pages of incidents begin with, read ahead for their list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avh_ui.ui.state.incident_story import story_of
from avh_ui.ui.state.session import SessionState

# Of so many incidents the list begins as their pages do: a story takes up to a second to read.
NEWEST = 8


class StoriesAhead:
    """Reads the stories of the newest incidents, one after the other: that a column slipped or two were exchanged no rule says, and the
    list would tell what a rule says. `waiting` gives the ids of those that are to be read, `on` is called with one and its sentence.
    """

    def __init__(self, session: SessionState, waiting: Callable[[], Sequence[str]], on: Callable[[str, str], object]) -> None:
        self._session, self._waiting, self._on, self._busy = session, waiting, on, False

    def read(self) -> None:
        """Read the next one, and so on; nothing while one is read."""
        session, pipeline, waiting = self._session, self._session.pipeline, self._waiting()
        if not waiting or self._busy:
            return
        name, self._busy = waiting[0], True

        def adopt(begun: str) -> None:
            self._busy = False
            if session.pipeline == pipeline:
                self._on(name, begun)
                self.read()

        services, history = session.services, session.history
        session.attempt(lambda: story_of(services, pipeline, name, history).begun, adopt, lambda _: adopt(""))
