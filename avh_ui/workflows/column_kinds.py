"""What the columns of a draft are: as commands and pages tell it, and put right by a person."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from avh_ui.config import CONFIG_NAME, ColumnKind, Pipeline
from avh_ui.constraints.column_kind import KnownKind
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.inference.kinds.declarations import declaration_of
from avh_ui.review.draft import Draft
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.workflows.stated_drafts import now


def kind_record(draft: Draft, column: str, metric: str) -> dict[str, Any] | None:
    """What a column is, why, and what a metric says of such a column (None where it says nothing known); None where no run says it."""
    known = draft.run.kinds.get(column)
    if known is None:
        return None
    declared = declaration_of(known)
    said = None if declared is None else declared.metrics.get(metric)
    return {"kind": known.kind, "why": known.why, "corrected": known.corrected, "means": said}


def picked(draft: Draft | None) -> dict[str, KnownKind]:
    """What people said of columns, by their names: what the next suggestions go by."""
    return {} if draft is None else {name: known for name, known in draft.run.kinds.items() if known.by}


def with_kind(pipeline: Pipeline, draft: Draft, column: str, kind: str, by: str) -> SuggestionRun:
    """The draft's run with what somebody says that a column is; '' takes it back, and the next suggestions find it anew.

    `NotFoundError` for an unknown column or kind, `UsageError` where avh.yml says it.
    """
    if column not in draft.run.kinds:
        raise NotFoundError(f"column in the draft of {pipeline.name!r} whose kind is known", column, draft.run.kinds)
    if kind and kind not in get_args(ColumnKind):
        raise NotFoundError("kind of columns", kind, get_args(ColumnKind))
    if column in pipeline.kinds:
        raise UsageError(f"{CONFIG_NAME} says that {column!r} is {pipeline.kinds[column]!r}.", hint="Change it there.")
    known = draft.run.kinds[column]
    if not kind:
        said, now_is = "as its values say", replace(known, corrected=False, by="", why="the next suggestions find it anew")
    else:
        said, now_is = kind, KnownKind(kind, f"{by} said so", corrected=True, by=by)
    kinds = {**draft.run.kinds, column: now_is}
    return replace(draft.run, kinds=kinds, created_at=now(), stated_by=by, added=(), removed=(), said_kind=f"{column}: {said}", said_key="")
