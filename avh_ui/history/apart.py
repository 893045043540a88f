"""How far a column's metrics lie apart in two batches, held against what they do between batches as far from each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.movement import FAR, distance_names, follow, own_metrics, without_rows
from avh_ui.history.rarity import LEAST, UNKNOWN, WINDOW, Rarity
from avh_ui.history.series import ColumnHistory, Series

# Makes the median of absolute deviations estimate a normal distribution's standard deviation.
_TO_SIGMA = 1.4826
# A difference below a millionth of the level is rounding.
_NOISE = 1e-6


@dataclass(frozen=True)
class Habit:
    """What is usual of a column's own metrics: their medians and robust deviations, and `past`, how far apart the furthest of them were
    between other batches, shape (P,). `following` are those that go with the number of rows; a
    distance of batches so far from each other is so many times (`growth`) that of neighbours, as the column's other metrics let expect.
    """

    usual: Mapping[str, float]
    spread: Mapping[str, float]
    past: Series
    following: frozenset[str]
    growth: float = 1.0

    def rarity(self, metric: str, value: float, before: float, rows_apart: float, *, rising: bool = False) -> Rarity:
        """How rare it is that a metric is `value` where it is `before` on the other side; `UNKNOWN` where one of them is undefined, since a
        share beside it (of nulls, of rows that match) tells why. `rows_apart` is how far the numbers of rows are (`rows_apart`).
        """
        spread = self.spread.get(metric, np.nan)
        if np.isnan(spread) or np.isnan(value) or np.isnan(before):
            return UNKNOWN
        value = value / self.growth if rising else value
        apart = _deviations(np.array([value]), np.array([before]), np.array([spread]))
        if rising:
            apart = np.where(value > before, apart, 0.0)
        moved = without_rows(apart, np.array([metric in self.following]), np.array([rows_apart]))
        return Rarity.among(float(moved[0]), self.past)


NOTHING = Habit({}, {}, np.empty(0), frozenset())


def habit_of(column: ColumnHistory, rows: Series, others: NDArray[np.bool_], lag: int) -> Habit:
    """The habit of a column by the last `WINDOW` batches of `others`, shape (K,): what is looked at is no part of its own. Held against
    are pairs of them `lag` batches apart; with a `lag` of 0 each against the usual, as of spans.
    """
    names = own_metrics(column)
    if not names:
        return NOTHING
    table = np.stack([column.values[name] for name in names])
    table = np.where(np.isfinite(table) & others, table, np.nan)
    usual, spread = _habits(table)
    rising = np.isin(names, list(distance_names(column.kind)))[:, None]
    before = np.where(rising, usual[:, None], _earlier(table, lag) if lag else usual[:, None])
    apart = _deviations(table, before, spread[:, None])
    apart = np.where(rising & (table < before), 0.0, apart)
    following = follow(table, rows)
    moved = without_rows(apart, following[:, None], _rows_moved(rows, others, lag))
    furthest = np.fmax.reduce(moved, axis=0)
    return Habit(
        dict(zip(names, usual.tolist(), strict=True)),
        dict(zip(names, spread.tolist(), strict=True)),
        furthest[np.isfinite(furthest)][-WINDOW:],
        frozenset(name for name, goes in zip(names, following.tolist(), strict=True) if goes),
        _growth(table[~rising[:, 0]], lag),
    )


def habit_batches(ours: NDArray[np.bool_], lag: int) -> NDArray[np.bool_]:
    """The batches, of shape (K,), whose habit `ours` are held against: those before, and the next ones where these are few."""
    there = np.flatnonzero(ours)
    first = int(there[0]) if len(there) else len(ours)
    others = ~ours
    if first >= LEAST + lag:
        others[first:] = False
        return others
    others[WINDOW + lag + len(there) :] = False
    return others


def _growth(table: Series, lag: int) -> float:
    """How many times as far apart metrics are `lag` batches from each other as neighbours are: the most of any, from 1 to the lag."""
    if lag <= 1 or not len(table):
        return 1.0
    near, far = (_typical(np.abs(table - _earlier(table, step))) for step in (1, lag))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = far / near
    return float(np.clip(np.max(ratios[np.isfinite(ratios)], initial=1.0), 1.0, lag))


def _typical(table: Series) -> Series:
    return _middle(np.sort(table, axis=1), np.isfinite(table).sum(axis=1))


def rows_apart(rows: Series, others: NDArray[np.bool_], ours: float, theirs: float) -> float:
    """How far two numbers of rows are apart, in robust deviations of the other batches; 0 where that cannot be told."""
    spread = _habits(np.where(others, rows, np.nan)[None, :])[1]
    return float(np.nan_to_num(_deviations(np.array([ours]), np.array([theirs]), spread))[0])


def _rows_moved(rows: Series, others: NDArray[np.bool_], lag: int) -> Series:
    known = np.where(others, rows, np.nan)[None, :]
    usual, spread = _habits(known)
    before = _earlier(known, lag) if lag else usual[:, None]
    moved: Series = np.nan_to_num(_deviations(known, before, spread[:, None])[0])
    return moved


def _earlier(table: Series, lag: int) -> Series:
    """The values `lag` batches before; NaN of the first."""
    found = np.full(table.shape, np.nan)
    found[:, lag:] = table[:, :-lag]
    return found


def _habits(table: Series) -> tuple[Series, Series]:
    """The median of the last `WINDOW` known values of each row, shape (M,), and their robust deviation; NaN of fewer than two."""
    known = np.isfinite(table)
    recent = known & (np.cumsum(known[:, ::-1], axis=1)[:, ::-1] <= WINDOW)
    ordered, many = np.sort(np.where(recent, table, np.nan), axis=1), recent.sum(axis=1)
    usual = _middle(ordered, many)
    away = np.sort(np.abs(ordered - usual[:, None]), axis=1)
    spread = _TO_SIGMA * _middle(away, many)
    # Where most values are equal, the spread of the others counts: one change in a month is a habit of rare changes.
    off = ordered - usual[:, None]
    mean, square = (np.nansum(power, axis=1) / np.maximum(many, 1) for power in (off, off**2))
    return usual, np.where(many < 2, np.nan, np.where(spread > 0, spread, np.sqrt(np.maximum(square - mean**2, 0.0))))


def _middle(ordered: Series, many: NDArray[np.int_]) -> Series:
    """The median of each row of ordered values, of which the first `many` are known; NaN of none."""
    lines, last = np.arange(len(ordered)), np.maximum(many - 1, 0)
    found: Series = (ordered[lines, last // 2] + ordered[lines, np.minimum(many // 2, last)]) / 2
    return found


def _deviations(values: Series, before: Series, spread: Series) -> Series:
    """How many deviations values are from what was before, at most `FAR`; NaN where one is."""
    floor = _NOISE * np.maximum(np.abs(before), 1e-12)
    with np.errstate(invalid="ignore"):
        away = np.where(values == before, 0.0, np.abs(values - before))
        found: Series = np.where(away <= floor, 0.0, np.minimum(away / np.maximum(spread, floor), FAR))
    return np.where(np.isnan(values) | np.isnan(before), np.nan, found)
