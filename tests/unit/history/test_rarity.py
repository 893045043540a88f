"""How rare a movement is: held against the column's own before, and without what only follows the number of rows."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.history.movement import column_movements
from avh_ui.history.rarity import Rarity, times_usual
from avh_ui.history.series import ColumnHistory


def column(**values: np.ndarray) -> ColumnHistory:
    """A column of a number with these metrics."""
    count = len(next(iter(values.values())))
    return ColumnHistory("c", "numeric", "double", tuple(f"b{k}" for k in range(count)), values, np.ones(count, dtype=bool))


def naive(moved: np.ndarray, at: int) -> float:
    known = sorted(value for value in moved[max(0, at - 60) : at] if not np.isnan(value))
    if np.isnan(moved[at]):
        return float("nan")
    usual = max(known[int(np.ceil(0.9 * len(known))) - 1], 1.0) if len(known) >= 10 else 4.0
    return float(moved[at] / usual)


def test_it_is_as_the_plain_rule_says() -> None:
    rng = np.random.default_rng(3)
    moved = rng.exponential(2.0, 200)
    moved[rng.random(200) < 0.1] = np.nan
    expected = [naive(moved, at) for at in range(200)]
    np.testing.assert_allclose(times_usual(moved), expected)
    np.testing.assert_allclose([Rarity.among(moved[at], moved[:at]).times for at in range(200)], expected)


def test_a_column_that_often_moves_far_is_not_rare_and_another_is() -> None:
    restless, calm = np.full(80, 4.0), np.full(80, 0.5)
    assert times_usual(np.append(restless, 5.0))[-1] == 1.25
    assert times_usual(np.append(calm, 5.0))[-1] == 5
    assert times_usual(np.append(calm[:9], 5.0))[-1] == times_usual(np.array([5.0]))[0] == 1.25


def test_it_is_read_in_a_line_and_in_a_sentence() -> None:
    times = "\N{MULTIPLICATION SIGN}"
    far = Rarity(16.2, 0, 60, beyond=True)
    assert (far.words, far.far) == (f"> 16{times}, none in 60", f"more than 16{times} as far as usual")
    assert (Rarity(1.14, 4, 55).far, Rarity(0.4, 20, 55).far, Rarity(float("nan")).far) == (f"1.1{times} as far as usual", "as usual", "")


@pytest.mark.parametrize("mean", [100.0, 160.0])
def test_a_sum_that_follows_the_rows_has_not_moved_where_they_did(mean: float) -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(1_000, 20, 100).round()
    rows[-1] = 500
    means = rng.normal(100, 1, 100)
    means[-1] = mean
    made = column(mean=means, sum=means * rows)
    (alone,), (explained,) = column_movements([made]), column_movements([made], rows=rows)
    assert alone[-1] > 10
    # Half the rows have half the sum; another mean is seen beside it.
    assert (explained[-1] > 10) == (mean > 100)
