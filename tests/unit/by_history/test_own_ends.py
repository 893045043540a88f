"""The number of rows beside the ends of its history: natural limits, and each side no further beyond its farthest than the next goes."""

from __future__ import annotations

import calendar
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.recipe import Past, Recipe, follow
from avh_ui.inference.by_history.candidates import Candidates, MetricModel, candidates_of, fit_metrics
from avh_ui.inference.by_history.own_ends import natural_limits, past_ends
from avh_ui.inference.by_history.recipes import recipe_of
from avh_ui.inference.by_history.tails import rows_beyond
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MEAN, MIN
from avh_ui.metrics.most_frequent import TOP_RATIO
from tests.unit.by_history.making import one_metric

MONTHS = [(year, month) for year in range(2001, 2010) for month in range(1, 13)]
DAYS = [calendar.monthrange(*month)[1] for month in MONTHS]
IDS = tuple(f"{year}-{month:02}" for year, month in MONTHS)
# Orders by day: nearly all near 140, and some quiet days that lie far below.
QUIET = {20: 90, 41: 82, 60: 88, 75: 84}
ORDERS = [QUIET.get(k, round(140 + 25 * math.sin(2.4 * k))) for k in range(90)]


def grid_of(sizes: list[int], batches: tuple[str, ...] = ()) -> Candidates:
    history = one_metric(ROW_COUNT.name, sizes)
    history = replace(history, batches=batches) if batches else history
    (model,), _ = fit_metrics(history, metrics=[ROW_COUNT])
    return candidates_of(model, rows=sizes[-1])


def limits_told_slowly(sizes: list[int], batches: tuple[str, ...]) -> tuple[float, float] | None:
    """The definition, value by value."""
    seen = Counter(sizes)
    kinds = sorted(seen)
    if len(kinds) < 3:
        return None
    for end, beside in ((kinds[0], kinds[1]), (kinds[-1], kinds[-2])):
        years = {batch[:4] for batch, size in zip(batches, sizes, strict=True) if size == end}
        if seen[end] <= seen[beside] or len(years) < 3:
            return None
    return kinds[0], kinds[-1]


@given(st.lists(st.sampled_from([28, 28, 29, 30, 31, 31]), min_size=12, max_size=108))
def test_natural_limits_come_again_in_several_years_and_more_often_than_what_is_next_to_them(sizes: list[int]) -> None:
    batches = IDS[: len(sizes)]
    assert natural_limits(np.array(sizes, dtype=float), batches) == limits_told_slowly(sizes, batches)


def test_a_row_for_each_day_of_a_month_is_28_to_31_rows() -> None:
    grid = grid_of(DAYS, IDS)
    assert (grid.lower[0], grid.upper[0]) == (28, 31)
    assert grid.fpr[0] <= 0.001
    # Bounds that are what they are by nature do not follow.
    assert recipe_of(grid.model, "calibrated", float(grid.width[0]), 28.0, 31.0) is None
    # Nothing says so of ids without years, nor of what thins out towards its ends.
    undated = grid_of(DAYS)
    assert undated.lower[undated.fpr <= 0.001].max() < 28
    assert natural_limits(np.array([27, *DAYS[1:]], dtype=float), IDS) is None


def test_quiet_days_pull_no_more_rows_into_the_bounds() -> None:
    grid = grid_of(ORDERS)
    logs = np.log(ORDERS)
    mean, far = logs.mean(), np.abs(logs - logs.mean()).max()
    at = int(np.flatnonzero(grid.fpr <= 0.001)[0])
    upper = mean + grid.width[at] * far
    past = max(0.25, float(past_ends(grid.model, grid.fpr[at : at + 1])[0]))
    assert math.exp(upper) > grid.upper[at] + 30
    assert grid.upper[at] == pytest.approx(max(ORDERS) * math.exp(past), abs=5)
    # The farther side stays as far as its own law says, and no bound cuts into the history.
    assert grid.lower[at] == pytest.approx(max(math.exp(mean - grid.width[at] * far), 82 * math.exp(-past)), abs=5)
    assert np.all(grid.lower <= 82)
    assert np.all(grid.upper >= max(ORDERS))
    assert np.all(np.diff(grid.upper) >= 0)


@given(st.integers(12, 59), st.floats(1e-4, 0.003))
def test_so_far_beyond_the_farthest_lies_what_costs_so_much(count: int, cost: float) -> None:
    model = grid_of(ORDERS[:count]).model
    (past,) = past_ends(model, np.array([cost]))
    (law,) = rows_beyond(model.n, np.array([past]))
    assert past == 0.25 or law == pytest.approx(cost)
    assert law <= cost * (1 + 1e-9)


def model_of(metric: Metric, values: np.ndarray) -> MetricModel:
    (model,), _ = fit_metrics(one_metric(metric.name, values, "numeric"), metrics=[metric])
    return model


# One share in a hundred lies far below the others, none far above.
SHARES = np.where(np.arange(100) == 40, 0.80, 0.9 + 0.01 * np.sin(2.4 * np.arange(100)))


def test_a_share_is_bounded_beside_its_own_ends() -> None:
    model = model_of(COMPLETE_RATIO, SHARES)
    grid = candidates_of(model)
    far, sd = np.abs(SHARES - SHARES.mean()).max(), SHARES.std(ddof=1)
    costs = grid.fpr[grid.fpr > 1e-4]
    past = 2 * ((101 * costs) ** -0.25 - 1) * sd
    assert past_ends(model, costs) == pytest.approx(np.maximum(past, 2 * sd))
    even = SHARES.mean() + grid.width * far
    told = np.isfinite(grid.upper)
    assert np.all(grid.upper[told] <= even[told] + 0.01)
    assert np.all(grid.upper >= SHARES.max())
    assert np.all(grid.lower <= SHARES.min())
    at = int(np.flatnonzero(told)[-1])
    assert grid.upper[at] < min(1.0, even[at]) - 0.02


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        (MEAN, SHARES),  # no law holds
        (COMPLETE_RATIO, SHARES[30:55]),  # too few batches
        (MIN, SHARES[30:85]),
        (COMPLETE_RATIO, np.where(np.arange(100) % 3 == 0, SHARES, 0.9)),  # mostly stands still
        (COMPLETE_RATIO, 0.8 + 0.001 * np.arange(100) + 0.1 * (SHARES[::-1] - 0.9) * (np.arange(100) != 59)),  # drifts
        (TOP_RATIO, SHARES),  # which value loses rows says more
    ],
)
def test_where_no_law_holds_the_bounds_stay_even(metric: Metric, values: np.ndarray) -> None:
    assert np.all(np.isinf(past_ends(model_of(metric, values), np.array([1e-4, 1e-3]))))


def test_how_often_the_usual_time_comes_is_bounded_evenly() -> None:
    model = model_of(TOP_RATIO, SHARES - 0.8)
    assert np.all(np.isfinite(past_ends(model, np.array([1e-4, 1e-3]))))
    assert np.all(np.isinf(past_ends(replace(model, temporal=True), np.array([1e-4, 1e-3]))))


def test_what_follows_of_a_share_stays_beside_its_own_ends() -> None:
    shares = SHARES - 0.7
    grid = candidates_of(model_of(TOP_RATIO, shares))
    at = int(np.flatnonzero(grid.fpr <= 0.0005)[0])
    approved = float(grid.lower[at]), float(grid.upper[at])
    recipe = recipe_of(grid.model, "calibrated", float(grid.width[at]), *approved)
    assert recipe is not None
    past = Past(shares, np.ones(100, dtype=bool), np.zeros(100, dtype=bool))
    assert follow(recipe, approved, past).bounds == pytest.approx(approved, abs=0.01)
    even = follow(replace(recipe, past_ends=None), approved, past).bounds
    assert even[1] > approved[1] + 0.02


def recipe_and_bounds() -> tuple[Recipe, tuple[float, float]]:
    grid = grid_of(ORDERS)
    at = int(np.flatnonzero(grid.fpr <= 0.001)[0])
    lower, upper = float(grid.lower[at]), float(grid.upper[at])
    recipe = recipe_of(grid.model, "calibrated", float(grid.width[at]), lower, upper)
    assert recipe is not None
    return recipe, (lower, upper)


def past_of(sizes: list[int], begins: int = 0) -> Past:
    return Past(np.array(sizes, dtype=float), np.ones(len(sizes), dtype=bool), np.zeros(len(sizes), dtype=bool), begins)


def test_bounds_that_follow_stay_as_near_as_those_approved() -> None:
    recipe, approved = recipe_and_bounds()
    assert follow(recipe, approved, past_of(ORDERS)).bounds[1] == pytest.approx(approved[1], abs=5)
    even = follow(replace(recipe, past_ends=None), approved, past_of(ORDERS))
    assert even.bounds[1] > approved[1] + 30
    # What is larger than all before moves that side, and quiet weeks narrow none.
    assert follow(recipe, approved, past_of([*ORDERS, 200, 201])).bounds[1] > approved[1] + 20
    assert follow(recipe, approved, past_of([140, 141] * 45)).bounds[1] >= approved[1]


def test_fewer_batches_follow_with_wider_ends_and_a_new_regime_with_even_ones() -> None:
    recipe, approved = recipe_and_bounds()
    few = follow(recipe, approved, past_of([max(ORDERS), *ORDERS[35:55]])).bounds
    assert few[1] > approved[1]
    begun = past_of([*ORDERS, *(2 * size for size in ORDERS)], begins=90)
    assert follow(recipe, approved, begun) == follow(replace(recipe, past_ends=None), approved, begun)
