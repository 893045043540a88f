"""The backtest must say, batch by batch, what `judge` says."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.backtest import backtest, rate_of
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.judging import judge
from avh_ui.constraints.transforms import Transform
from tests.fakes.builders import constraint
from tests.unit.constraints.strategies import bounds


@given(bounds(), st.integers(0, 3), st.booleans(), st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), max_size=10))
def test_it_fires_where_a_verdict_would(ends: tuple[float | None, float | None], lag: int, log: bool, series: list[float]) -> None:
    made = Constraint("c", "mean", "numeric", *ends, Transform(lag, log))
    found = backtest(made, np.array(series, dtype=float))
    for k, value in enumerate(series):
        reference = series[k - lag] if lag and k >= lag else None
        verdict = judge(made, value, reference)
        # An undefined value is a violation of a new batch, and in a history the answer of other rules.
        assert found.judged[k] == (verdict.status != "not_evaluated" and not math.isnan(value))
        assert found.fired[k] == (found.judged[k] and verdict.status == "fail")
    assert found.fires == found.fired.sum()


def test_an_example() -> None:
    found = backtest(constraint(), np.array([1.5, 2.5, math.nan, 0.0, math.inf]))
    assert list(found.fired) == [False, True, False, True, False]
    assert list(found.judged) == [True, True, False, True, False]
    assert list(found.lower) == [1] * 5
    assert list(found.upper) == [2] * 5


def test_bounds_are_in_the_metrics_unit() -> None:
    found = backtest(constraint(transform=Transform(1)), np.array([10.0, 11.5, 20.0]))
    np.testing.assert_array_equal(found.lower, [math.nan, 11, 12.5])
    np.testing.assert_array_equal(found.upper, [math.nan, 12, 13.5])
    assert list(found.fired) == [False, False, True]
    assert np.isnan(backtest(constraint(lower=None), np.array([1.0])).lower).all()


def test_a_negative_value_under_a_logarithm_has_fired() -> None:
    # It could not be transformed, and `judge` calls it a violation: "it was never negative before".
    assert list(backtest(constraint(transform=Transform(0, True)), np.array([-1.0])).fired) == [True]


def test_no_batches() -> None:
    assert backtest(constraint(), np.array([])).fires == 0


def test_a_rate_is_of_a_law_only_where_the_metric_never_changed() -> None:
    share = Constraint("c", "complete_ratio", "numeric", 1.0, None)
    level = Constraint("c", "mean", "numeric", 0.0, None)

    def rate(made: Constraint, *series: float, wrong: tuple[bool, ...] = ()) -> float:
        return rate_of(made, backtest(made, np.array(series)), wrong)

    assert rate(share, 1, 1, 1, math.nan) == 5**-2.0
    assert rate(level, 7, 7, 7) == 5**-1.5
    assert rate(level, 7, 8, 9) == 0.5 / 4
    assert rate(share, 1, 0.5, 1) == 1.5 / 4
    # What somebody called wrong is no false alarm.
    assert rate(share, 1, 0.5, 1, wrong=(False, True, False)) == 4**-2.0
    assert rate(share, 0.5, wrong=(True,)) == 0, "and of what was wrong alone nothing is known"
    assert rate(share) == 2**-2.0
