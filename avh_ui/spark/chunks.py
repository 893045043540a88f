"""How many batches one job measures."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

# A job of 96 small batches takes about a second, of which half is its fixed cost. What a killed run loses is a few seconds.
_SHORT_SECONDS, _MOST_TIMES = 3.0, 8


def chunks(batches: Sequence[str], size: int, *, grows: bool) -> Iterator[Sequence[str]]:
    """The batches, so many at once; where it `grows`, twice as many after each that took its taker a short time, up to eight times. It
    does not where `size` is what the driver's memory takes: of segments, and of a table that is scanned as a whole.
    """
    at, most = 0, size * _MOST_TIMES
    while at < len(batches):
        began = time.monotonic()
        yield batches[at : at + size]
        at += size
        if grows and time.monotonic() - began < _SHORT_SECONDS:
            size = min(2 * size, most)
