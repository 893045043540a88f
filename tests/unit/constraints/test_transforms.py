"""Transforms: the series, one value and the inverse must agree with each other and with a naive reading of Algorithm 5."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from avh_ui.constraints.transforms import IDENTITY, Transform
from tests.unit.constraints.strategies import TRANSFORMS, close

VALUES = st.floats(-1e12, 1e12)
SERIES = st.lists(VALUES | st.just(math.nan), max_size=12)


def naive(transform: Transform, series: list[float]) -> list[float]:
    logged = [(math.log1p(v) if v >= 0 else math.nan) if transform.log else v for v in series]
    return [v - logged[k - transform.lag] if k >= transform.lag > 0 else (math.nan if transform.lag else v) for k, v in enumerate(logged)]


@given(st.builds(Transform, st.integers(0, 15), st.booleans()), SERIES)
def test_a_series_is_transformed_as_the_paper_says(transform: Transform, series: list[float]) -> None:
    # NumPy's and C's log1p may differ in the last place.
    np.testing.assert_allclose(transform.apply(np.array(series, dtype=float)), naive(transform, series), rtol=1e-12, atol=1e-9)


@given(TRANSFORMS, SERIES)
def test_one_value_is_transformed_like_its_series(transform: Transform, series: list[float]) -> None:
    whole = transform.apply(np.array(series, dtype=float))
    for k in range(transform.lag, len(series)):
        one = transform.forward(series[k], series[k - transform.lag] if transform.lag else None)
        np.testing.assert_allclose(one, whole[k], rtol=1e-12, atol=1e-9)


@given(TRANSFORMS, VALUES, VALUES)
def test_inverse_undoes_forward(transform: Transform, value: float, reference: float) -> None:
    assume(not transform.log or (value >= 0 and reference >= 0))
    back = transform.inverse(transform.forward(value, reference), reference)
    assert back is not None
    assert close(back, value, max(abs(value), abs(reference)))


@given(TRANSFORMS, st.floats(-100, 100), st.floats(-100, 100), st.floats(0, 1e6))
def test_inverse_keeps_the_order_of_bounds(transform: Transform, a: float, b: float, reference: float) -> None:
    low, high = transform.inverse(min(a, b), reference), transform.inverse(max(a, b), reference)
    assert low is not None
    assert high is not None
    assert low <= high


def test_the_series_itself_is_never_changed() -> None:
    series = np.array([1.0, 2.0])
    IDENTITY.apply(series)[0] = 9
    assert list(series) == [1, 2]


def test_what_cannot_be_transformed_is_nan() -> None:
    assert math.isnan(Transform(log=True).forward(-1.0))
    assert math.isnan(Transform(1).forward(1.0))
    assert math.isnan(Transform(1).forward(1.0, math.nan))
    assert math.isnan(Transform(1, True).forward(1.0, -1.0))
    assert math.isnan(IDENTITY.forward(math.nan))


def test_a_bound_without_reference_stays_open() -> None:
    assert IDENTITY.inverse(None) is None
    assert Transform(1).inverse(None, 5.0) is None
    assert Transform(1).inverse(2.0) is None
    assert Transform(1).inverse(2.0, math.nan) is None
    assert Transform(1).inverse(2.0, 5.0) == 7.0


def test_bounds_beyond_the_range_of_a_double_are_infinite() -> None:
    assert Transform(log=True).inverse(1e6) == math.inf
    assert Transform(log=True).inverse(-1e6) == -1.0


def test_a_bound_drawn_over_a_series() -> None:
    series = np.array([1.0, 2.0, math.nan, 4.0])
    np.testing.assert_array_equal(IDENTITY.inverse_series(5.0, series), [5, 5, 5, 5])
    np.testing.assert_array_equal(Transform(1).inverse_series(1.0, series), [math.nan, 2, 3, math.nan])
    assert np.isnan(Transform(1).inverse_series(None, series)).all()
    assert np.isnan(Transform(9).inverse_series(1.0, series)).all()


def test_in_words() -> None:
    assert IDENTITY.describe() == "the value"
    assert Transform(1).describe() == "the change of the value against the batch before"
    assert Transform(7, True).describe() == "the change of the logarithm of the value against 7 batches before"


@given(TRANSFORMS)
def test_identity(transform: Transform) -> None:
    assert transform.is_identity == (transform == IDENTITY)


def test_a_lag_counts_back() -> None:
    with pytest.raises(ValueError, match="cannot be -1"):
        Transform(-1)
