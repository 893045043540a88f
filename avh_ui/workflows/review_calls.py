"""The calls of a workspace that are about the suggestions of a draft: what stands decided, deciding, commenting and assigning."""

from __future__ import annotations

from collections.abc import Sequence

from avh_ui.config import Config, Pipeline, Role
from avh_ui.constraints.pattern_constraint import Pattern
from avh_ui.review.decision import Action, Decision
from avh_ui.review.draft import Draft
from avh_ui.review.repository import ReviewRepository
from avh_ui.workflows import reviewing, roles


class Reviewing:
    """Part of `Workspace`. `actor` is who acts when no `by` is given."""

    def __init__(self, config: Config, reviews: ReviewRepository, actor: str) -> None:
        self.config, self.actor = config, actor
        self._reviews = reviews

    def pipeline(self, name: str) -> Pipeline:
        """One pipeline's settings; `NotFoundError` names the nearest."""
        return self.config.pipeline(name)

    def refusal(self, needed: Role, action: str, *, by: str | None = None) -> str:
        """Why somebody may not do what takes a role, in a sentence; '' for who may."""
        return str(roles.refused(by or self.actor, needed, self.config.people, action) or "")

    @property
    def read_only(self) -> str:
        """Why nothing can be decided or recorded here, in a sentence: a disk that is full or read-only; '' otherwise."""
        return self._reviews.read_only

    def draft(self, pipeline: str) -> Draft | None:
        """The current draft; None before the first `suggest`."""
        return self._reviews.draft(self.pipeline(pipeline).name)

    def decisions(self, pipeline: str) -> list[Decision]:
        """Every decision on the current draft, oldest first."""
        return self._reviews.log(self.pipeline(pipeline).name)

    def decide(  # noqa: PLR0913 (a decision has these parts)
        self,
        pipeline: str,
        ids: Sequence[str],
        action: Action,
        *,
        by: str | None = None,
        why: str = "",
        lower: float | None = None,
        upper: float | None = None,
        pattern: Pattern | None = None,
        expected: dict[str, int] | None = None,
    ) -> Draft:
        """Accept, reject, edit or reset suggestions; see `workflows.reviewing.decide`."""
        people, name, edit = self.config.people, self.pipeline(pipeline).name, {"lower": lower, "upper": upper, "pattern": pattern}
        return reviewing.decide(self._reviews, people, name, ids, action, by=by or self.actor, why=why, expected=expected, **edit)  # type: ignore[arg-type]

    def comment(self, pipeline: str, ids: Sequence[str], text: str, *, by: str | None = None) -> Draft:
        """Say something of suggestions without deciding; see `workflows.reviewing.comment`."""
        return reviewing.comment(self._reviews, self.config.people, self.pipeline(pipeline).name, ids, text, by=by or self.actor)

    def assign(self, pipeline: str, ids: Sequence[str], to: str, *, by: str | None = None, expected: dict[str, int] | None = None) -> Draft:
        """Say whose suggestions are to decide; see `workflows.reviewing.assign`."""
        name, people = self.pipeline(pipeline).name, self.config.people
        return reviewing.assign(self._reviews, people, name, ids, to, by=by or self.actor, expected=expected)

    def deciders(self) -> list[str]:
        """Whom avh.yml lets decide, by name; empty where it names nobody, and everybody may."""
        return sorted(name for name in self.config.people if roles.may(name, "reviewer", self.config.people))
