"""How far a metric moved against its own recent past."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

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
# A metric follows the number of rows where their correlation over the history is this close (of flights: sums, shares of distinct values,
# distances of small samples); a movement of the rows at least half as far explains its own.
_FOLLOWS, _AS_FAR = 0.8, 0.5
# A change below a millionth of the level is rounding, not movement.
_NOISE = 1e-6
# Makes the median of absolute deviations estimate a normal distribution's standard deviation.
_TO_SIGMA = 1.4826
# Numbers of the windows that are looked at together: 16 MB, of which some five copies are made. Four times as many are no faster.
_CHUNK = 600_000

Flags = NDArray[np.bool_]


def movement(series: Series, seasons: Iterable[int] = (), *, rising: bool = False) -> Series:
    """Per batch |value - median of batches before| in robust standard deviations of those, shape (K,), at most `FAR`.

    Compared with the last `WINDOW` batches and with the last `SEASONS` at the same place of each season (lags in batches, 7 for a weekly
    habit of a daily table): the nearest counts, so that no Sunday is unusual for being one. NaN where the value is undefined or too
    few are before. With `rising`, what is below the median has not moved.
    """
    found: Series = _movements(series[None, :], tuple(seasons), np.array([rising]))[0]
    return found


def _movements(table: Series, seasons: Sequence[int], rising: Flags) -> Series:
    """`movement` of many series at once, shape (M, K); `rising` has shape (M,)."""
    found = _against(table, 1, WINDOW, LEAST, rising)
    for lag in seasons:
        found = np.fmin(found, _against(table, lag, SEASONS, LEAST_SEASONS, rising))
    return found


def distance_names(kind: Kind) -> frozenset[str]:
    """The metrics of which only a rise is a movement: of two batches of new keys, one shared key makes the distance unusually small."""
    return frozenset(metric.name for metric in measured_for(kind) if metric.two_distribution)


def column_movements(columns: Sequence[ColumnHistory], seasons: Iterable[int] = (), rows: Series | None = None) -> list[Series]:
    """The furthest that any of each column's own metrics moved per batch, shape (K,); NaN where none can tell.

    The number of rows is every column's alike: a small batch would make all of them unusual. Many columns are taken at once, since of
    thousands each step alone would take most of its time to begin. With the batches' numbers of `rows`, what follows them (a sum, the share
    of distinct values) has not moved where they did.
    """
    found = list[Series]()
    for chunk in _chunks(columns):
        nothing = np.full(len(chunk[0].batches), np.nan)
        own, moved = _of_metrics(chunk, tuple(seasons), rows)
        parts = np.split(moved, np.cumsum([len(names) for names in own])[:-1])
        found += [np.fmax.reduce(part, axis=0) if len(part) else nothing for part in parts]
    return found


def metric_movements(column: ColumnHistory, seasons: Iterable[int] = (), rows: Series | None = None) -> dict[str, Series]:
    """The same of each of a column's own metrics."""
    (own,), moved = _of_metrics([column], tuple(seasons), rows)
    return dict(zip(own, moved, strict=True))


def own_metrics(column: ColumnHistory) -> list[str]:
    """The metrics of a column that are not the number of rows, which is every column's."""
    volume = {metric.name for metric in measured_for(column.kind) if metric.volume}
    return [name for name in column.values if name not in volume]


def _of_metrics(columns: Sequence[ColumnHistory], lags: tuple[int, ...], rows: Series | None) -> tuple[list[list[str]], Series]:
    """The names of each column's own metrics, and how far each of these moved, one column's after the other's, shape (M, K)."""
    own = [own_metrics(column) for column in columns]
    every = [column.values[name] for column, names in zip(columns, own, strict=True) for name in names]
    if not every:
        return own, np.empty((0, len(columns[0].batches)))
    rising = [name in far for column, names in zip(columns, own, strict=True) for far in (distance_names(column.kind),) for name in names]
    table = np.stack(every)
    moved = _movements(table, lags, np.array(rising))
    return own, moved if rows is None else without_rows(moved, follow(table, rows)[:, None], movement(rows, lags))


def without_rows(moved: Series, following: Flags, rows_moved: Series) -> Series:
    """Movements without those of metrics that follow the number of rows (`following`, of `follow`) where it moved at least
    half as far (`rows_moved`, shape (K,)): shape (M, K).
    """
    found: Series = np.where(following & (rows_moved >= _AS_FAR * moved), 0.0, moved)
    return found


def follow(table: Series, rows: Series) -> Flags:
    """Which series of a table (M, K) go with the number of rows (K,), up or down, over the history; shape (M,). One far batch makes no
    habit.
    """
    known = np.isfinite(table) & np.isfinite(rows)
    x, y = _held(np.where(known, table, np.nan)), _held(np.where(known, rows, np.nan))
    together, sizes = np.abs((x * y).sum(axis=1)), np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    found: Flags = (sizes > 0) & (known.sum(axis=1) >= LEAST) & (together >= _FOLLOWS * sizes)
    return found


def _held(table: Series) -> Series:
    """Each series from its median in median deviations, at most three either way; 0 where it is not known or half of it is equal."""
    found = np.zeros(table.shape)
    some = np.isfinite(table).any(axis=1)
    away = table[some] - _medians(table[some])[:, None]
    spread = _medians(np.abs(away))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        found[some] = np.nan_to_num(np.where(spread > 0, np.clip(away / spread, -3, 3), 0.0))
    return found


def _chunks(columns: Sequence[ColumnHistory]) -> Iterator[list[ColumnHistory]]:
    """Columns whose windows together take so much memory that the next chunk is better begun."""
    chunk, size = list[ColumnHistory](), 0
    for column in columns:
        chunk.append(column)
        size += len(column.values) * len(column.batches) * WINDOW
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _medians(rows: Series) -> Series:
    """The median of each row without its NaN, of which each has some other. np.nanmedian takes 8 times as long on rows this short."""
    ordered = np.sort(rows, axis=1)  # NaN last
    known = np.isfinite(rows).sum(axis=1)
    lines = np.arange(len(rows))
    middle: Series = (ordered[lines, (known - 1) // 2] + ordered[lines, known // 2]) / 2
    return middle


def _against(table: Series, lag: int, window: int, least: int, rising: Flags) -> Series:
    """Against the `window` values at multiples of `lag` before, of which `least` must be known; shape (M, K)."""
    places = np.arange(table.shape[1])[:, None] - lag * np.arange(1, window + 1)
    past = np.where(places >= 0, table[:, np.maximum(places, 0)], np.nan)
    past[~np.isfinite(past)] = np.nan
    known = np.isfinite(past).sum(axis=2) >= least
    found = np.full(table.shape, np.nan)
    if not known.any():
        return found
    rows, now = past[known], table[known]
    middle = _medians(rows)
    spread = _TO_SIGMA * _medians(np.abs(rows - middle[:, None]))
    # Where most values are equal, the spread of the others counts: one change in a month is a habit of rare changes.
    flat = spread == 0
    spread[flat] = np.nanstd(rows[flat], axis=1)
    floor = _NOISE * np.maximum(np.abs(middle), 1e-12)
    away = now - middle
    away = np.where(np.broadcast_to(rising[:, None], table.shape)[known], away, np.abs(away))
    with np.errstate(invalid="ignore"):
        moved = np.where(away <= floor, 0.0, np.minimum(away / np.maximum(spread, floor), FAR))
    found[known] = np.where(np.isinf(now), FAR, moved)
    return found
