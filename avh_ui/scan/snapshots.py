"""Sources that are overwritten with each delivery (`batch: now` of avh.yml): what is there is the batch of the moment when it is read."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from avh_ui.errors import BatchNotFoundError

if TYPE_CHECKING:
    from avh_ui.config import Source

# By what `batch:` says, how the id of the moment is written.
_WRITTEN = {"now": "%Y-%m-%d", "this hour": "%Y-%m-%dT%H"}


def current(source: Source) -> str:
    """The id of the batch that is there now; '' for a source that keeps its batches."""
    return datetime.now(source.clock).strftime(_WRITTEN[source.snapshot]) if source.snapshot else ""


def require_current(source: Source, batch: str, now: str) -> None:
    """`BatchNotFoundError` for a batch of a source that is overwritten, when it is not the one of `now`."""
    if source.snapshot and batch != now:
        why = f"its source is overwritten each time (batch: {source.snapshot}), and what is there now is {now!r}."
        said = f"Batch {batch!r} is not there: {why}"
        hint = "Its profile is kept if it was profiled then. Its rows are gone: profile those of now, and suggest after that."
        raise BatchNotFoundError(said, hint=hint)
