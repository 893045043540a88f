"""What the values of the batch before tell: whether few whole numbers, or frequent values that come again, are worth saying."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_history.told_values import comes_by_chance, whole_by_chance
from avh_ui.metrics.profile import ColumnProfile

RNG = np.random.default_rng(2)


def profile(values: object) -> ColumnProfile:
    return ColumnProfile.from_arrow("x", pa.array(values))


PRICES = np.round(RNG.uniform(1, 500, 400), 2)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (PRICES, ""),
        (RNG.choice(PRICES[:10], 400), "few values"),
        (PRICES[:10], ""),
        (np.where(RNG.random(400) < 0.2, 0.0, PRICES), "are 0"),
        (np.where(RNG.random(400) < 0.2, 1.0, PRICES), ""),
        (RNG.integers(28, 160, 400) / 2, "halves"),
        (RNG.integers(4, 160, 400) / 4, ""),
        (RNG.normal(0, 1e-5, 400).round(7), "but 0"),
    ],
)
def test_few_whole_numbers_say_something_of_amounts_that_are_measured(values: np.ndarray, why: str) -> None:
    assert (why in whole_by_chance(profile(values))) if why else not whole_by_chance(profile(values))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (["negative"] * 97 + ["positive"] * 3, "no other is frequent"),
        (["negative"] * 70 + ["positive"] * 30, ""),
        ([f"p{k}" for k in range(90)] + ["none"] * 25, ""),
        ([0.0] * 60 + list(map(float, range(1, 41))), "no other is frequent"),
        (["Mon", "Tues", "Wed", "Thurs", "fri"] * 30, "days of the week"),
        (["Mon", "Tues", "Moon"] * 30, ""),
        (["Sun", "Sat"] * 30, ""),
    ],
)
def test_frequent_values_that_come_again_say_something_of_several(values: list[object], why: str) -> None:
    found = comes_by_chance("x", profile(values))
    assert (why in found) if why else not found


def test_without_a_batch_before_nothing_is_known() -> None:
    assert not whole_by_chance(None)
    assert not comes_by_chance("x", None)


def test_flags_of_days_are_days() -> None:
    flags = profile([0.0, 1.0] * 40)
    assert comes_by_chance("tues", flags)
    assert comes_by_chance("Friday", flags)
    assert not comes_by_chance("sunny", flags)
    assert not comes_by_chance("mo", flags)
