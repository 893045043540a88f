"""The ladder of a suggested pattern: its alternatives, which one is looked at, and a regex typed by hand, tried at once."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.constraints.evidence import Rung
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.errors import AvhError
from avh_ui.metrics.regexes import body_of
from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.observable import Observable
from avh_ui.workflows.pattern_trying import PatternTrial


def rungs_of(item: DraftItem) -> tuple[Rung, ...]:
    """The rungs that the suggestion carries, from the most specific to the most general."""
    ladder = item.suggestion.evidence.ladder
    return () if ladder is None else ladder.rungs


class LadderState(Observable):
    """`rungs` of the item looked at (none where it is no pattern), the `typed` regex, its `trial`, and what is wrong with it."""

    rungs = param.Parameter(())
    typed = param.String("")
    trial = param.Parameter(None)
    problem = param.String("")

    def __init__(self, evidence: EvidenceState, **params: Any) -> None:
        super().__init__(**params)
        self.evidence = evidence
        evidence.param.watch(self._look, "item")
        self._look()

    def _look(self, *_: Any) -> None:
        item = self.evidence.item
        current = None if item is None else item.current
        if item is None or not isinstance(current, PatternConstraint):
            self.param.update(rungs=(), typed="", trial=None, problem="")
            return
        self.param.update(rungs=rungs_of(item), typed=body_of(current.pattern.regex), trial=None, problem="")

    @property
    def current(self) -> Pattern | None:
        """The pattern as it stands."""
        item = self.evidence.item
        return item.current.pattern if item is not None and isinstance(item.current, PatternConstraint) else None

    def choose(self, at: int) -> None:
        """Take a rung: the suggested one is an acceptance, another an edit."""
        if 0 <= at < len(self.rungs):
            self._take(self.rungs[at].pattern)

    def type(self, text: str) -> None:
        """Try a regex on the history; `problem` says what is wrong with it."""
        item, session = self.evidence.item, self.evidence.session
        if item is None or text == self.typed:
            return
        try:
            trial: PatternTrial | None = session.services.suggestions.try_pattern(session.pipeline, item.suggestion.id, text)
        except AvhError as error:
            self.param.update(typed=text, trial=None, problem=str(error))
            return
        self.param.update(typed=text, trial=trial, problem="")

    def save(self) -> None:
        """Record the regex that was tried."""
        if self.trial is None:
            self.evidence.session.said = "There is no edit to save"
            return
        self._take(self.trial.pattern)

    def _take(self, pattern: Pattern) -> None:
        item = self.evidence.item
        if item is not None:
            self.evidence.decisions.take_pattern(item.suggestion.id, pattern)
