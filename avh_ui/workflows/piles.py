"""Deciding in piles: the triage of drafts, and one decision on all that waits in a pile, over one table or all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from avh_ui.config import Config
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.review.decision import Action, Reason
from avh_ui.review.draft import Draft
from avh_ui.review.triage import DEEDS, NAMES, PILES, Pile, Triage, over_tables, triage
from avh_ui.workflows.calendar import batches_per_year
from avh_ui.workflows.expected import expected_alarms
from avh_ui.workflows.suggestions import Suggestions


@dataclass(frozen=True)
class PileBudget:
    """What accepting what waits in a pile would do to a table's program: how many `rules` it adds to `now`, and its false alarms a year."""

    pipeline: str
    rules: int
    now: int
    alarms: float
    after: float

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"{self.pipeline}: {self.rules} more rules make {self.now + self.rules}; "
            f"false alarms a year {self.alarms:.2g} → {self.after:.2g}, at most."
        )


class Piles:
    """The piles of each pipeline's draft. Looking is free, deciding takes a reviewer."""

    def __init__(self, config: Config, suggestions: Suggestions, cadence: Callable[[str], str]) -> None:
        self._config, self._suggestions, self._cadence = config, suggestions, cadence

    def triage(self, *pipelines: str) -> Triage:
        """The piles of these pipelines' drafts, what means the same in all of them as one group; of all that have a draft by default.

        `NotFoundError` where one that is named has none.
        """
        named = pipelines or tuple(self._config.pipelines)
        drafts = [self._suggestions.required(name) if pipelines else self._suggestions.draft(name) for name in named]
        found = [self._of(draft) for draft in drafts if draft is not None]
        return found[0] if len(found) == 1 else over_tables(found)

    def _of(self, draft: Draft) -> Triage:
        return triage(draft, batches_per_year(self._cadence(draft.pipeline)))

    def budget(self, pile: Pile, pipeline: str) -> PileBudget:
        """What accepting all that waits in the pile would cost."""
        draft, cadence = self._suggestions.required(pipeline), self._cadence(pipeline)
        waiting = [item.current for item in self._of(draft).items(pile) if item.status == "pending"]
        now = draft.accepted()
        alarms = [expected_alarms(some, cadence) for some in (now, (*now, *waiting))]
        return PileBudget(draft.pipeline, len(waiting), len(now), *alarms)

    def decide_pile(
        self,
        pile: Pile,
        *pipelines: str,
        action: Action | None = None,
        reason: Reason | None = None,
        by: str | None = None,
        why: str = "",
    ) -> dict[str, Sequence[str]]:
        """Decide all that waits in a pile, in each pipeline at once, and return the ids that were decided by pipeline.

        `action` is that of the pile by default: what is safe is accepted, what is redundant rejected as a duplicate; `UsageError` for a
        pile that has none. What somebody else decides meanwhile is not overridden: `ConflictError`.
        """
        if pile not in PILES:
            raise NotFoundError("pile", pile, PILES)
        if action is None:
            if pile not in DEEDS:
                raise UsageError(f"{NAMES[pile]!r} is not decided as a whole.", hint="Say what is to be done with it: accept or reject.")
            action, own = DEEDS[pile]
            reason = reason or own
        done: dict[str, Sequence[str]] = {}
        for name in pipelines or tuple(self._config.pipelines):
            draft = self._suggestions.required(name) if pipelines else self._suggestions.draft(name)
            waiting = {} if draft is None else self._waiting(draft, pile)
            if waiting:
                self._suggestions.decide(name, list(waiting), action, by=by, why=why, reason=reason, expected=waiting)
                done[name] = tuple(waiting)
        return done

    def _waiting(self, draft: Draft, pile: Pile) -> dict[str, int]:
        """By id the revisions of what is pending in a pile."""
        return {item.suggestion.id: item.revision for item in self._of(draft).items(pile) if item.status == "pending"}
