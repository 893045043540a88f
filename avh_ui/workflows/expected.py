"""Which batches a cadence lets one expect: the next one, and those that never came."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from avh_ui.errors import ConfigError
from avh_ui.history.series import batch_order
from avh_ui.workflows.cadence import seconds_between

_MONTH = re.compile(r"\d{4}-\d{2}")
_STEPS = {"hourly": timedelta(hours=1), "daily": timedelta(days=1), "weekly": timedelta(weeks=1)}
# A table that paused for longer than this has begun anew: nobody wants to see ten years of gaps.
LONGEST_GAP = 400


def next_batch(batch: str, cadence: str) -> str | None:
    """The batch that comes after one, in the same way of writing dates; None where ids are no dates or the cadence fits none."""
    if cadence == "monthly":
        return _next_month(batch)
    try:
        step = _STEPS.get(cadence) or timedelta(seconds=seconds_between(cadence))
        time = datetime.fromisoformat(batch)
    except (ConfigError, ValueError, OverflowError):
        return None
    if len(batch) == 10 and step % timedelta(days=1):
        return None  # a date names no hour
    try:
        following = time + step
    except OverflowError:
        return None
    if len(batch) == 10:
        return following.date().isoformat()
    written = following.isoformat(timespec="hours" if len(batch) == 13 else "auto")
    return written.replace("T", batch[10]) if len(batch) > 10 else written


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
    """Whether a batch that is a date should be there by now: its day (or month) is over, or its moment is past by an hour."""
    text = f"{expected}-28" if _MONTH.fullmatch(expected) else expected
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return False
    grace = timedelta(days=5) if text != expected else timedelta(days=1) if len(expected) == 10 else timedelta(hours=1)
    return (now or datetime.now(UTC)) > time.replace(tzinfo=time.tzinfo or UTC) + grace


def _next_month(batch: str) -> str | None:
    day = batch[7:]
    if not re.fullmatch(r"\d{4}-\d{2}(-01)?", batch):
        return None
    year, month = int(batch[:4]), int(batch[5:7])
    return f"{year + month // 12:04d}-{month % 12 + 1:02d}{day}" if 1 <= month <= 12 else None
