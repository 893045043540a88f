"""Ranks, and where numbers end."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.ranks import ends_of, quantile_of, ranks


def test_equal_values_have_the_mean_of_their_ranks() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0, 3.0, 1.0])).tolist() == [4.0, 0.5, 4.0, 2.0, 4.0, 0.5]


def test_numbers_end_where_the_finite_ones_do() -> None:
    assert ends_of(np.array([3.0, np.nan, np.inf, -1.0, -np.inf])) == (-1.0, 3.0)
    assert np.isnan(ends_of(np.array([np.nan, np.inf]))).all()
    assert np.isnan(ends_of(np.empty(0))).all()


@given(st.lists(st.floats(0, 1e300) | st.integers(0, 9).map(float), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_those_of_numpy(numbers: list[float], share: float) -> None:
    ordered = np.sort(np.array(numbers))
    for wanted in (share, 0.1, 0.5, 1.0):
        assert quantile_of(ordered, wanted) == np.quantile(ordered, wanted)
