"""The first steps with a pipeline, each ticked by what the workspace says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from avh_ui.ui.state.coverage import CoverageState
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.trial import TrialState
from avh_ui.workflows.incidents import Incidents


@dataclass(frozen=True)
class FirstStep:
    """One step: the `page` that it is done on, what to do, how far it is in words, and whether it is done."""

    page: str
    label: str
    note: str
    done: bool


class FirstStepsState(Observable):
    """`steps` of the pipeline looked at; empty where they are all done or `dismissed`, and for who may not take them."""

    steps = param.Parameter(())
    dismissed = param.Boolean(False)
    tried = param.Boolean(False, doc="whether somebody at this browser has seen a trial caught, in whatever pipeline")

    def __init__(self, session: SessionState, coverage: CoverageState, trial: TrialState, **params: Any) -> None:
        super().__init__(**params)
        self.session, self._coverage, self._trial = session, coverage, trial
        self._asked, self._alarmed = ("", -1), True
        session.param.watch(lambda *_: self._tell(), ["draft", "versions", "loads", "phase"])
        coverage.param.watch(lambda *_: self._tell(), "coverage")
        trial.param.watch(lambda *_: self._try(), "trial")
        self.param.watch(lambda *_: self._tell(), ["dismissed", "tried"])
        self._tell()

    def _try(self) -> None:
        found = self._trial.trial
        self.tried = self.tried or (found is not None and found.caught)

    def _tell(self) -> None:
        steps = self._found() if self.session.phase == "ready" and not self.dismissed else ()
        self.steps = () if all(step.done for step in steps) or self.session.refusal("reviewer", "decide") else steps

    def _found(self) -> tuple[FirstStep, ...]:
        session, draft = self.session, self.session.draft
        waiting = draft.count("pending") if draft is not None else 0
        decided = len(draft.items) - waiting if draft is not None else 0
        published = bool(session.versions)
        # Trials leave no trace in the workspace; who has seen a run alarm knows what one shows.
        tried = published and (self.tried or self._has_alarmed())
        # Who decided has seen what there is to be decided on, and who published is through with it.
        seen = published or decided > 0 or self._coverage.coverage is not None
        reviewed = published or (decided > 0 and not waiting)
        return (
            FirstStep("coverage", "See what is noticed", "", seen),
            FirstStep("review", "Review", f"{decided:,} of {decided + waiting:,}" if waiting else "", reviewed),
            FirstStep("publish", "Publish", "", published),
            FirstStep("trial", "Break a batch, see it caught", "", tried),
        )

    def _has_alarmed(self) -> bool:
        """Whether a run of the last batches has alarmed; until that is read it is taken to be so, lest a strip comes and goes. It is asked
        again with each load until it is so.
        """
        asked, incidents = (self.session.pipeline, self.session.loads), self.session.services.incidents
        another = asked[0] != self._asked[0]
        if another or (asked != self._asked and not self._alarmed):
            self._asked, self._alarmed = asked, self._alarmed or another
            self.session.attempt(lambda: _alarmed(incidents, asked[0]), lambda found: self._hear(asked, found))
        return self._alarmed

    def _hear(self, asked: tuple[str, int], alarmed: bool) -> None:
        if asked == self._asked and alarmed != self._alarmed:
            self._alarmed = alarmed
            self._tell()


def _alarmed(incidents: Incidents, pipeline: str) -> bool:
    """Whether the run of a batch has alarmed: an incident is read of what did not pass alone, a quarter of what reading the runs takes."""
    return bool(incidents.incidents(pipeline))
