"""Algorithms 4 and 5; the lean ADF test against statsmodels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.tsa.adfvalues import mackinnonp
from statsmodels.tsa.stattools import adfuller

from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.inference.by_history.stationarity import (
    CRITICAL,
    adf_statistic,
    by_changes,
    is_constant,
    is_stationary,
    make_stationary,
    wanders,
)

SHAPES = ("noise", "walk", "week", "trend")


def series(shape: str, k: int, seed: int) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=k)
    return {
        "noise": x,
        "walk": x.cumsum(),
        "week": x + 3 * np.sin(np.arange(k) * 2 * np.pi / 7),
        "trend": x + np.arange(k),
    }[shape]


@given(st.sampled_from(SHAPES), st.integers(7, 90), st.integers(0, 2**32))
def test_adf_equals_statsmodels(shape: str, k: int, seed: int) -> None:
    x = series(shape, k, seed)
    x = (x - x.mean()) / x.std()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = adfuller(x)
    assert adf_statistic(x) == pytest.approx(expected[0], rel=1e-6)
    assert is_stationary(x) == (expected[1] < 0.05)


def test_noise_stays_as_it_is() -> None:
    x = series("noise", 60, 1)
    transform, values = make_stationary(x)  # type: ignore[misc]
    assert transform == IDENTITY
    assert values is x


@pytest.mark.parametrize("method", ["paper", "calibrated"])
def test_examples_5_and_6(method: str) -> None:
    steps = np.random.default_rng(3).integers(500, 3_500, 29)
    row_counts = 100_000.0 + np.concatenate([[0], np.cumsum(steps)])
    transform, values = make_stationary(row_counts, method)  # type: ignore[arg-type,misc]
    assert transform == Transform(lag=1)
    assert values.tolist() == steps.tolist()


def test_the_seasons_lag_comes_first() -> None:
    week = np.tile([10.0, 20, 30, 40, 50, 5, 1], 9)[:60] + 3 * np.arange(60) + np.random.default_rng(0).normal(size=60)
    assert make_stationary(week, "paper", (7,))[0] == Transform(lag=7)  # type: ignore[index]
    assert make_stationary(week, "calibrated", (7,))[0] == Transform(lag=7)  # type: ignore[index]


def test_calibrated_differences_only_a_strong_trend() -> None:
    walk = next(
        x for x in (series("walk", 30, s) for s in range(99)) if not is_stationary(x) and abs(np.corrcoef(x, range(30))[0, 1]) < 0.5
    )
    assert make_stationary(walk, "calibrated")[0] == IDENTITY  # type: ignore[index]


@pytest.mark.parametrize("value", [0.0, 1.0, -3.7, 1e300])
@pytest.mark.parametrize("method", ["paper", "calibrated"])
def test_a_constant_is_stationary(value: float, method: str) -> None:
    assert make_stationary(np.full(10, value), method)[0] == IDENTITY  # type: ignore[arg-type,index]


def test_float_noise_is_constant() -> None:
    x = 0.1 + np.random.default_rng(0).normal(size=30) * 1e-16
    assert is_constant(x)
    assert not is_constant(x + np.arange(30) * 1e-8)


def test_an_exact_line_is_differenced_to_a_constant() -> None:
    transform, values = make_stationary(np.arange(30) * 0.1)  # type: ignore[misc]
    assert transform.lag >= 1
    assert np.ptp(values) < 1e-12


@pytest.mark.parametrize("weeks", [60, 84, 105, 112, 119, 200])
def test_growth_by_one_with_two_weeks_that_brought_none_is_differenced(weeks: int) -> None:
    steps = np.ones(weeks - 1)
    steps[[5, 19]] = 0
    rows = np.concatenate([[73], 73 + np.cumsum(steps)])
    form = make_stationary(rows, "calibrated", (7,))
    assert form is not None
    assert form[0] == Transform(1)
    np.testing.assert_array_equal(form[1], steps)


def test_log_only_where_nothing_is_negative() -> None:
    growing = np.exp(np.linspace(0, 12, 40) + np.random.default_rng(0).normal(size=40) * 0.05)
    below = growing - 100
    assert make_stationary(growing)[0].log  # type: ignore[index]
    found = make_stationary(below)
    assert found is None or not found[0].log


def test_nothing_fits() -> None:
    explosive = -np.exp(np.linspace(0, 30, 20))
    assert make_stationary(explosive) is None


@given(
    st.lists(st.one_of(st.floats(-1e100, 1e100), st.sampled_from([0.0, 1.0])), min_size=7, max_size=40),
    st.sampled_from(["paper", "calibrated"]),
    st.sampled_from([(), (7,), (24,), (7, 1, 0, -2)]),
)
def test_whatever_comes_it_is_the_transform_that_was_applied(xs: list[float], method: str, lags: tuple[int, ...]) -> None:
    x = np.array(xs)
    found = make_stationary(x, method, lags)  # type: ignore[arg-type]
    if found is None:
        return
    transform, values = found
    assert len(values) == len(x) - transform.lag
    assert len(values) >= min(len(x), max(6, len(x) / 3))
    np.testing.assert_array_equal(values, transform.apply(x)[transform.lag :])


def test_the_critical_value_is_mackinnons() -> None:
    assert mackinnonp(CRITICAL, regression="c", N=1) == pytest.approx(0.05, abs=1e-12)


WALK = 100 + 10 * np.sin(np.arange(90) / 12) + np.random.default_rng(11).normal(0, 0.2, 90)


@pytest.mark.parametrize(
    ("series", "is_so"),
    [
        (WALK, True),
        (np.random.default_rng(12).normal(0, 1, 90), False),
        # Changes that are as large as the level itself are no nearer.
        (np.where(np.arange(90) // 30 % 2, 5.0, 1.0) + np.arange(90) % 2 * 0.01, False),
        (WALK[:29], False),
        (np.full(90, 3.0), False),
    ],
)
def test_what_is_near_to_the_batch_before_and_far_from_its_level_wanders(series: np.ndarray, is_so: bool) -> None:
    assert wanders(series) is is_so
    found = by_changes(series)
    assert (found is not None) is is_so
    if found is not None:
        transform, values = found
        assert (transform.lag, transform.log) == (1, False)
        np.testing.assert_allclose(values, np.diff(series))
