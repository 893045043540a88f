"""Making what a what-if programmed the draft, as `suggest` would have with those settings, without Spark or data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.review.draft import Draft
from avh_ui.review.suggestion import Settings, SuggestionRun
from avh_ui.workflows.reprogramming import WhatIf
from avh_ui.workflows.suggesting import budget, suggestions_of

if TYPE_CHECKING:
    from avh_ui.inference.by_history.reprogramming import ColumnResult


def pattern_share(draft: Draft) -> float:
    """What a draft's patterns, and the measures that were asked for, take of a table's budget, as a share of batches."""
    constraints = [item.suggestion.constraint for item in draft.items]
    return math.fsum(c.fpr for c in constraints if c.origin == "corpus" or (c.origin == "history" and not c.measure.standard))


def adopted(
    pipeline: Pipeline, draft: Draft, results: Sequence[ColumnResult], change: WhatIf, by: str, measured: Sequence[str]
) -> SuggestionRun:
    """The run that the results of all columns make: suggestions by history are theirs, the others stay those of the draft, measures that
    were asked for among them.

    What was changed, by whom, and which of the batches `measured` were left out, is kept with it.
    """
    left_out = [out for out in draft.run.left_out if out["column"] not in {r.column for r in results}]
    left_out += [out for result in results for out in result.reasons]
    kept = [item.suggestion for item in draft.items]
    others = [s for s in kept if s.constraint.origin != "history" or not s.constraint.measure.standard]
    longest = max((r.prepared.batches for r in results if r.prepared is not None), key=len, default=())
    share = change.table_fpr / max(len(results), 1) if change.table_fpr is not None else budget(pipeline, change.fpr, len(results))
    return SuggestionRun(
        pipeline=pipeline.name,
        suggestions=tuple(suggestions_of(pipeline, [p for result in results for p in result.suggestions], others)),
        left_out=tuple(left_out),
        fpr=share,
        first_batch=longest[0] if longest else draft.run.first_batch,
        last_batch=longest[-1] if longest else draft.run.last_batch,
        batches=len(longest) or draft.run.batches,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        excluded=tuple(batch for batch in measured if batch in change.exclude),
        settings=Settings(change.fpr, change.table_fpr, change.max_clauses, change.since or "", dict(change.own)),
        adopted_by=by,
    )
