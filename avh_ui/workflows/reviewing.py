"""Reviewing: decisions on the suggestions of a pipeline's draft."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from avh_ui.config import Role
from avh_ui.constraints.pattern_constraint import Pattern
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.review.decision import Action, Decision
from avh_ui.review.draft import Draft, apply_decision
from avh_ui.review.repository import ReviewRepository
from avh_ui.workflows.roles import require


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
    chosen = list(dict.fromkeys(ids))
    if not chosen:
        raise UsageError("No suggestion was named.", hint="Give ids, or all of them.")
    if action == "edit":
        if len(chosen) > 1:
            raise UsageError(f"Bounds can be edited of one suggestion at a time, not of {len(chosen)}.")
        lower, upper = _bound(lower, -math.inf), _bound(upper, math.inf)
    elif lower is not None or upper is not None or pattern is not None:
        raise UsageError(f"Bounds and patterns belong to an edit, not to {action!r}.")
    draft = required_draft(reviews, pipeline)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    decisions = [Decision(i, action, by, now, why, lower, upper, pattern=pattern) for i in chosen]
    for decision in decisions:
        apply_decision(draft.item(decision.suggestion_id), decision)
    reviews.record(pipeline, decisions, expected)
    return required_draft(reviews, pipeline)


def required_draft(reviews: ReviewRepository, pipeline: str) -> Draft:
    """The pipeline's draft; `NotFoundError` says how to make one."""
    draft = reviews.draft(pipeline)
    if draft is None:
        raise NotFoundError("draft of pipeline", pipeline, (), hint=f"Make one with `avh suggest {pipeline}`.")
    return draft


def _bound(value: float | None, open_end: float) -> float | None:
    return None if value == open_end else value
