"""Edges of the bars of values: around each value while they are few."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.metrics.binning import bin_edges, binned


@pytest.mark.parametrize(("value", "edges"), [(2013.0, (2012.5, 2013.5)), (0.0, (-0.5, 0.5)), (37.4, (35.53, 39.27))])
def test_a_column_of_one_value_has_one_bar_around_it(value: float, edges: tuple[float, float]) -> None:
    assert bin_edges([(np.array([value]), np.array([1.0]))]) == pytest.approx(edges)


@pytest.mark.parametrize("value", [2.0**53, -(2.0**60), 1e300, 1e-300])
def test_the_bar_of_any_number_is_as_wide_as_can_be_seen(value: float) -> None:
    support = np.array([value]), np.array([1.0])
    low, high = edges = bin_edges([support])
    assert low < value < high
    assert binned(support, edges).tolist() == [1.0]
