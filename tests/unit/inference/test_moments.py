"""Moments that are all different by rule, and those that are so by chance."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.inference.kinds.moments import pairs_by_chance

DAY = 86_400.0


def test_days_of_which_each_has_one_row_are_no_chance() -> None:
    assert pairs_by_chance(np.arange(91) * DAY) == pytest.approx(45)
    # Nor are the hours of a day, whatever the order.
    assert pairs_by_chance(np.random.default_rng(0).permutation(24) * 3_600.0) == pytest.approx(11.5)


def test_moments_of_a_day_are_all_different_by_chance() -> None:
    moments = np.round(np.random.default_rng(0).uniform(0, DAY, 100), 2) + 1.45e9
    assert pairs_by_chance(moments) < 0.01


def test_of_one_value_or_none_nothing_is_known() -> None:
    assert pairs_by_chance(np.zeros(0)) == pairs_by_chance(np.ones(1)) == pairs_by_chance(np.ones(5)) == 0
