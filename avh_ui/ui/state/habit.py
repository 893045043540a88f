"""What is usual of a metric, and how far it is from there: in robust deviations of its own history."""

from __future__ import annotations

import math

import numpy as np

from avh_ui.history.movement import FAR
from avh_ui.history.series import Series

# What is usual of a metric is judged by so many batches.
HABIT = 60


def in_words(sigmas: float) -> str:
    """`12.0 σ`; more than any habit explains as `> 99 σ`, nothing without a history."""
    return "" if math.isnan(sigmas) else f"> {FAR:.0f} σ" if sigmas >= FAR else f"{sigmas:.1f} σ"


def order(sigmas: float) -> float:
    """How far something moved, to sort by: what has no history comes last."""
    return -1.0 if math.isnan(sigmas) else sigmas


def habit(series: Series | None) -> tuple[float, float]:
    """A metric's usual value and its robust deviation over its last batches; NaN without a history."""
    if series is None:
        return math.nan, math.nan
    known = series[np.isfinite(series)][-HABIT:]
    if len(known) < 2:
        return math.nan, math.nan
    middle = median(known)
    spread = 1.4826 * median(np.abs(known - middle))
    return middle, spread if spread > 0 else float(np.std(known))


def median(known: Series) -> float:
    """The median of finite values, NaN of none. np.median takes ten times as long on so few, which thousands of columns feel."""
    if not len(known):
        return math.nan
    ordered = np.sort(known)
    half = len(ordered) // 2
    return float(ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2)


def sigmas_of(value: float, before: float, spread: float) -> float:
    """How many deviations a value is away from what was before, at most `FAR`; NaN where that cannot be told."""
    if math.isnan(spread) or (math.isnan(before) and math.isnan(value)):
        return math.nan
    if not math.isfinite(value) or not math.isfinite(before):
        return 0.0 if value == before else FAR
    floor = 1e-6 * max(abs(before), 1e-12)
    away = abs(value - before)
    return 0.0 if away <= floor else min(away / max(spread, floor), FAR)
