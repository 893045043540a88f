"""The port to where suggestion runs and decisions are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from avh_ui.errors import NotFoundError
from avh_ui.review.audit import AuditEntry, Chain
from avh_ui.review.decision import Decision
from avh_ui.review.draft import Draft
from avh_ui.review.note import Note
from avh_ui.review.suggestion import SuggestionRun


class ReviewRepository(Protocol):
    """Drafts per pipeline and the append-only logs of decisions and notes. Every call is one transaction."""

    @property
    def read_only(self) -> str:
        """Why it can only be read, in a sentence; '' where it can be written, by now."""
        ...

    def save_run(self, run: SuggestionRun) -> None:
        """Make the run the pipeline's draft. Decisions on suggestions with the same id and equal bounds carry over."""
        ...

    def amend(self, pipeline: str, change: Callable[[Draft | None], SuggestionRun]) -> None:
        """As `save_run`, with the run that is made of the current draft: nobody changes that meanwhile. What `change` raises undoes it."""
        ...

    def draft(self, pipeline: str) -> Draft | None:
        """The current draft, or None when nothing was suggested yet."""
        ...

    def mark(self, pipeline: str) -> str:
        """What differs once anything more was written of the pipeline, feedback too; '' where nothing was."""
        ...

    def held(self, pipeline: str) -> AbstractContextManager[Draft | None]:
        """The current draft, which nobody can change until the block ends: what follows from it is written in there."""
        ...

    def record(self, pipeline: str, decisions: Sequence[Decision], expected: dict[str, int] | None = None) -> list[Decision]:
        """Append decisions, all or none, and return them numbered.

        `expected` maps suggestion id to the revision the decider saw; `ConflictError` when somebody decided meanwhile.
        """
        ...

    def trail(self, pipeline: str, limit: int = 1_000) -> list[AuditEntry]:
        """The newest drafts, decisions and notes of all suggestion runs, for the audit log: at most `limit` of each, oldest first."""
        ...

    def chain(self, pipeline: str) -> Chain:
        """The order in which runs, decisions, notes and feedback were written, and the last link of the hash chain over them."""
        ...

    def check_audit(self, pipeline: str, anchors: Sequence[tuple[int, str]] = ()) -> list[str]:
        """What is wrong with the audit log, in sentences: entries changed, deleted or put in, and links of `anchors` that are gone.

        `anchors` are (version, link) of published programs; a log that holds nothing of the pipeline is not held against them.
        """
        ...

    def note(self, pipeline: str, notes: Sequence[Note], expected: dict[str, int] | None = None) -> list[Note]:
        """Append notes about suggestions of the draft, all or none, and return them numbered. They stay with a suggestion over all runs.

        `expected` maps suggestion id to the `assigned` that the assigner saw; `ConflictError` when somebody assigned it meanwhile.
        """
        ...

    def log(self, pipeline: str) -> list[Decision]:
        """Every decision of the current draft, oldest first."""
        ...


def required_draft(reviews: ReviewRepository, pipeline: str) -> Draft:
    """The pipeline's draft; `NotFoundError` says how to make one."""
    draft = reviews.draft(pipeline)
    if draft is None:
        raise NotFoundError("draft of pipeline", pipeline, (), hint=f"Make one with `avh suggest {pipeline}`.")
    return draft
