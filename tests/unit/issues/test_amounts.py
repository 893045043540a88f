"""D(C) of amounts: one far away, and all rounded, by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.issues.amounts import amount_issues
from avh_ui.issues.sample import Sample


def made(values: list[float | None]) -> dict[str, list[float | None]]:
    found = amount_issues(Sample.from_arrow(pa.array(values, pa.float64())))
    return {one.name: one.array.to_pylist() for one in found}


def test_the_first_value_is_a_thousand_times_the_largest_or_all_are_whole() -> None:
    assert made([2.4, None, -7.5, 3.0]) == {
        "amounts one far away": [7_500.0, None, -7.5, 3.0],
        "amounts rounded": [2.0, None, -8.0, 3.0],
    }


def test_what_mostly_is_whole_is_not_rounded() -> None:
    assert list(made([1.0, 2.0, 3.5])) == ["amounts one far away"]


@pytest.mark.parametrize("values", [[None], [0.0, 0.0], [1e306, 2e306]])
def test_of_nothing_zeros_and_the_largest_numbers_none_is_far(values: list[float | None]) -> None:
    assert not made(values)


def test_texts_and_moments_have_none() -> None:
    assert not list(amount_issues(Sample.from_arrow(pa.array(["a b"]))))
    assert not list(amount_issues(Sample.from_arrow(pa.array([1], pa.timestamp("s")))))
