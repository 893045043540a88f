"""Values that are gone from one batch to the next, against a count by hand."""

from __future__ import annotations

import math
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.values_gone import GONE, NUMBER_GONE, by_chance

counted = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 120), min_size=1)


def profile(values: list[str | None]) -> ColumnProfile:
    return ColumnProfile.from_arrow("carrier", pa.array(values, pa.string()))


def rows(counts: dict[str, int]) -> list[str | None]:
    return [value for value, count in counts.items() for _ in range(count)]


def share(ours: list[str | None], before: list[str | None]) -> float:
    return GONE.value(profile(ours).states, profile(before).states)


def by_hand(now: dict[str, int], then: dict[str, int]) -> float:
    """The largest share of a value that is gone and would not be by chance: each of its rows is one of the batch before, or of this one."""
    before, rest = sum(then.values()), sum(now.values())
    gone = [count for value, count in then.items() if value not in now and (before / (before + rest)) ** count < 1e-6]
    return max(gone, default=0) / before


@given(counted, counted)
def test_it_is_the_share_of_the_most_frequent_value_that_is_gone(now: dict[str, int], then: dict[str, int]) -> None:
    assert share(rows(now), rows(then)) == pytest.approx(by_hand(now, then))
    codes = {name: float(ord(name)) for name in "abcdef"}
    ours, before = (
        ColumnProfile.from_arrow("code", pa.array([codes[name] for name in rows(counts) if name is not None])) for counts in (now, then)
    )
    assert NUMBER_GONE.value(ours.states, before.states) == pytest.approx(by_hand(now, then))


def test_twenty_rows_of_batches_of_one_size_are_no_chance() -> None:
    assert by_chance(1_000, 1_000) == pytest.approx(math.log2(1e6))
    ours: list[str | None] = ["UA"] * 1_000
    assert share(ours, [*["UA"] * 980, *["HA"] * 20]) == pytest.approx(0.02)
    assert share(ours, [*["UA"] * 981, *["HA"] * 19]) == 0
    # Of a tenth of the rows nobody expects as many.
    assert share(ours[:100], [*["UA"] * 980, *["HA"] * 20]) == 0


def test_of_more_values_than_are_counted_those_that_may_be_there_are_not_gone() -> None:
    once: list[str | None] = [f"v{k}" for k in range(3_000)]
    assert share(once, [f"w{k}" for k in range(3_000)]) == 0
    assert share(once, [*once, *["HA"] * 90]) == pytest.approx(90 / 3_090, abs=1e-3)
    assert share([*once, *["HA"] * 90], [*once, *["HA"] * 90]) == 0
    # Thirty rows of each value, so that the table names none.
    often: list[str | None] = [f"v{k}" for k in range(1_500) for _ in range(30)]
    assert share(often, often[:20_000]) == 0
    assert share(often, [*often[:20_000], *["HA"] * 90]) == pytest.approx(90 / 20_090)


def test_of_sketched_numbers_none_is_told() -> None:
    many = ColumnProfile.from_arrow("code", pa.array([float(k) for k in range(3_000)]))
    few = ColumnProfile.from_arrow("code", pa.array([0.5] * 3_000))
    assert NUMBER_GONE.value(many.states, few.states) == 0
    assert NUMBER_GONE.value(few.states, many.states) == 0


def test_without_values_on_a_side_there_is_none() -> None:
    assert math.isnan(share([None], ["a"]))
    assert math.isnan(share(["a"], [None]))


def test_an_alarm_names_the_value() -> None:
    before = Counter({"UA": 970, "HA": 30})
    states = [profile(rows(counts)).states["frequencies"] for counts in ({"UA": 970}, before)]
    assert GONE.tells is not None
    assert GONE.tells(*states) == "'HA' is gone: it was 3% of the values (30 of 1,000)."
    assert GONE.tells(states[1], states[0]) == ""
    numbers = [ColumnProfile.from_arrow("c", pa.array(v)).states["distribution"] for v in ([1.0] * 900, [1.0] * 900 + [5.0] * 100)]
    assert NUMBER_GONE.tells is not None
    assert NUMBER_GONE.tells(*numbers) == "5 is gone: it was 10% of the values (100 of 1,000)."
