"""Ranks, and where numbers end."""

import numpy as np

from avh_ui.metrics.ranks import ends_of, ranks


def test_equal_values_have_the_mean_of_their_ranks() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0, 3.0, 1.0])).tolist() == [4.0, 0.5, 4.0, 2.0, 4.0, 0.5]


def test_numbers_end_where_the_finite_ones_do() -> None:
    assert ends_of(np.array([3.0, np.nan, np.inf, -1.0, -np.inf])) == (-1.0, 3.0)
    assert np.isnan(ends_of(np.array([np.nan, np.inf]))).all()
    assert np.isnan(ends_of(np.empty(0))).all()
