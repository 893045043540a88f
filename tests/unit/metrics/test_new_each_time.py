"""Texts that are new in each batch, against a count by hand."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.new_each_time import THERE_BEFORE
from avh_ui.metrics.profile import ColumnProfile

samples = st.lists(st.text("abc", min_size=1, max_size=2), min_size=1, max_size=25)


def profile(values: list[str | None]) -> ColumnProfile:
    return ColumnProfile.from_arrow("session", pa.array(values, pa.string()))


def share(ours: list[str | None], before: list[str | None]) -> float:
    return THERE_BEFORE.value(profile(ours).states, profile(before).states)


def ids(first: int, end: int) -> list[str | None]:
    return [f"s-{number}" for number in range(first, end)]


@given(samples, samples)
def test_it_is_the_share_of_the_different_values_that_were_there(ours: list[str], before: list[str]) -> None:
    assert share([*ours], [*before]) == pytest.approx(len({*ours} & {*before}) / len({*ours}))


@pytest.mark.parametrize("first", [0, 30_000, 70_000, 110_000])
def test_of_sketches_new_ones_are_none_and_a_half_is_near(first: int) -> None:
    assert share(ids(first, first + 20_000), ids(first + 20_000, first + 40_000)) == 0
    assert share(ids(first, first + 20_000), ids(first, first + 20_000)) == pytest.approx(1, abs=0.05)
    assert share(ids(first, first + 20_000), ids(first + 10_000, first + 30_000)) == pytest.approx(0.5, abs=0.12)


def test_without_values_on_a_side_there_is_none() -> None:
    assert math.isnan(share([None], ["a"]))
    assert math.isnan(share(["a"], [None]))


def test_an_alarm_says_how_many_came_again() -> None:
    assert THERE_BEFORE.tells is not None
    ours, before, many = (profile(values).states["frequencies"] for values in (ids(0, 40), ids(10, 400), ids(0, 5_000)))
    assert THERE_BEFORE.tells(ours, before) == "30 of 40 values were in the batch before, too."
    assert THERE_BEFORE.tells(ours, profile(["x"]).states["frequencies"]) == ""
    assert THERE_BEFORE.tells(many, many).startswith("about ")
