"""Reviewing: decisions on the suggestions of a pipeline's draft, comments on them, and whose they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from avh_ui.config import Role
from avh_ui.constraints.pattern_constraint import Pattern
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.review.decision import Action, Decision
from avh_ui.review.draft import Draft
from avh_ui.review.note import Note
from avh_ui.review.repository import ReviewRepository
from avh_ui.workflows.roles import require

# A comment is a remark and no document; the app shows it whole.
LONGEST_COMMENT = 4_000


def decide(  # noqa: PLR0913 (a decision has these parts)
    reviews: ReviewRepository,
    people: Mapping[str, Role],
    pipeline: str,
    ids: Sequence[str],
    action: Action,
    *,
    by: str,
    why: str = "",
    lower: float | None = None,
    upper: float | None = None,
    pattern: Pattern | None = None,
    expected: dict[str, int] | None = None,
) -> Draft:
    """Record one decision on each suggestion, all or none, and return the draft after it.

    `expected` maps ids to the revisions the decider saw: `ConflictError` when somebody decided meanwhile. `lower` and `upper`, in the
    transform's space, and `pattern` belong to `edit`. `NotPermittedError` unless `by` is reviewer or approver.
    """
    require(by, "reviewer", people, "decide")
    chosen = _chosen(ids)
    if action == "edit":
        if len(chosen) > 1:
            raise UsageError(f"Bounds can be edited of one suggestion at a time, not of {len(chosen)}.")
        lower, upper = _bound(lower, -math.inf), _bound(upper, math.inf)
    elif lower is not None or upper is not None or pattern is not None:
        raise UsageError(f"Bounds and patterns belong to an edit, not to {action!r}.")
    now = _now()
    reviews.record(pipeline, [Decision(i, action, by, now, why, lower, upper, pattern=pattern) for i in chosen], expected)
    return required_draft(reviews, pipeline)


def comment(reviews: ReviewRepository, people: Mapping[str, Role], pipeline: str, ids: Sequence[str], text: str, *, by: str) -> Draft:
    """Say something of suggestions without deciding, and return the draft after it; takes a reviewer, as deciding does."""
    require(by, "reviewer", people, "comment")
    said = text.strip()
    if not said:
        raise UsageError("The comment is empty.", hint="Say something of the suggestion.")
    if len(said) > LONGEST_COMMENT:
        raise UsageError(f"The comment has {len(said):,} characters; {LONGEST_COMMENT:,} are kept.")
    return _noted(reviews, pipeline, [Note(i, "comment", by, _now(), said) for i in _chosen(ids)])


def assign(
    reviews: ReviewRepository,
    people: Mapping[str, Role],
    pipeline: str,
    ids: Sequence[str],
    to: str,
    *,
    by: str,
    expected: dict[str, int] | None = None,
) -> Draft:
    """Say whose suggestions are to decide; '' takes an assignment back. `by` and `to` have to be able to decide.

    `expected` maps ids to the `assigned` that was seen: `ConflictError` when somebody assigned it meanwhile.
    """
    require(by, "reviewer", people, "assign suggestions")
    person = to.strip()
    if person:
        require(person, "reviewer", people, "decide")
    return _noted(reviews, pipeline, [Note(i, "assign", by, _now(), person) for i in _chosen(ids)], expected)


def _noted(reviews: ReviewRepository, pipeline: str, notes: Sequence[Note], expected: dict[str, int] | None = None) -> Draft:
    reviews.note(pipeline, notes, expected)
    return required_draft(reviews, pipeline)


def _chosen(ids: Sequence[str]) -> list[str]:
    chosen = list(dict.fromkeys(ids))
    if not chosen:
        raise UsageError("No suggestion was named.", hint="Give ids, or all of them.")
    return chosen


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def required_draft(reviews: ReviewRepository, pipeline: str) -> Draft:
    """The pipeline's draft; `NotFoundError` says how to make one."""
    draft = reviews.draft(pipeline)
    if draft is None:
        raise NotFoundError("draft of pipeline", pipeline, (), hint=f"Make one with `avh suggest {pipeline}`.")
    return draft


def _bound(value: float | None, open_end: float) -> float | None:
    return None if value == open_end else value
