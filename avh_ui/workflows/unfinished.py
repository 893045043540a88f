"""Batches whose time is not over: of a table that grows more rows of them come."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from avh_ui.config import Source


def finished(source: Source, batches: Iterable[str], now: datetime | None = None) -> list[str]:
    """The batches without those whose day (hour, week, month, year) ends after `now`, by the clock of the source.

    A batch that was judged has a profile and is new no more: half a day, judged by a watch, would stand for the whole day. What is no time
    cut to a unit has no end, and is finished.
    """
    key, moment = source.key, (now or datetime.now(UTC)).astimezone(source.clock).replace(tzinfo=None)
    if key is None or not any(part.unit for part in key.parts):
        return list(batches)
    return [batch for batch in batches if (end := key.end(batch)) is None or end <= moment]
