"""Which batches a cadence lets one expect: the next one, and those that never came."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from avh_ui.errors import ConfigError
from avh_ui.history.series import batch_order
from avh_ui.workflows.batch_dates import BatchDate
from avh_ui.workflows.cadence import step_of

# A table that paused for longer than this has begun anew: nobody wants to see ten years of gaps.
LONGEST_GAP = 400


def next_batch(batch: str, cadence: str) -> str | None:
    """The batch that comes after one, written as it is; None where the id names no date or the cadence does not fit its writing."""
    date = BatchDate.of(batch)
    try:
        return None if date is None else date.plus(step_of(cadence))
    except ConfigError:
        return None


def with_missing(batches: Sequence[str], cadence: str) -> list[str]:
    """The batches (in natural order) and, between them, those that the cadence lets one expect and that are not there."""
    found: list[str] = []
    for at, batch in enumerate(batches):
        found.append(batch)
        if at + 1 == len(batches):
            break
        gap: list[str] = []
        following = next_batch(batch, cadence)
        while following is not None and batch_order(following) < batch_order(batches[at + 1]) and len(gap) <= LONGEST_GAP:
            gap.append(following)
            following = next_batch(following, cadence)
        # A pipeline whose batches do not keep to the cadence's steps has no gaps that could be named.
        if following == batches[at + 1] and len(gap) <= LONGEST_GAP:
            found += gap
    return found


def is_late(expected: str, now: datetime | None = None) -> bool:
    """Whether a batch that is a date should be there by now; see `BatchDate.is_over`."""
    date = BatchDate.of(expected)
    return date is not None and date.is_over(now or datetime.now(UTC))
