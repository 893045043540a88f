"""Propositions 1 to 3 as the paper states them, and the calibrated costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from avh_ui.inference.by_history import bounds

SIGMAS = st.floats(1e-6, 1e6)
KS = st.floats(0.01, 40)


def at(value: float) -> np.ndarray:
    return np.array([value])


def test_example_4() -> None:
    assert bounds.chebyshev(0.01, at(0.05))[0] == pytest.approx(0.04)
    assert bounds.chebyshev(0.01, at(0.1))[0] == pytest.approx(0.01)


@given(SIGMAS, KS)
def test_equation_5(sigma: float, k: float) -> None:
    assert bounds.chebyshev(sigma, at(k * sigma))[0] == pytest.approx(min(1, (sigma / (k * sigma)) ** 2))


@given(SIGMAS, KS)
def test_equation_6(sigma: float, k: float) -> None:
    beta = k * sigma
    assert bounds.cantelli(sigma, at(beta))[0] == pytest.approx(sigma**2 / (beta**2 + sigma**2))


@given(SIGMAS, st.floats(0.01, 6))
def test_equation_7(sigma: float, k: float) -> None:
    integral, _ = quad(lambda t: math.exp(-t * t), 0, k / math.sqrt(2))
    assert bounds.central_limit(sigma, at(k * sigma))[0] == pytest.approx(1 - 2 / math.sqrt(math.pi) * integral, abs=1e-9)


def test_known_values() -> None:
    assert bounds.cantelli(1, at(3))[0] == pytest.approx(0.1)
    assert bounds.central_limit(1, np.array([1.0, 2.0, 3.0])) == pytest.approx([0.3173105, 0.0455003, 0.0026998], abs=1e-7)
    # erfc keeps digits where 1 - erf is 0.
    assert 0 < bounds.central_limit(1, at(20))[0] < 1e-80


@pytest.mark.parametrize("bound", [bounds.chebyshev, bounds.cantelli, bounds.central_limit])
def test_a_constant_costs_nothing_on_paper(bound: object) -> None:
    assert bound(0.0, np.array([0.0, 1.0])).tolist() == [0, 0]  # type: ignore[operator]


@given(st.integers(7, 100), st.floats(0.5, 6), st.booleans())
def test_the_calibrated_rate_is_a_prediction_interval(n: int, k: float, one_sided: bool) -> None:
    expected = stats.t(n - 1).sf(k / math.sqrt(1 + 1 / n)) * (1 if one_sided else 2)
    assert bounds.student(at(k), n, one_sided=one_sided)[0] == pytest.approx(max(expected, bounds.LEAST_RATE))


def test_the_calibrated_rate_holds_where_the_plug_in_does_not() -> None:
    draws = np.random.default_rng(0).normal(size=(200_000, 13))
    known, new = draws[:, :12], draws[:, 12]
    k, outside = 3.0, np.abs(new - known.mean(axis=1)) > 3.0 * known.std(axis=1, ddof=1)
    assert outside.mean() == pytest.approx(bounds.student(at(k), 12, one_sided=False)[0], rel=0.05)
    assert outside.mean() > 3 * bounds.central_limit(1, at(k))[0]


@pytest.mark.parametrize("method", ["paper", "calibrated"])
@pytest.mark.parametrize("proposition", [1, 2, 3])
def test_wider_costs_less(method: bounds.Method, proposition: int) -> None:
    rates = bounds.false_positive_rate(method, proposition, 2.0, bounds.GRID_K * 2.0, 30)  # type: ignore[arg-type]
    assert (np.diff(rates) <= 0).all()
    assert ((rates >= 0) & (rates <= 1)).all()


def test_the_grid_reaches_chebyshev_at_one_in_a_thousand() -> None:
    assert bounds.GRID_K[[0, 1, -1]].tolist() == [1, 1.5, 40]
    assert bounds.chebyshev(1.0, bounds.GRID_K).min() < 0.001
