"""Factors between batches and exchanged columns, told from quartiles: the usual ones, and nothing of what a day does by itself."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.quartiles import exchanged, level_words

RNG = np.random.default_rng(7)
VOLUMES = RNG.lognormal(9, 0.8, 400)


def column(values: object, name: str = "volume") -> ColumnProfile:
    return ColumnProfile.from_arrow(name, pa.array(values))


def told(now: object, then: object) -> str:
    return level_words(column(now).states, column(then).states)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (1_000, "about 1,000 times as large"), (100, "about 100 times as large"), (10, "about ten times as large"),
        (0.1, "about a tenth as large"), (0.01, "about a hundredth as large"), (0.001, "about a thousandth as large"),
        (1.609, "about 1.6 times as large (miles and kilometres?)"), (1 / 1.609, "about 0.62 times as large (miles and kilometres?)"),
    ],
)  # fmt: skip
def test_all_of_another_unit_is_told_by_its_factor(times: float, said: str) -> None:
    assert told(VOLUMES * times, VOLUMES) == said
    assert told(-VOLUMES * times, -VOLUMES) == said
    # The day before had other numbers of the same kind.
    assert told(VOLUMES * 1.02 * times, VOLUMES) == said


@pytest.mark.parametrize("times", [1, 1.1, 1.4, 2, 3, 5, 30, 300, -1, 0.5, 0.3, 0.03])
def test_other_factors_say_nothing(times: float) -> None:
    assert told(VOLUMES * times, VOLUMES) == ""


def test_a_part_of_the_rows_few_numbers_and_zeros_say_nothing() -> None:
    half = VOLUMES.copy()
    half[::2] *= 1_000
    assert told(half, VOLUMES) == ""
    assert told([1_000.0, 2_000.0, 3_000.0], [1.0, 2.0, 3.0]) == ""
    assert told([0] * 40, [0] * 40) == ""
    assert told(["a"] * 9, VOLUMES) == ""


@given(st.lists(st.integers(1, 10**6), min_size=5, max_size=40))
def test_a_factor_backwards_is_its_inverse(values: list[int]) -> None:
    more = [10 * value for value in values]
    assert (told(more, values), told(values, more)) == ("about ten times as large", "about a tenth as large")


def test_two_exchanged_columns_are_told_and_no_others() -> None:
    sales, listings, price = RNG.normal(120, 9, 300), RNG.normal(900, 50, 300), RNG.normal(125, 9, 300)
    then = {name: column(values, name) for name, values in (("sales", sales), ("listings", listings), ("price", price))}
    now = {**then, "sales": column(listings * 1.03, "sales"), "listings": column(sales * 0.98, "listings")}
    assert exchanged(["sales", "listings", "price"], now, then) == ("sales", "listings")
    assert exchanged(["sales", "", "gone"], now, then) is None
    # One that became another one, and two that were alike before, are no exchange.
    assert exchanged(["sales", "listings"], {**then, "sales": column(listings, "sales")}, then) is None
    assert exchanged(["sales", "price"], {**then, "sales": then["price"], "price": then["sales"]}, then) is None
    assert exchanged(["sales", "listings", "price"], then, then) is None
