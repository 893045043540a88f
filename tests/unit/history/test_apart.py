"""How far two batches lie apart, held against other pairs of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from avh_ui.history.apart import habit_of, rows_apart
from avh_ui.history.series import ColumnHistory

ALL = np.ones(100, dtype=bool)


def column(**values: np.ndarray) -> ColumnHistory:
    return ColumnHistory("c", "numeric", "double", tuple(f"b{k}" for k in range(100)), values, ALL)


def naive(series: list[float], lag: int) -> list[float]:
    """Of a metric that goes with nothing else: the distances of pairs in deviations of the last 60."""
    recent = series[-60:]
    middle = float(np.median(recent))
    spread = 1.4826 * float(np.median([abs(v - middle) for v in recent]))
    return [abs(series[k] - series[k - lag]) / spread for k in range(lag, len(series))][-60:]


def test_pairs_as_far_apart_are_what_it_is_held_against() -> None:
    rng = np.random.default_rng(2)
    means = rng.normal(50, 2, 100)
    for lag in (1, 7):
        habit = habit_of(column(mean=means), rng.normal(1_000, 9, 100), ALL, lag)
        np.testing.assert_allclose(habit.past, naive(means.tolist(), lag))
        found = habit.rarity("mean", 90.0, 50.0, 0.0)
        usual = sorted(habit.past)[int(np.ceil(0.9 * 60)) - 1]
        assert found.times == pytest.approx(40 / habit.spread["mean"] / usual)
        assert (found.as_far, found.of) == (0, 60)


def test_a_weekly_habit_is_no_drift() -> None:
    weekly = np.tile([100.0, 100, 100, 100, 100, 60, 40], 15)[:100] + np.random.default_rng(4).normal(0, 1, 100)
    habit = habit_of(column(mean=weekly), np.full(100, 9.0), ALL, 1)
    assert not habit.rarity("mean", 60.0, 100.0, 0.0).marked
    assert habit_of(column(mean=weekly), np.full(100, 9.0), ALL, 7).rarity("mean", 60.0, 100.0, 0.0).marked


def test_what_follows_the_rows_has_not_moved_with_them() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(1_000, 20, 100).round()
    made = column(sum=100 * rows, mean=rng.normal(100, 1, 100))
    habit, fewer = habit_of(made, rows, ALL, 1), rows_apart(rows, ALL, 500, 1_000)
    assert habit.following == {"sum"}
    assert habit.rarity("sum", 50_000, 100_000, fewer).times == 0
    assert habit.rarity("sum", 50_000, 100_000, 0.0).marked
    assert habit.rarity("mean", 160, 100, fewer).marked


def test_what_is_undefined_on_a_side_has_no_rarity() -> None:
    habit = habit_of(column(mean=np.arange(100.0)), np.full(100, 9.0), ALL, 1)
    for value, before in ((math.nan, 1.0), (1.0, math.nan)):
        assert math.isnan(habit.rarity("mean", value, before, 0.0).times)
    assert habit.rarity("mean", math.inf, 1.0, 0.0).beyond
    assert math.isnan(habit.rarity("median", 1.0, 2.0, 0.0).times)


def test_of_a_distance_only_a_rise_counts_and_what_is_looked_at_does_not() -> None:
    far = np.full(100, 0.1) + np.random.default_rng(6).normal(0, 0.01, 100)
    far[99] = 9.0
    others = ALL.copy()
    others[99] = False
    habit = habit_of(column(js_div=far), np.full(100, 9.0), others, 1)
    assert habit.rarity("js_div", 9.0, habit.usual["js_div"], 0.0, rising=True).marked
    assert habit.rarity("js_div", 0.0, habit.usual["js_div"], 0.0, rising=True).times == 0
