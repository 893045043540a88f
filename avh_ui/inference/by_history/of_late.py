"""What of a history tells its level now: what was once is no measure of which bound says something.

Since 1888 no average of stolen bases moved by more than 0.27 of their spread, and "at most 0.56" was said for the years before; "at most
518 rows" of seasons that fell from 343 to 92 rows in twelve. Of levels it did not help: of six rules of daily mail that went with it,
readers had kept three.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.stationarity import trend

Floats = NDArray[np.float64]

# Of late is most of the history, and a month of days or more.
_LATE, _PART = 30, 2 / 3
# What has gone one way through so many batches is no more where it was, but where the last ones are.
_WAY, _ONE_WAY, _NOW = 12, 0.9, 5


def latest(values: Floats) -> Floats:
    """The newest of a history, shape (K,)."""
    return values[-max(_LATE, round(_PART * len(values))) :]


def as_it_goes(values: Floats) -> Floats:
    """All of a history, shape (K,), or the newest of one that has gone one way for long."""
    way = values[-_WAY:]
    return values[-_NOW:] if len(way) == _WAY and abs(trend(way)) >= _ONE_WAY else values
