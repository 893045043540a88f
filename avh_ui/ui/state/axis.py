"""Where batches stand on the time axis: by their date when their ids are dates, else by their position."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

_MONTH = re.compile(r"\d{4}-\d{2}")


@dataclass(frozen=True)
class BatchAxis:
    """`x` is milliseconds since 1970 for dates and the position otherwise, shape (K,); `step` the usual distance of two batches."""

    dates: bool
    x: NDArray[np.float64]
    batches: tuple[str, ...]

    @property
    def step(self) -> float:
        """The median distance between neighbours; 1 (or one day) where there is only one batch."""
        if len(self.x) > 1:
            return float(np.median(np.diff(self.x)))
        return 86_400_000.0 if self.dates else 1.0


def batch_axis(batches: Sequence[str]) -> BatchAxis:
    """The axis of these batches, in their order; dates only where every id is an ISO date (or month) and they ascend."""
    ids = tuple(batches)
    times = [_time(batch) for batch in ids]
    known = [time for time in times if time is not None]
    if ids and len(known) == len(ids):
        x = np.array(known, dtype=np.float64)
        if bool(np.all(np.diff(x) > 0)):
            return BatchAxis(True, x, ids)
    return BatchAxis(False, np.arange(len(ids), dtype=np.float64), ids)


def _time(batch: str) -> float | None:
    text = f"{batch}-01" if _MONTH.fullmatch(batch) else batch
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed.replace(tzinfo=parsed.tzinfo or UTC).timestamp() * 1000
