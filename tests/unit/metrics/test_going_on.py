"""Numbers that go on from those of the batch before, against a count by hand."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.going_on import NOT_ABOVE
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.rank_sketches import KLL_RANK_ERROR

samples = st.lists(st.integers(-5, 5), min_size=1, max_size=25)


def profile(values: list[int | None] | range) -> ColumnProfile:
    return ColumnProfile.from_arrow("order_id", pa.array(list(values), pa.int64()))


def share(ours: list[int | None] | range, before: list[int | None] | range) -> float:
    return NOT_ABOVE.value(profile(ours).states, profile(before).states)


@given(samples, samples)
def test_it_is_the_share_up_to_the_largest_before(ours: list[int], before: list[int]) -> None:
    assert share(ours, before) == pytest.approx(sum(v <= max(before) for v in ours) / len(ours))


def test_of_sketches_nothing_and_all_are_exact_and_between_is_near() -> None:
    assert share(range(20_000, 40_000), range(20_000)) == 0
    assert share(range(19_999, 40_000), range(20_000)) > 0
    assert share(range(20_000), range(20_000)) == 1
    assert share(range(15_000, 35_000), range(20_000)) == pytest.approx(0.25, abs=2 * KLL_RANK_ERROR)


def test_without_values_on_a_side_there_is_none() -> None:
    assert math.isnan(share([None], [1]))
    assert math.isnan(share([1], [None]))


def test_an_alarm_says_where_both_begin_and_end() -> None:
    assert NOT_ABOVE.tells is not None
    ours, before = (profile(values).states["distribution"] for values in (range(1, 50), range(5_000_000, 5_108_062)))
    assert NOT_ABOVE.tells(ours, before) == "the smallest is 1, and the batch before ended at 5,108,061."
    assert NOT_ABOVE.tells(before, ours) == ""
