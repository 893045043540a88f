"""Batches that did not come, by the rhythm of those that did."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.history.holes import missing_between, missing_steps
from avh_ui.history.looking_back import WEEK


def days(count: int, *gone: int, weekends: bool = True) -> list[str]:
    every = [date(2026, 3, 2) + timedelta(days=k) for k in range(count)]
    return [f"sales_{day:%Y%m%d}" for k, day in enumerate(every) if k not in gone and (weekends or day.weekday() < 5)]


@given(gone=st.sets(st.integers(25, 28)))
def test_each_day_that_did_not_come_is_missing(gone: set[int]) -> None:
    every, there = days(30), days(29, *gone)
    assert missing_between(there, every[24], every[29]) == len(gone)


def test_a_weekend_is_no_hole_where_nothing_comes_on_weekends() -> None:
    before = days(40, weekends=False)
    monday, wednesday = "sales_20260413", "sales_20260415"
    assert before[-1] == "sales_20260410"
    assert missing_between(before, before[-1], monday) == 0
    assert missing_between([*before, monday], monday, wednesday) == 1
    assert missing_between(before, before[-1], "sales_20260420") == 5


def test_days_without_a_weekday_of_their_own_have_no_holes() -> None:
    start = date(2026, 3, 2)
    every_third = [f"{start + timedelta(days=3 * k)}" for k in range(30)]
    assert missing_between(every_third, every_third[-1], f"{start + timedelta(days=100)}") == 0


@pytest.mark.parametrize("count", [20, 31, 60])
def test_days_between_are_no_holes_where_every_second_one_has_a_batch(count: int) -> None:
    start = date(2026, 3, 2)
    every_second = [f"{start + timedelta(days=2 * k)}" for k in range(count)]
    for k in range(15, count):
        assert missing_between(every_second[:k], every_second[k - 1], every_second[k]) == 0
    assert missing_between(every_second, every_second[-1], f"{start + timedelta(days=2 * count + 4)}") == 2


def test_hours_and_weeks_have_their_own_rhythm() -> None:
    hours = [f"2026-03-02T{hour:02}" for hour in range(12)]
    assert missing_between(hours, hours[-1], "2026-03-02T15") == 3
    weeks = [f"2026-W{week:02}" for week in range(2, 20)]
    assert missing_between(weeks, weeks[-1], "2026-W22") == 2
    assert missing_between(weeks, weeks[-1], "2026-W20") == 0


@pytest.mark.parametrize(
    "batches",
    [days(6), [f"run{k}" for k in range(20)], [*days(20), "latest"], ["2026-03-02"] * 20],
    ids=["few", "no dates", "one without", "one moment"],
)
def test_without_a_rhythm_nothing_is_missing(batches: list[str]) -> None:
    assert missing_between(batches, batches[-1], "2026-12-24") == 0


def test_batches_in_between_are_there() -> None:
    before = days(20)
    assert missing_between(before, before[10], "sales_20260322") == 0
    assert missing_between(before, "sales_20200101", "sales_20260322") == 0


@given(gone=st.sets(st.integers(60, 68)), steps=st.integers(1, 2))
def test_by_weekday_the_weeks_between_count(gone: set[int], steps: int) -> None:
    """A Monday that did not come makes two weeks of one; other days that did not come make none."""
    every, there = days(70), [f"sales_{date(2026, 3, 2) + timedelta(days=k):%Y%m%d}" for k in range(69) if k not in gone]
    for weeks in (1, 2):
        earlier = every[69 - 7 * weeks]
        if earlier in there:
            missing = missing_steps(there, earlier, every[69], WEEK, steps)
            assert missing == (max(0, weeks - steps) if any(k > 69 - 7 * weeks for k in gone) else 0)


def test_of_other_lags_the_missing_are_a_part() -> None:
    hours = [f"2026-03-{2 + hour // 24:02}T{hour % 24:02}" for hour in range(96) if not 80 <= hour < 92]
    now = "2026-03-06T00"
    assert missing_between(hours, "2026-03-04T12", now) == 12
    # The batch 24 before is 36 hours before.
    assert [missing_steps(hours, "2026-03-04T12", now, lag) for lag in (1, 12, 24, 48)] == [12, 1, 0, 0]
