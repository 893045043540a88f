"""Amounts that end somewhere, by what their history shows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import candidates_of, fit_metrics
from avh_ui.inference.kinds.declarations import DECLARATIONS
from avh_ui.inference.kinds.limits import limited, may_be_negative
from avh_ui.metrics.moments import MIN

COUNT = DECLARATIONS["count"]


def history(least: np.ndarray, most: np.ndarray) -> ColumnHistory:
    return ColumnHistory(
        "nights", "numeric", "", tuple(map(str, range(len(least)))), {"min": least, "max": most}, np.ones(len(least), bool)
    )


@pytest.mark.parametrize(
    ("batches", "values", "expected"),
    [
        (30, [1, 1, 2, 4, 3], (1, math.inf)),
        (30, [2, 5, 5, 4, 3], (0, 5)),
        # Of numbers with both ends a list says more.
        (30, [1, 1, 2, 5, 3], (0, math.inf)),
        (29, [1, 1, 2, 4, 3], (0, math.inf)),
        # Of twenty one stands on the largest: a tail that thins out.
        (30, [1] * 10 + [2] * 9 + [5], (1, math.inf)),
        (30, [2] * 19 + [5], (0, math.inf)),
        (30, [], (0, math.inf)),
    ],
)
def test_an_end_that_stands_still_with_many_values_on_it_is_a_limit(batches: int, values: list[int], expected: tuple[float, float]) -> None:
    found = limited(COUNT, history(np.ones(batches), np.full(batches, 5.0)), pa.array(values, pa.int64()))
    assert (found.lowest, found.highest) == expected


def test_an_end_that_moved_once_is_none() -> None:
    least = np.array([1.0] * 40 + [2.0])
    assert limited(COUNT, history(least, np.arange(41.0)), pa.array([1, 2])) == COUNT


def test_one_value_is_no_limit() -> None:
    assert limited(COUNT, history(np.ones(40), np.ones(40)), pa.array([1, 1])) == COUNT


@pytest.mark.parametrize(("most", "highest"), [(100.0, 100), (101.0, math.inf), (99.0, math.inf)])
def test_what_reaches_100_on_several_days_and_never_more_ends_there(most: float, highest: float) -> None:
    found = limited(COUNT, history(np.arange(40.0) + 8, np.where(np.arange(40) % 9, 80.0 + np.arange(40) % 7, most)), pa.array([9, 40, 77]))
    assert found.highest == highest
    once = limited(COUNT, history(np.arange(40.0) + 8, np.where(np.arange(40) == 5, 100.0, 90.0)), pa.array([9, 40, 77]))
    assert once.highest == math.inf


@pytest.mark.parametrize(
    ("name", "least", "highest"), [("start_day", 1.0, 31), ("start_day", 0.0, 31), ("end_month", 0.0, 12), ("delay", 0.0, math.inf)]
)
def test_parts_of_dates_end_where_dates_do_though_some_are_not_known(name: str, least: float, highest: float) -> None:
    """Of eruptions: a day that nobody knows is 0, or null in all rows of a batch."""
    most = np.where(np.arange(40) % 4, highest - 1 if math.isfinite(highest) else 11, np.nan)
    found = limited(COUNT, replace(history(np.where(np.isnan(most), np.nan, least), most), column=name), pa.array([3, 7, 9]))
    assert found.highest == highest


MEASURE = DECLARATIONS["measure"]


@pytest.mark.parametrize(
    ("least", "most", "expected"),
    [
        (0.0, 360.0, (0, 360)),
        (-180.0, 180.0, (-180, 180)),
        (0.0, 361.0, (-math.inf, math.inf)),
        (-1.0, 360.0, (-math.inf, math.inf)),
        (0.0, 300.0, (-math.inf, math.inf)),
        (-90.0, 180.0, (-math.inf, math.inf)),
    ],
)
def test_degrees_of_a_circle_end_where_it_does(least: float, most: float, expected: tuple[float, float]) -> None:
    """Yaws of a turbine, that come round on most days."""
    rng = np.random.default_rng(4)
    ends = history(least + rng.uniform(0, 2, 40), most - rng.uniform(0, 2, 40))
    ends.values["min"][3], ends.values["max"][7] = least, most
    found = limited(MEASURE, ends, pa.array([30.5, 80.25, 211.0]))
    assert (found.lowest, found.highest) == expected
    # Four days tell no circle.
    four = np.arange(40) < 4
    few = history(np.where(four, least, least + 50), np.where(four, most, most - 50))
    assert limited(MEASURE, few, pa.array([30.5, 80.25])) == MEASURE


def test_degrees_that_come_near_to_the_last_one_end_there() -> None:
    """Gaps between seismometers: a third of the days' largest is above 342, and none is near 0."""
    rng = np.random.default_rng(4)
    gaps = history(rng.uniform(10, 30, 40), np.where(np.arange(40) % 3, 300.0, 356.0))
    found = limited(MEASURE, gaps, pa.array([30.5, 80.25, 211.0]))
    assert (found.lowest, found.highest) == (-math.inf, 360)
    seldom = history(rng.uniform(10, 30, 40), np.where(np.arange(40) % 8, 300.0, 356.0))
    assert limited(MEASURE, seldom, pa.array([30.5, 80.25])) == MEASURE


def test_what_is_called_degrees_ends_where_these_do() -> None:
    """Magnetic variations from -155 to 166 degrees; a slope of 12 degrees says nothing of circles."""
    variation = replace(history(np.full(40, -155.5), np.full(40, 166.25)), column="magnetic_variation_deg")
    found = limited(MEASURE, variation, pa.array([30.5, -80.25]))
    assert (found.lowest, found.highest) == (-180, 180)
    slope = replace(history(np.full(40, 0.5), np.full(40, 12.25)), column="slope_deg")
    assert limited(MEASURE, slope, pa.array([3.5, 8.25])) == MEASURE


def temperatures(level: np.ndarray, wide: np.ndarray | float = 10.0, tail: float = 1.0) -> ColumnHistory:
    """Values around a level, as far below it as above, or `tail` times as far above; over so many batches."""
    low, high = level - np.asarray(wide) / 2, level + tail * np.asarray(wide) / 2
    series = {"min": low, "max": high, "mean": level, "range": high - low}
    return ColumnHistory("x", "numeric", "", tuple(map(str, range(len(level)))), series, np.ones(len(level), dtype=bool))


def test_what_moves_as_a_whole_may_fall_below_0() -> None:
    """Dew points of an autumn, 12 to 2 degrees, "are never below 0"."""
    autumn = np.linspace(17.0, 7.05, 60)
    assert may_be_negative(temperatures(autumn))
    assert may_be_negative(temperatures(np.linspace(9.0, 6.2, 7)))
    no = {
        "far above 0": temperatures(autumn + 100),
        "it stands still": temperatures(6 + np.resize([0.0, 0.1], 60)),
        "it has a long tail": temperatures(autumn, tail=5.0),
        "it spreads as it grows, as counts do": temperatures(autumn, wide=autumn),
        "it was 0": temperatures(autumn - autumn.min() + 5.0),
        "it was negative": temperatures(autumn - 8),
        "whole numbers": temperatures(np.round(autumn), wide=10.0),
        "few batches": temperatures(np.linspace(9.0, 6.2, 6)),
    }
    assert {why for why, history in no.items() if may_be_negative(history)} == set()


def test_such_a_least_value_is_bounded_by_its_history_alone() -> None:
    history = temperatures(np.linspace(17.0, 7.05, 60) + np.random.default_rng(1).normal(0, 0.5, 60))
    history.values.update({"row_count": np.full(60, 100.0), "complete_ratio": np.ones(60)})
    models, _ = fit_metrics(history, metrics=(MIN,))
    assert models[0].signed
    below = candidates_of(models[0], rows=100)
    assert len(below.lower)
    assert below.lower.min() < 0


@pytest.mark.parametrize(
    ("name", "last", "highest"), [("hour", 18.0, 23), ("start_hour", 24.0, 24), ("minute", 55.0, 59), ("minute", 60.0, 60)]
)
def test_hours_end_at_23_where_none_was_24(name: str, last: float, highest: float) -> None:
    ends = history(np.zeros(40), np.full(40, last) - np.arange(40) % 3)
    assert limited(COUNT, replace(ends, column=name), pa.array([0, 6, 12])).highest == highest


@pytest.mark.parametrize(
    ("name", "least", "most", "lowest"),
    [
        ("Rate percent change", -74.3, 210.0, -100),
        ("pct_growth", -20.0, 30.0, -100),
        ("Rate percent change", -130.0, 210.0, -math.inf),  # its history does not keep to it
        ("percent_change", -0.4, 0.8, -math.inf),  # written as a part of 1
        ("change", -74.3, 210.0, -math.inf),
    ],
)
def test_no_amount_loses_more_than_all_of_it(name: str, least: float, most: float, lowest: float) -> None:
    values = {"min": np.full(10, least), "max": np.full(10, most)}
    known = ColumnHistory(name, "numeric", "", tuple(map(str, range(10))), values, np.ones(10, bool))
    found = limited(MEASURE, known, pa.array([least, most]))
    assert (found.lowest, found.highest) == (lowest, math.inf)


@pytest.mark.parametrize(
    ("least", "most", "ends"), [(0.0, 6.0, (0, 6)), (1.0, 7.0, (1, 7)), (1.0, 6.0, (0, 7)), (0.0, 7.0, (0, 7)), (0.0, 8.0, (0, math.inf))]
)
def test_weekdays_are_counted_from_0_or_from_1_where_both_ends_were_there(least: float, most: float, ends: tuple[float, float]) -> None:
    known = replace(history(np.full(40, least), np.full(40, most)), column="weekday")
    found = limited(COUNT, known, pa.array([2, 3, 4]))
    assert (found.lowest, found.highest) == ends


@pytest.mark.parametrize(
    ("name", "last", "first", "highest"),
    [
        ("start_time", 23.0, 0.0, 23),
        ("wait", 23.0, 0.0, math.inf),
        ("start_time", 24.0, 0.0, math.inf),
        ("start_time", 22.0, 0.0, math.inf),
        ("start_time", 23.0, 1.0, math.inf),
    ],
)
def test_hours_of_a_day_are_told_by_both_ends(name: str, last: float, first: float, highest: float) -> None:
    """Charging began between 0 and 23, on few days as late, and "start_time is never above 30" was said of it."""
    days = np.arange(40)
    known = replace(history(np.where(days % 8, 7.0, first), np.where(days % 8, 20.0, last)), column=name)
    assert limited(COUNT, known, pa.array([9, 12, 17])).highest == highest
    # What was so once is no end.
    once = replace(history(np.where(days, 7.0, first), np.where(days, 20.0, last)), column=name)
    assert limited(COUNT, once, pa.array([9, 12, 17])).highest == math.inf


@pytest.mark.parametrize(
    ("name", "most", "highest"),
    [
        ("IMDB Rating", 9.2, 10), ("Rating", 4.4, 5), ("critics_rating", 96.0, 100), ("IMDB Rating", 7.2, math.inf),
        ("elo_rating", 2_800.0, math.inf), ("age", 95.0, math.inf),
    ],
)  # fmt: skip
def test_ratings_end_where_their_scale_does(name: str, most: float, highest: float) -> None:
    known = replace(history(np.full(40, 1.4), most - np.arange(40) % 3 / 4), column=name)
    assert limited(MEASURE, known, pa.array([2.5, 3.75])).highest == highest


@pytest.mark.parametrize(
    ("name", "least", "most", "highest"),
    [
        ("yr_renovated", 0.0, 2015.0, 2030),
        ("YearBuilt", 1900.0, 2012.0, 2030),
        ("yr_renovated", 0.0, 2018.0, math.inf),  # planned
        ("sqft", 0.0, 2015.0, math.inf),
        ("year_count", 0.0, 40.0, math.inf),
    ],
)
def test_years_end_some_time_after_their_batch(name: str, least: float, most: float, highest: float) -> None:
    batches = tuple(f"2015-{1 + k:02d}" for k in range(12))
    values = {"min": np.full(12, least), "max": most - np.arange(12.0) % 3}
    known = ColumnHistory(name, "numeric", "", batches, values, np.ones(12, bool))
    assert limited(MEASURE, known, pa.array([least, most])).highest == highest


def test_a_mark_of_what_is_unknown_is_the_only_number_below_0() -> None:
    """Uncertainties that are -1 where they are not known "are never below -80"."""
    least = np.where(np.arange(40) < 10, 0.0, -1.0)
    most = np.full(40, 350.0)
    numbers = pa.array([-1.0, 0.5, 30.0])
    assert limited(MEASURE, history(least, most), numbers).lowest == -1
    assert limited(MEASURE, history(least[::-1].copy(), most), numbers).lowest == -math.inf  # no more there
    assert limited(MEASURE, history(np.where(np.arange(40) == 20, -1.5, least), most), numbers).lowest == -math.inf
