"""What a column of texts holds is told by what is kept of it."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.column import EXACT
from avh_ui.metrics.held_types import held_type
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.written_numbers import is_number

texts = st.sampled_from(["0", "-1.50", "1e5", "2E-3", "07", "NA", "nil", "2026-01-31", "12:30", "", "e"]) | st.text(max_size=5)


def of(values: list[str | None]) -> str:
    return held_type(ColumnProfile.from_arrow("s", pa.array(values, pa.string()), "string"))


@given(st.lists(st.none() | texts, max_size=30))
def test_texts_that_are_all_numbers_are_numbers(values: list[str | None]) -> None:
    there = [value for value in values if value is not None]
    assert of(values) == ("number" if there and all(map(is_number, there)) else "string")


@pytest.mark.parametrize(
    ("written", "expected"),
    [("{}.5", "number"), ("{:05}", "string"), ("A{}", "string"), ("2026-01-{}", "string"), ("{}e1", "string")],
)
def test_of_more_texts_than_are_kept_their_letters_and_the_frequent_ones_tell_it(written: str, expected: str) -> None:
    values = [written.format(k) for k in range(2 * EXACT)]
    assert of([*values, *values[:100] * 5]) == expected


def test_what_is_no_column_of_texts_is_what_it_is() -> None:
    assert held_type(ColumnProfile.from_arrow("n", pa.array([1.0]), "number")) == "number"
    assert held_type(ColumnProfile.from_arrow("n", pa.array([1]), "bigint")) == "bigint"
