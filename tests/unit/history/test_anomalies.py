"""Anomaly strategies: Deequ's own cases, their laws, and what is different from Deequ on purpose."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import UsageError
from avh_ui.history.anomalies import AbsoluteChange, RelativeRateOfChange, Strategy, Threshold, along
from avh_ui.history.deviations import BatchNormal, OnlineNormal
from avh_ui.history.seasonal import HoltWinters, period_of, smoothed
from avh_ui.history.series import Series

# Facts of Deequ's tests (Apache License 2.0): series, strategy, interval and the places that fire.
CASES = json.loads((Path(__file__).parent / "deequ_anomalies.json").read_text(encoding="utf-8"))
KINDS: dict[str, type[Strategy]] = {
    kind.name: kind for kind in (Threshold, AbsoluteChange, RelativeRateOfChange, OnlineNormal, BatchNormal, HoltWinters)
}
VALUES = st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 3)), min_size=1, max_size=30).map(np.array)


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["id"])
def test_the_cases_of_deequ(case: dict[str, object]) -> None:
    series, strategy = np.array(CASES["series"][case["series"]]), KINDS[str(case["strategy"])](**case["parameters"])  # type: ignore[arg-type]
    if "ratios" in case:
        assert isinstance(strategy, RelativeRateOfChange)
        assert strategy.changes(series) == pytest.approx(case["ratios"], abs=1e-9)
    else:
        assert strategy.detect(series, *case["interval"]) == case["fires"]  # type: ignore[misc]


def online_by_deequ(series: Series, factor: float, start: int) -> list[int]:
    """Welford's recurrence as Deequ writes it, value by value."""
    mean = squares = 0.0
    found = []
    for k, value in enumerate(series.tolist()):
        last = (mean, squares)
        mean = value if k == 0 else mean + (value - mean) / (k + 1)
        squares += (value - last[0]) * (value - mean)
        if k >= start and abs(value - mean) > factor * np.sqrt(squares / (k + 1)) * (1 + 1e-9) + 1e-9:
            found.append(k)
            mean, squares = last
    return found


@given(VALUES, st.sampled_from([1.0, 1.5, 2.0, 3.0]), st.integers(0, 10))
def test_online_normal_is_welfords(series: Series, factor: float, start: int) -> None:
    # A value on its bound may fire in one and not in the other.
    strategy = OnlineNormal(factor * (1 + 1e-6), factor * (1 + 1e-6), ignore_start=0)
    expected = online_by_deequ(series, factor * (1 + 1e-6), start)
    assert strategy.detect(series, start) in (expected, online_by_deequ(series, factor, start))


@pytest.mark.parametrize(
    "strategy",
    [Threshold(-5, 5), AbsoluteChange(-2, 2), AbsoluteChange(upper=3, order=2), RelativeRateOfChange(0.5, 2, 2), BatchNormal(2, 2)],
)
@given(series=VALUES)
def test_the_bounds_of_the_next_value_are_those_that_detect_uses(strategy: Strategy, series: Series) -> None:
    *before, last = series.tolist()
    if len(before) < strategy.least:
        return
    lower, upper = strategy.following(np.array(before))
    assert (strategy.detect(series, len(before)) == [len(before)]) == (last < lower or last > upper)


@pytest.mark.parametrize("strategy", [Threshold(0, 2), AbsoluteChange(-2, 2), OnlineNormal(2, 2), BatchNormal(2, 2), HoltWinters(2)])
def test_a_series_may_be_a_list(strategy: Strategy) -> None:
    series = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 99]
    assert strategy.detect(series, 8) == strategy.detect(np.array(series, float), 8) == [11]
    assert strategy.following(series[:11]) == strategy.following(np.array(series[:11], float))


@given(VALUES)
def test_changes_of_an_order_are_differences(series: Series) -> None:
    changed = np.diff(series, 2)
    fires = [k + 2 for k, change in enumerate(changed.tolist()) if change > 10]
    found = set(AbsoluteChange(upper=10, order=2).detect(series))
    near = {k + 2 for k, change in enumerate(changed.tolist()) if abs(change - 10) < 1e-6}
    assert found ^ set(fires) <= near


def test_an_open_side_stays_open_where_all_values_are_equal() -> None:
    same = np.full(20, 0.1)
    assert OnlineNormal(None, 3.0).following(same)[0] == -np.inf
    assert BatchNormal(3.0, None).following(same)[1] == np.inf
    assert BatchNormal().detect(np.append(same, 0.1), 20) == OnlineNormal().detect(np.append(same, 0.1)) == []
    assert BatchNormal().detect(np.append(same, 0.1001), 20) == [20]


def test_zero_before_leaves_room_for_zero_alone() -> None:
    assert RelativeRateOfChange(0.5, 2).detect(np.array([0.0, 0.0, 1.0, 0.0])) == [2, 3]
    assert RelativeRateOfChange(upper=2).detect(np.array([-1.0, -3.0, -1.0])) == [1]


def test_too_short_a_history_says_how_long_it_must_be() -> None:
    with pytest.raises(UsageError, match="online normal, 3 standard deviations needs 10 batches before this one, and there are 9"):
        OnlineNormal().following(np.arange(9.0))
    with pytest.raises(UsageError, match="No period was found in 10 batches"):
        HoltWinters().following(np.arange(10.0))
    with pytest.raises(UsageError, match=r"period 7.* needs 14 batches"):
        HoltWinters(7).following(np.arange(10.0))


@pytest.mark.parametrize("make", [
    Threshold, lambda: Threshold(2, 1), lambda: OnlineNormal(-1), lambda: OnlineNormal(None, None),
    lambda: AbsoluteChange(1, order=-1), lambda: RelativeRateOfChange(1, order=0), lambda: HoltWinters(1), lambda: HoltWinters(7, 0),
    lambda: Threshold(float("nan")),
    lambda: OnlineNormal(ignore_start=2), lambda: Threshold("1"),
])  # fmt: skip
def test_what_is_no_strategy(make: object) -> None:
    with pytest.raises(UsageError):
        make()  # type: ignore[operator]


def seasonal(n: int) -> Series:
    """A week of 10 around a level of 100, with noise of 1."""
    return 100 + 10 * np.sin(np.arange(n) * 2 * np.pi / 7) + np.random.default_rng(0).normal(0, 1, n)


def test_the_period_is_found_and_judges_a_season() -> None:
    series = seasonal(120)
    assert [period_of(series[:n]) for n in (15, 28, 60, 120)] == [7, 7, 7, 7]
    assert period_of(np.random.default_rng(1).normal(0, 1, 100)) is None
    assert period_of(np.full(50, 3.3)) is None
    flat = series.copy()
    flat[100] = series[100 - 3]  # half a week out of step
    assert HoltWinters().detect(flat, 100, 101) == [100]
    assert BatchNormal().detect(flat, 100, 101) == []
    # Deequ's width, from the absolute errors, fires on one clean batch in four.
    lower, upper = along(HoltWinters(), series)
    assert np.isnan(lower[:14]).all()
    assert ((series < lower) | (series > upper)).sum() <= 12


@pytest.mark.parametrize(
    "strategy", [OnlineNormal(2), BatchNormal(upper=None), Threshold(1), HoltWinters(7), RelativeRateOfChange(upper=2, order=3)]
)
def test_a_strategy_is_plain_data(strategy: Strategy) -> None:
    assert type(strategy)(**strategy.record) == strategy


def test_holt_winters_is_that_of_statsmodels() -> None:
    from statsmodels.tsa.holtwinters import ExponentialSmoothing

    series = seasonal(60)
    first, second = series[:7], series[7:14]
    level, trend = first.mean(), (second.sum() - first.sum()) / 49
    model = ExponentialSmoothing(
        series, trend="add", seasonal="add", seasonal_periods=7, initialization_method="known", initial_level=level, initial_trend=trend,
        initial_seasonal=first - level,
    )  # fmt: skip
    given_ = model.fit(smoothing_level=0.3, smoothing_trend=0.2, smoothing_seasonal=0.1, optimized=False)
    # One period ahead statsmodels takes the season of the last batch as it was before that batch.
    errors, ahead = smoothed(series, 7, (0.3, 0.2, 0.1), 6)
    assert errors == pytest.approx(given_.resid)
    assert ahead == pytest.approx(given_.forecast(6))
    best = model.fit()
    width = HoltWinters(7, 1).following(series)
    assert (width[1] - width[0]) / 2 <= np.sqrt(np.mean(best.resid**2)) * 1.001 + 1e-3


def test_values_that_are_not_there_are_left_out() -> None:
    lower, upper = along(AbsoluteChange(-1, 1), np.array([1.0, np.nan, 2.0, 5.0]))
    np.testing.assert_array_equal(lower, [np.nan, np.nan, 0.0, 1.0])
    np.testing.assert_array_equal(upper, [np.nan, np.nan, 2.0, 3.0])
