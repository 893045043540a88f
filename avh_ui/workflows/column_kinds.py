"""What the columns of a draft are, as commands and pages tell it."""

from __future__ import annotations

from typing import Any

from avh_ui.inference.kinds.declarations import declaration_of
from avh_ui.review.draft import Draft


def kind_record(draft: Draft, column: str, metric: str) -> dict[str, Any] | None:
    """What a column is, why, and what a metric says of such a column (None where it says nothing known); None where no run says it."""
    known = draft.run.kinds.get(column)
    if known is None:
        return None
    declared = declaration_of(known)
    said = None if declared is None else declared.metrics.get(metric)
    return {"kind": known.kind, "why": known.why, "corrected": known.corrected, "means": said}
