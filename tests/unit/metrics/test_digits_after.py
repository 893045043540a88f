"""How many digits numbers have after the point, of whatever type."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.digits_after import MOST, DigitsAfter, digits_after
from avh_ui.metrics.profile import ColumnProfile

VALUES = [3, 0.5, -2.25, 1.125, 7.1234, 1 / 3, 1e17, 12.5]


def of(values: pa.Array, type_name: str = "double") -> DigitsAfter:
    return digits_after(ColumnProfile.from_arrow("x", values, type_name))


@pytest.mark.parametrize(("kind", "name"), [(pa.float64(), "double"), (pa.float32(), "float")])
def test_each_number_has_as_many_as_it_needs(kind: pa.DataType, name: str) -> None:
    assert of(pa.array(VALUES, pa.float64()).cast(kind), name) == DigitsAfter(8, (6 / 8, 4 / 8, 3 / 8, 2 / 8))


def test_decimals_are_counted_without_zeros_at_their_end() -> None:
    amounts = pa.array([Decimal("12.50"), Decimal("3.00"), Decimal("0.57"), Decimal("1.10")], pa.decimal128(10, 2))
    assert of(amounts, "decimal(10,2)") == DigitsAfter(4, (3 / 4, 1 / 4, 0.0, 0.0))


def test_without_numbers_there_is_nothing_to_tell() -> None:
    assert of(pa.array([None, float("nan")], pa.float64())) == DigitsAfter()
    assert of(pa.array([None], pa.string()), "string") == DigitsAfter()
    assert of(pa.array([True]), "boolean") == DigitsAfter()


def test_numbers_within_texts_have_them_as_they_are_written() -> None:
    assert of(pa.array(["12.50 EUR", "$1,234.5", "7", None]), "string") == DigitsAfter(3, (2 / 3, 1 / 3, 0.0, 0.0))


def test_infinities_have_none() -> None:
    assert of(pa.array([float("inf"), float("-inf"), 0.5, 1.5])) == DigitsAfter(4, (0.5, 0.0, 0.0, 0.0))


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1), st.integers(0, MOST))
def test_rounded_numbers_have_no_more_digits(numbers: list[int], places: int) -> None:
    found = of(pa.array([number / 10**places for number in numbers], pa.float64()))
    expected = [
        sum(number % 10 ** (places - k + 1) != 0 for number in numbers) / len(numbers) if k <= places else 0.0 for k in range(1, MOST + 1)
    ]
    assert found.shares == pytest.approx(expected)


def test_of_a_sketch_as_many_are_counted_as_it_keeps() -> None:
    rng = np.random.default_rng(5)
    cents = of(pa.array(np.round(rng.lognormal(5, 1, 50_000), 2)))
    assert 200 < cents.numbers < 5_000
    assert cents.shares[0] == pytest.approx(0.99, abs=0.03)
    assert cents.shares[1] == pytest.approx(0.9, abs=0.06)
    assert cents.shares[2:] == (0.0, 0.0)
    assert of(pa.array(np.arange(50_000) * 3.0)).shares == (0.0,) * MOST
