"""Lasting changes of the table that nobody has answered, and the answer that one is the new normal."""

from __future__ import annotations

import param

from avh_ui.review.feedback import Feedback
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.lasting import Lasting


class LastingState(Observable):
    """`changes` are those of the pipeline that the session shows, the newest first; empty until they are told."""

    changes = param.Parameter((), doc="a tuple of `Lasting`")

    def __init__(self, session: SessionState) -> None:
        super().__init__()
        self.session = session
        self._asked = 0
        session.param.watch(lambda *_: self._read(), ["history", "pipeline"])
        self._read()

    @property
    def refusal(self) -> str:
        """Why this person may not answer; '' for who may."""
        return self.session.refusal("reviewer", "say that a change is expected")

    def _read(self) -> None:
        """Look for them, away from the event loop; only the newest question's answer is shown."""
        self._asked += 1
        asked, session, pipeline = self._asked, self.session, self.session.pipeline

        def done(found: tuple[Lasting, ...]) -> None:
            if asked == self._asked:
                self.changes = found

        if session.history is None or not pipeline:
            self.changes = ()
        else:
            # What cannot be told is not asked: the page says elsewhere why the history cannot be read.
            session.attempt(lambda: session.services.suggestions.lasting(pipeline), done, lambda _: done(()))

    def expect(self, change: Lasting) -> None:
        """Say that a change is the new normal."""
        session = self.session

        def done(_: Feedback) -> None:
            session.tell("success", f"The history begins anew with {change.since}. Suggest anew to go by it.")
            session.refresh()

        column = change.column or None
        session.attempt(lambda: session.services.runs.expect(change.pipeline, column, change.since, by=session.actor), done)
