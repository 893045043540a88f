"""The order of batches, and histories cut and asked."""

from __future__ import annotations

import random
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import NotFoundError
from avh_ui.history.series import ColumnHistory, History, batch_order, sort_batches

ANY = st.text(st.characters(exclude_categories=()), max_size=10)


MOMENTS = st.datetimes(datetime(1950, 1, 1), datetime(2150, 1, 1))  # noqa: DTZ001 (as ids are written)
# The first way of each sorts as a text.
WRITINGS = {
    "month": ("%Y-%m", "%Y%m", "%Y_%m", "%Y/%m"),
    "day": ("%Y-%m-%d", "%Y%m%d", "%Y.%m.%d", "%Y/%m/%d"),
    "hour": ("%Y-%m-%dT%H", "%Y%m%d%H", "%Y%m%dT%H", "%Y_%m_%d_%H"),
    "minute": ("%Y-%m-%dT%H:%M", "%Y%m%d%H%M", "%Y%m%dT%H%M", "%Y-%m-%d %H-%M"),
    "second": ("%Y-%m-%dT%H:%M:%S", "%Y%m%d%H%M%S", "%Y%m%dT%H%M%S", "%Y-%m-%d_%H_%M_%S"),
    "week": ("%G-W%V", "%GW%V", "%G_W%V", "KW%V-%G"),
}


@pytest.mark.parametrize(
    "ordered",
    [
        ["2026-09-01", "20260902", "2026-09-03", "2026_09_04", "20260905"],
        ["orders 2026-09-01", "orders 20260902", "orders 2026/09/03,EU", "orders 20260904,DE"],
        ["2026-09-01", "20260901", "20260902"],
        ["2026-08", "202609", "2026_10", "2026/11", "202612", "2027.01"],
        ["1999-11", "199912", "200001", "2000-02"],
        ["2026-09-03T05", "20260903_06", "2026090307", "2026-09-03 08", "20260904T00"],
        ["20260903T0559", "2026-09-03T06:15", "2026-09-03_06-16", "202609030617"],
        ["x 20260903T185959", "x 20260903T190000", "x 2026-09-03 19:00:01"],
        ["2026-W09", "2026W10", "2026w11", "2026_W12"],
        ["2026Q1", "2026-Q2", "2026 q3"],
        ["Q4-2025", "2026Q1", "q2 2026", "Q3_2026", "Q12027"],
        ["a KW52-2025", "a W01_2026", "a 2026-W02", "a kw03 2026"],
        ["4Q99", "1Q00", "Q2-00", "3q24"],
        ["a 3q24", "a 4q24", "a 1q25"],
        ["H2-2025", "2026H1", "2026-H2", "1H2027"],
        ["2H25", "H1-26", "2H26"],
        ["1h15", "1h30", "2h00"],
        ["KW 51 2025", "week 2 2026", "2026-KW03", "2026 Week 10"],
        ["2026-W01", "2026-01-04", "2026-W02", "2026-01-06", "20260111", "2026W03", "2026-12-31"],
        ["2025-W52", "2026-W53", "2026-W54"],
        ["2026-03", "2026Q2", "2026-05", "2026Q3"],
        # One way of writing keeps its order, whatever it means.
        ["2026-9-30", "2026-10-1", "2026-10-12", "2026-11-3"],
        ["2026_9_3", "2026_10_12"],
        ["2026-2", "2026-12", "2026-13", "2026-53", "2026-99", "2026-100"],
        ["202512", "202513", "202599", "202601"],
        ["2026090323", "2026090324", "2026090399", "2026090401"],
        ["2026-09-03", "2026-09-03_1", "2026-09-03_2", "2026-09-03_10", "2026-09-03_100", "2026-09-04"],
        ["2026-09-03T06", "2026-09-03T06-01", "2026-09-03T07"],
        ["20260903", "20260903-1", "20260903-10", "20260904"],
        ["1767225600", "1767229200"],
        ["b1", "b2", "b9", "b10", "b100"],
        ["2025-12-31", "2026-01-01", "2026-01-02", "2026-01-10", "2026-10-01"],
        ["2026-1-9", "2026-1-10", "2026-2-1"],
        ["31.12.2025", "2026-01-01", "02.01.2026", "01.02.2026"],
        ["2026-01-01T00:00", "2026-01-01T01:00", "2026-01-01T10:00", "2026-01-02T00:00"],
        ["20260101", "20260102", "20261231"],
        ["", "a", "b"],
        ["1", "01", "2"][1::-1],
    ],
)
def test_natural_order(ordered: list[str]) -> None:
    mixed = ordered[:]
    random.Random(0).shuffle(mixed)
    assert sort_batches(mixed) == ordered


@given(st.lists(ANY, max_size=8))
def test_sorting_is_total_and_keeps_each_once(batches: list[str]) -> None:
    found = sort_batches(batches)
    assert set(found) == set(batches)
    assert len(found) == len(set(batches))
    assert sort_batches(reversed(found)) == found


@given(ANY, ANY)
def test_different_batches_have_different_places(a: str, b: str) -> None:
    assert (batch_order(a) == batch_order(b)) == (a == b)


@given(st.lists(st.dates(), min_size=1, max_size=8))
def test_dates_sort_as_dates(dates: list[object]) -> None:
    assert sort_batches(str(d) for d in dates) == [str(d) for d in sorted(set(dates))]  # type: ignore[type-var]


@given(
    st.lists(st.tuples(MOMENTS, st.integers(0, 3)), min_size=2, max_size=8),
    st.sampled_from(sorted(WRITINGS)),
)
def test_moments_sort_as_moments_however_they_are_written(moments: list[tuple[datetime, int]], period: str) -> None:
    ways = WRITINGS[period]
    written = {moment.strftime(ways[0]): f"b {moment.strftime(ways[way % len(ways)])}" for moment, way in moments}
    assert sort_batches(written.values()) == [written[moment] for moment in sorted(written)]


def test_very_long_numbers_have_a_place() -> None:
    assert sort_batches(["9" * 5_000, "1"]) == ["1", "9" * 5_000]


def history() -> History:
    batches = ("b1", "b2", "b3")
    column = ColumnHistory("delay", "numeric", "double", batches, {"mean": np.array([1.0, 2.0, 3.0])}, np.array([True, False, True]))
    return History("p", batches, np.array([10.0, 20.0, 30.0]), {"delay": column})


@pytest.mark.parametrize("cut", [(0, 2), (1, 3), (-2, 3), (-1, 9), (2, 2)])
def test_a_window_is_a_slice(cut: tuple[int, int]) -> None:
    whole, found = history().column("delay"), history().column("delay").window(*cut)
    assert found.batches == whole.batches[slice(*cut)]
    assert list(found.series("mean")) == list(whole.series("mean"))[slice(*cut)]
    assert list(found.present) == list(whole.present)[slice(*cut)]


def test_what_is_not_there_names_the_nearest() -> None:
    assert history().index("b2") == 1
    with pytest.raises(NotFoundError, match="'delay'"):
        history().column("dealy")
    with pytest.raises(NotFoundError, match="'mean'"):
        history().column("delay").series("maen")
    with pytest.raises(NotFoundError, match="'b1'"):
        history().index("b")


def test_parts_of_a_year_before_it_stand_in_the_order_of_time() -> None:
    ordered = ["4Q2023", "1Q-2024", "q2 2024", "H2-2024", "1h2025", "T1-2026", "T2-2026"]
    assert sort_batches(reversed(ordered)) == ordered
    # Weeks of a French `semaine`, or shops, keep the order of their numbers.
    weeks = ["S1-2024", "S2-2024", "S9-2024", "S10-2024"]
    assert sort_batches(reversed(weeks)) == weeks
