"""How far the times of day moved: `clock_dist`, of moments and of texts that are moments.

A clock of another time zone, and moments cut to their days, keep the first and the last day, and every pattern. It is the largest gap
between the cumulative shares of the half-hours of the day (Kolmogorov and Smirnov), of which the batch before has as many.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.distance_words import share_moves
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mix_words import percent
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.text_days import HALF_HOURS

_DAY, _HALF_HOUR = 86_400.0, 1_800.0


def _upto(state: FrequencyState | DistributionState) -> Floats | None:
    """Which share of the moments lies up to the end of each half-hour, shape (48,); None where no moment has a time of day."""
    if isinstance(state, DistributionState):
        moments, shares = state.support()
        known = np.isfinite(moments)
        places = np.minimum((moments[known] % _DAY) // _HALF_HOUR, HALF_HOURS - 1).astype(np.int64)
        counts = np.bincount(places, shares[known], minlength=HALF_HOURS)
    else:
        named = state.named
        counts = np.array((() if named is None else named.clock) or [0] * HALF_HOURS, dtype=np.float64)
    total = counts.sum()
    return np.cumsum(counts / total) if total else None


@remembered
def _texts(ours: FrequencyState, theirs: FrequencyState) -> tuple[Floats | None, Floats | None]:
    return _upto(ours), _upto(theirs)


@remembered
def _moments(ours: DistributionState, theirs: DistributionState) -> tuple[Floats | None, Floats | None]:
    return _upto(ours), _upto(theirs)


def _both(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> tuple[Floats | None, Floats | None]:
    if isinstance(ours, FrequencyState) and isinstance(theirs, FrequencyState):
        return _texts(ours, theirs)
    assert isinstance(ours, DistributionState)
    assert isinstance(theirs, DistributionState)
    return _moments(ours, theirs)


def _apart(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> float | None:
    """The largest gap; 1 where ours have no time of day any more, None where theirs have none, or ours no value."""
    now, before = _both(ours, theirs)
    if before is None or not ours.n:
        return None
    # A share of rounding errors is none.
    return 1.0 if now is None else round(float(np.abs(now - before).max()), 12)


def _told(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> str:
    """`Times before 08:30 rose from 3% to 20% of all.`: where the gap is largest; '' where there is none."""
    now, before = _both(ours, theirs)
    if now is None or before is None or math.isclose(float(np.abs(now - before).max()), 0, abs_tol=1e-12):
        return ""
    at = int(np.abs(now - before).argmax())
    more = bool(now[at] > before[at])
    then, there = (max(0.0, round(float(side[at] if more else 1 - side[at]), 9)) for side in (before, now))
    hours, minutes = divmod(30 * (at + 1), 60)
    return f"times {'before' if more else 'from'} {hours:02d}:{minutes:02d} rose from {percent(then)} to {percent(there)} of all."


CLOCK_DIST = Metric(
    "clock_dist", frozenset({"string"}), (FrequencyState,), 2, "distance", "Kolmogorov-Smirnov statistic of the times of day", pair=_apart,
    tells=_told, lowest=0, highest=1,
    says=share_moves(
        "the share of {column} before any time of day",
        "How far the times of day are from those of the batch before: the largest gap between the shares of rows before one time of day.",
    ),
)  # fmt: skip
MOMENT_CLOCK_DIST = replace(CLOCK_DIST, kinds=frozenset({"temporal"}), needs=(DistributionState,))
