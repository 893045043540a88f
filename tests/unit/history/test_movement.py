"""How far a metric moved, against a plain computation."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.history import movement as movements
from avh_ui.history.movement import FAR, column_movements, distance_names, movement
from avh_ui.history.series import ColumnHistory

values = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(math.nan), st.just(math.inf)), min_size=1, max_size=60)


def plainly(series: list[float], at: int, lag: int, window: int, least: int) -> float:
    past = [series[at - lag * j] for j in range(1, window + 1) if at - lag * j >= 0 and math.isfinite(series[at - lag * j])]
    if len(past) < least or math.isnan(series[at]):
        return math.nan
    if math.isinf(series[at]):
        return FAR
    middle = statistics.median(past)
    spread = 1.4826 * statistics.median(abs(v - middle) for v in past) or statistics.pstdev(past)
    floor = 1e-6 * max(abs(middle), 1e-12)
    away = abs(series[at] - middle)
    return 0.0 if away <= floor else min(away / max(spread, floor), FAR)


@given(values)
def test_it_is_what_it_says(series: list[float]) -> None:
    expected = [plainly(series, k, 1, 30, 7) for k in range(len(series))]
    np.testing.assert_allclose(movement(np.array(series)), expected, rtol=1e-6, atol=1e-9)


@given(values)
def test_a_season_never_makes_more_of_it(series: list[float]) -> None:
    plain, seasonal = movement(np.array(series)), movement(np.array(series), (7,))
    known = ~np.isnan(plain)
    assert (seasonal[known] <= plain[known]).all()


def test_no_sunday_is_unusual_for_being_one() -> None:
    rng = np.random.default_rng(0)
    weekly = np.tile([100.0, 100, 100, 100, 100, 100, 40], 20) + rng.normal(0, 1, 140)
    sundays = np.arange(97, 140, 7)
    assert (movement(weekly)[sundays] > 20).all()
    assert (movement(weekly, (7,))[sundays] < 6).all()
    weekly[120] = 40  # a workday like a Sunday
    assert movement(weekly, (7,))[120] > 20


@pytest.mark.parametrize("value", [5.0, 0.0])
def test_a_constant_that_changes_moved_as_far_as_can_be(value: float) -> None:
    series = np.full(20, value)
    series[15] = value + 1
    assert list(movement(series)[13:16]) == [0, 0, FAR]


def test_of_a_distance_only_a_rise_is_a_movement() -> None:
    """Keys are all new in every batch, until one comes again: its batch is nearer to the one before, and nothing is wrong."""
    series = np.full(40, math.log(2))
    series[[5, 9, 14, 20, 33]] -= 0.002
    assert movement(series)[33] > 2
    assert not movement(series, rising=True)[7:].any()
    fallen = np.full(20, 0.01)
    fallen[15] = 0.5
    assert movement(fallen, rising=True)[15] == FAR
    assert "js_div" in distance_names("string")
    assert "complete_ratio" not in distance_names("string")


def test_columns_together_move_as_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    batches = tuple(f"b{k}" for k in range(60))
    columns = []
    for at in range(9):
        names = ["row_count", "mean", "js_div"][: at % 4]
        values = {name: np.where(rng.random(60) < 0.1, np.nan, rng.normal(0, 1, 60)) for name in names}
        columns.append(ColumnHistory(f"c{at}", "numeric", "double", batches, values, np.ones(60, bool)))
    alone = [column_movements([column], (7,))[0] for column in columns]
    assert np.isfinite(alone[-1]).any() or np.isfinite(alone[3]).any()
    for limit in (1, 20_000, 10**9):  # every column by itself, some at a time, all at once
        monkeypatch.setattr(movements, "_CHUNK", limit)
        for one, other in zip(alone, column_movements(columns, (7,)), strict=True):
            np.testing.assert_array_equal(one, other)
    assert column_movements([]) == []
    expected = np.fmax(movement(columns[3].values["mean"], (7,)), movement(columns[3].values["js_div"], (7,), rising=True))
    np.testing.assert_array_equal(alone[3], expected)
