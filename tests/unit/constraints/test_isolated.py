"""Which batches of twice or half the rows are left out of what bounds are learned from."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from avh_ui.constraints.isolated import isolated
from avh_ui.constraints.recipe import Past, Recipe, follow


def days(count: int, seed: int = 0, week: tuple[float, ...] = (1,) * 7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.log(400 * np.resize(week, count) * np.exp(rng.normal(0, 0.06, count)))


@pytest.mark.parametrize("factor", [0.4, 0.5, 2.0, 3.0])
def test_a_single_batch_of_half_or_twice_the_rows_is_left_out(factor: float) -> None:
    logs = days(91)
    logs[40] += math.log(factor)
    assert np.flatnonzero(isolated(logs)).tolist() == [40]
    # Against the day a week before it is odd twice.
    assert np.flatnonzero(isolated(logs[7:] - logs[:-7], changes=True)).tolist() == [33, 40]


def test_what_is_frequent_goes_on_or_is_near_stays() -> None:
    assert not isolated(days(120)).any()
    assert not isolated(days(120, week=(1, 1, 1, 1, 1, 0.5, 0.5))).any()
    step, few, near = days(91), days(27), days(91)
    step[-2:] += math.log(2)
    few[5] += math.log(2)
    near[40] += math.log(1.3)
    assert not isolated(step).any()
    assert not isolated(few).any()
    assert not isolated(near).any()
    assert not isolated(np.zeros(0)).any()
    assert not isolated(np.zeros(91)).any()


def test_bounds_that_follow_leave_it_out_too() -> None:
    rows = np.exp(days(91))
    rows[40] *= 2
    everything = np.ones(91, dtype=bool)
    recipe = Recipe(window=120, width=1.8, batches=91, deviation=0.16, index=6.0, factor=True, alone=True)
    told = follow(recipe, (100.0, 1_000.0), Past(rows, everything, ~everything))
    assert 40 not in told.learned
    assert len(told.learned) == 90
    assert told.bounds[0] > 0.5 * rows.max() / 2
    kept = follow(replace(recipe, alone=False), (100.0, 1_000.0), Past(rows, everything, ~everything))
    assert kept.bounds[0] < 0.5 * 400
