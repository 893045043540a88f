"""The constant of a product, told by what rounding leaves open."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.inference.by_relation.cells import Mined
from avh_ui.inference.by_relation.constants import roundest
from avh_ui.inference.by_relation.linear import linear
from avh_ui.inference.by_relation.mining import mine
from avh_ui.inference.by_relation.multiples import multiples
from avh_ui.metrics.profiler import Watch
from tests.unit.by_relation.test_mining import Columns, drawn, mined


@given(value=st.floats(1e-6, 1e6), width=st.floats(1e-4, 0.5))
def test_the_constant_is_the_number_of_the_fewest_digits_between_both_ends(value: float, width: float) -> None:
    """Against all numbers of so many digits, and all that divide by one."""
    low, high = value * (1 - width), value * (1 + width)
    found = roundest(low, high)
    assert found is not None
    assert low * (1 - 1e-6) <= found.times <= high * (1 + 1e-6)
    digits = len(f"{found.value:.12e}".split("e")[0].replace(".", "").rstrip("0"))
    for shorter, scale in itertools.product(range(10 ** max(digits - 2, 0), 10 ** (digits - 1)), range(-12, 13)):
        assert not low * (1 + 1e-6) < shorter * 10.0**scale < high * (1 - 1e-6)


def test_a_rate_of_the_day_is_no_constant() -> None:
    def of_day(rng: np.random.Generator, rows: int) -> Columns:
        pounds = np.round(rng.gamma(3, 40, rows), 2)
        return {"pounds": pounds, "euros": np.round(pounds * rng.normal(1.17, 0.01), 2)}

    assert not [r for r in mined(of_day) if r.family in ("product", "linear")]


@pytest.mark.parametrize("rate", [1.172934, 0.4536])
def test_a_constant_of_many_digits_is_what_some_rows_had(rate: float) -> None:
    rng = np.random.default_rng(3)
    pounds = np.round(rng.gamma(3, 4_000, 600), 2)
    rows = drawn("one", {"pounds": pounds, "euros": np.round(pounds * rate, 2)})
    found = [r.says for r in mine([rows], list(rows.cells), untyped=False, watch=Watch()) if r.family == "linear"]
    assert found == (["euros is 0.4536 times pounds, rounded"] if rate == 0.4536 else [])


def test_few_orders_that_come_again_are_no_evidence() -> None:
    rng = np.random.default_rng(3)
    price = np.tile(np.round(rng.gamma(3, 40, 6), 2), 50)
    rows = drawn("one", {"price": price, "gross": np.round(1.19 * price, 2)})
    assert not list(linear(Mined.of([rows], list(rows.cells), untyped=False), set(), (), ()))


def test_infinite_and_missing_numbers_are_no_warning_and_no_product() -> None:
    odd = np.where(np.arange(300) % 7 == 0, np.inf, np.arange(300.0))
    rows = drawn("one", {"a": odd, "b": np.where(odd < 50, np.nan, 1.19 * odd), "c": np.zeros(300), "d": np.arange(300.0) % 3})
    assert not list(multiples(Mined.of([rows], list(rows.cells), untyped=False), set(), (), ()))


def test_a_total_that_hardly_varies_is_no_product() -> None:
    """All books are lent for 28 days, whatever their number: no 350,000,000,000 makes the one of the other."""
    numbers = np.random.default_rng(3).integers(9_780_000_000_000, 9_789_999_999_999, 300).astype(float)
    rows = drawn("one", {"isbn": numbers, "days": np.full(300, 28.0)})
    assert not [r.says for r in mine([rows], list(rows.cells), untyped=False, watch=Watch()) if r.family in ("product", "linear")]
