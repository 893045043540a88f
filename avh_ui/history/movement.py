"""How far a metric moved against its own recent past."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from avh_ui.history.series import ColumnHistory, Series
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.column import Kind

# As many batches as show a weekly habit four times; of a season as many as fit into two months of a daily table.
WINDOW = 30
SEASONS = 8
# Fewer have no habit yet.
LEAST = 7
LEAST_SEASONS = 4
# A constant metric that changes has moved infinitely far: this says so and can be drawn and sorted.
FAR = 99.0
# A change below a millionth of the level is rounding, not movement.
_NOISE = 1e-6
# Makes the median of absolute deviations estimate a normal distribution's standard deviation.
_TO_SIGMA = 1.4826


def movement(series: Series, seasons: Iterable[int] = (), *, rising: bool = False) -> Series:
    """Per batch |value - median of batches before| in robust standard deviations of those, shape (K,), at most `FAR`.

    Compared with the last `WINDOW` batches and with the last `SEASONS` at the same place of each season (lags in batches, 7 for a weekly
    habit of a daily table): the nearest counts, so that no Sunday is unusual for being one. NaN where the value is undefined or too
    few are before. With `rising`, what is below the median has not moved.
    """
    found = _against(series, 1, WINDOW, LEAST, rising)
    for lag in seasons:
        found = np.fmin(found, _against(series, lag, SEASONS, LEAST_SEASONS, rising))
    return found


def distances(kind: Kind) -> frozenset[str]:
    """The metrics of which only a rise is a movement: of two batches of new keys, one shared key makes the distance unusually small."""
    return frozenset(metric.name for metric in measured_for(kind) if metric.two_distribution)


def column_movement(column: ColumnHistory, seasons: Iterable[int] = ()) -> Series:
    """The furthest that any of a column's own metrics moved per batch, shape (K,); NaN where none can tell.

    The number of rows is every column's alike: a small batch would make all of them unusual.
    """
    lags, rising = tuple(seasons), distances(column.kind)
    own = [movement(series, lags, rising=name in rising) for name, series in column.values.items() if name != "row_count"]
    if not own:
        return np.full(len(column.batches), np.nan)
    every = np.stack(own)
    found: Series = np.fmax.reduce(every, axis=0)
    return found


def _medians(rows: Series) -> Series:
    """The median of each row without its NaN, of which each has some other. np.nanmedian takes 8 times as long on rows this short."""
    ordered = np.sort(rows, axis=1)  # NaN last
    known = np.isfinite(rows).sum(axis=1)
    lines = np.arange(len(rows))
    middle: Series = (ordered[lines, (known - 1) // 2] + ordered[lines, known // 2]) / 2
    return middle


def _against(series: Series, lag: int, window: int, least: int, rising: bool) -> Series:
    """Against the `window` values at multiples of `lag` before, of which `least` must be known."""
    places = np.arange(len(series))[:, None] - lag * np.arange(1, window + 1)
    past = np.where(places >= 0, series[np.maximum(places, 0)], np.nan)
    past = np.where(np.isfinite(past), past, np.nan)
    known = np.isfinite(past).sum(axis=1) >= least
    found = np.full(len(series), np.nan)
    if not known.any():
        return found
    rows, now = past[known], series[known]
    middle = _medians(rows)
    spread = _TO_SIGMA * _medians(np.abs(rows - middle[:, None]))
    # Where most values are equal, the spread of the others counts: one change in a month is a habit of rare changes.
    flat = spread == 0
    spread[flat] = np.nanstd(rows[flat], axis=1)
    floor = _NOISE * np.maximum(np.abs(middle), 1e-12)
    away = now - middle if rising else np.abs(now - middle)
    with np.errstate(invalid="ignore"):
        moved = np.where(away <= floor, 0.0, np.minimum(away / np.maximum(spread, floor), FAR))
    found[known] = np.where(np.isinf(now), FAR, moved)
    return found
