"""Moments that are all different by rule, and those that are so by chance."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.moments import pairs_by_chance, since_1970
from avh_ui.metrics.moments import MEAN

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


@pytest.mark.parametrize(("ticks", "days", "told"), [(1, 0, True), (1e3, 0.5, True), (1e6, -3, True), (1e3, 40, False), (7, 0, False)])
def test_numbers_that_are_their_batchs_date_are_moments(ticks: float, days: float, told: bool) -> None:
    dates = [date(2026, 11, 20) + timedelta(k) for k in range(15)]
    means = np.array([(day.toordinal() - date(1970, 1, 1).toordinal() + days) * DAY * ticks for day in dates])
    ids = tuple(day.isoformat() for day in dates)
    history = ColumnHistory("ts", "numeric", "int64", ids, {MEAN.name: means}, np.ones(15, dtype=bool))
    assert since_1970(history) is told
    assert not since_1970(ColumnHistory("ts", "numeric", "int64", tuple("abcdefghijklmno"), {MEAN.name: means}, np.ones(15, dtype=bool)))
