"""Ranks, and how many values are alike."""

import numpy as np

from avh_ui.metrics.ranks import alike, ranks


def test_equal_values_have_the_mean_of_their_ranks() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0, 3.0, 1.0])).tolist() == [4.0, 0.5, 4.0, 2.0, 4.0, 0.5]


def test_of_each_value_it_is_told_how_many_are_as_large() -> None:
    assert alike(np.array([3.0, np.nan, 3.0, -1.0, np.nan])).tolist() == [2, 1, 2, 1, 1]
