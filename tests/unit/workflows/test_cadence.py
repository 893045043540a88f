"""Batches per year and seasons of cadences."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from avh_ui.config import Pipeline
from avh_ui.errors import ConfigError
from avh_ui.workflows.calendar import batches_per_year, cadence_of, days_off, next_batch, season_lags, seasons_of, with_missing


@pytest.mark.parametrize(
    ("cadence", "per_year", "lags"),
    [
        ("hourly", 8766, (24, 168)),
        ("daily", 365.25, (7,)),
        ("weekly", 52.18, ()),
        ("monthly", 12, (12,)),
        ("P1D", 365.25, (7,)),
        ("PT6H", 1461, (4, 28)),
        ("PT1H", 8766, (24, 168)),
        ("P2D", 182.6, ()),
        ("P1W", 52.18, ()),
        ("PT5M", 105192, ()),
        ("P1Y", 1, ()),
    ],
)
def test_cadences(cadence: str, per_year: float, lags: tuple[int, ...]) -> None:
    assert batches_per_year(cadence) == pytest.approx(per_year, rel=1e-3)
    assert season_lags(cadence) == lags


def test_no_duration() -> None:
    with pytest.raises(ConfigError, match="fortnightly"):
        batches_per_year("fortnightly")


def days(start: date, count: int, *, without: tuple[int, ...] = (), holidays: tuple[int, ...] = ()) -> list[str]:
    every = (start + timedelta(k) for k in range(count) if k not in holidays)
    return [f"{day}" for day in every if day.weekday() not in without]


MONDAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("batches", "cadence", "lags"),
    [
        (days(MONDAY, 40), "daily", (7,)),
        (days(MONDAY, 40, without=(5, 6)), "daily", (7,)),
        (days(MONDAY, 200, without=(0, 1, 2, 4, 5, 6)), "daily", ()),
        (days(MONDAY, 200, without=(0, 1, 2, 4, 5, 6)), "weekly", ()),
        ([f"2024-{month:02}" for month in range(1, 13)], "monthly", (12,)),
        ([f"2024-{month:02}" for month in range(1, 13)], "daily", ()),
        (["a", "b", "c"], "daily", (7,)),
        (["2026-03-02"], "daily", (7,)),
        ([], "daily", (7,)),
    ],
)
def test_batches_that_come_at_another_pace_have_no_seasons_of_the_cadence(batches: list[str], cadence: str, lags: tuple[int, ...]) -> None:
    assert seasons_of(batches, cadence) == lags


def test_a_table_that_rests_at_weekends_misses_no_batch_there() -> None:
    came = days(MONDAY, 61, without=(5, 6))
    off = days_off(came, "daily")
    assert off == {5, 6}
    assert with_missing(came, "daily") == came
    assert next_batch("2026-04-30", "daily", off) == "2026-05-01"
    assert next_batch("2026-05-01", "daily", off) == "2026-05-04"
    without_a_tuesday = [batch for batch in came if batch != "2026-04-14"]
    assert with_missing(without_a_tuesday, "daily") == came


def test_a_batch_on_a_day_of_rest_hides_no_gap() -> None:
    came = sorted([*days(MONDAY, 60, without=(5, 6)), "2026-03-14"])
    assert with_missing(came, "daily") == came


def test_days_of_rest_are_told_by_four_weeks() -> None:
    assert days_off(days(MONDAY, 27, without=(6,)), "daily") == set()
    assert days_off(days(MONDAY, 30, without=(6,)), "daily") == {6}
    # A holiday is none, and neither is what a table did long ago.
    assert days_off(days(MONDAY, 40, holidays=(30,)), "daily") == set()
    assert days_off([*days(MONDAY, 40, without=(5, 6)), *days(MONDAY + timedelta(40), 30)], "daily") == set()
    assert days_off(days(MONDAY, 61, without=(5, 6)), "weekly") == set()
    assert days_off([], "daily") == days_off(["a", "b"], "daily") == set()


@pytest.mark.parametrize(
    ("batches", "told"),
    [
        ([f"2024-{month:02}" for month in range(1, 13)], "monthly"),
        ([f"2024-Q{quarter}" for quarter in range(1, 5)], "P3M"),
        ([f"{year}" for year in range(2000, 2010)], "P1Y"),
        (days(MONDAY, 200, without=(0, 1, 2, 4, 5, 6)), "weekly"),
        (days(MONDAY, 40, without=(5, 6)), "daily"),
        ([f"2026-03-02T{hour:02}" for hour in range(24)], "hourly"),
        (days(MONDAY, 40)[::3], "daily"),  # no pace of these
        (["a", "b", "c"], "daily"),
        ([], "daily"),
    ],
)
def test_where_nothing_is_said_the_ids_say_how_often_batches_come(batches: list[str], told: str) -> None:
    source = {"source": {"format": "csv", "path": "d/{batch}.csv"}}
    assert cadence_of(Pipeline.model_validate({"name": "p", **source}), batches) == told
    assert cadence_of(Pipeline.model_validate({"name": "p", "cadence": "daily", **source}), batches) == "daily"
