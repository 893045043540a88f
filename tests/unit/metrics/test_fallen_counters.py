"""Counters that fell by a tenth in some row: which rows, in whichever column, and what is no such fall."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.fallen_counters import FALLEN_COUNTERS
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

ROWS = 12
CASES, TESTS = [1_000.0 + 100 * k for k in range(ROWS)], [50_000.0 + 1_000 * k for k in range(ROWS)]


def sample(**columns: list[float] | list[float | None] | list[str]) -> RowSample:
    arrays = {"id": pa.array([f"r{k:02}" for k in range(ROWS)])} | {name: pa.array(values) for name, values in columns.items()}
    return RowSample.of_rows(Rows(ROWS, arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def bound(*columns: str) -> Metric:
    return FALLEN_COUNTERS.of_measure(Measure(FALLEN_COUNTERS.name, columns, parameters=(("key", ("id",)),)))


def alone(now: RowSample, then: RowSample, column: str = "cases") -> float:
    return bound(column).between(now, then)


def put(values: list[float], at: int, value: float) -> list[float]:
    return [value if k == at else own for k, own in enumerate(values)]


@given(st.integers(0, ROWS - 1), st.floats(0, 2))
def test_a_row_that_is_less_by_a_tenth_or_more_is_told_in_whichever_column(at: int, factor: float) -> None:
    then = sample(cases=CASES, tests=TESTS)
    now = sample(cases=CASES, tests=put(TESTS, at, TESTS[at] * factor))
    fell = TESTS[at] * factor <= (1 - 0.1) * TESTS[at]
    assert bound("cases", "tests").between(now, then) == pytest.approx(1 / ROWS if fell else 0.0)
    assert alone(now, then, "tests") == bound("cases", "tests").between(now, then)
    assert alone(now, then) == 0


@pytest.mark.parametrize(("before", "now"), [(240.0, 0.0), (19.0, 0.0), (-1_600.0, -3_000.0)])
def test_what_is_less_than_a_quarter_of_the_middle_row_or_below_0_falls_as_it_likes(before: float, now: float) -> None:
    assert alone(sample(cases=put(CASES, 3, now)), sample(cases=put(CASES, 3, before))) == 0


def test_of_small_counts_none_falls_by_chance_below_20() -> None:
    few = [10.0 + k for k in range(ROWS)]
    then, now = sample(cases=few), sample(cases=[0.0] * ROWS)
    assert alone(now, then) == pytest.approx(sum(value >= 20 for value in few) / ROWS)


def test_rows_that_lost_their_number_or_are_texts_fell_nowhere() -> None:
    then = sample(cases=CASES, name=[f"n{k}" for k in range(ROWS)])
    now = sample(cases=[None, *CASES[1:]], name=[f"m{k}" for k in range(ROWS)])
    assert bound("cases", "gone").between(now, then) == alone(now, then) == 0
    assert math.isnan(alone(now, then, "name"))
    assert math.isnan(bound("name", "gone").between(now, then))


def test_each_row_is_told_with_what_it_was_and_the_column_with_the_most_comes_first() -> None:
    then = sample(cases=CASES, tests=TESTS)
    now = sample(cases=put(CASES, 2, 1_000.0), tests=put(put(TESTS, 2, 10.0), 5, 40_000.0))
    metric = bound("cases", "tests")
    assert metric.rows_of is not None
    assert metric.which_of is not None
    assert metric.which_of(now, then) == ("tests", "cases")
    found = metric.rows_of(now, then)
    assert (found.what, found.among) == ("rows whose cases, tests fell", ROWS)
    told = dict(zip((now.column("id").shown(int(at)) for at in found.places), found.said, strict=True))
    assert told == {"r02": "cases is 1,000, was 1,200; tests is 10, was 52,000", "r05": "tests is 40,000, was 55,000"}
