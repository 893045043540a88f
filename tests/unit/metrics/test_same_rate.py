"""Whether a column is as many times another one as before, against a loop over the rows in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.same_rate import SAME_RATE

numbers = st.none() | st.integers(-40, 40).map(float) | st.sampled_from([0.5, 12.5, math.nan])
batches = st.dictionaries(st.integers(0, 8), st.tuples(numbers, numbers), min_size=1, max_size=8)
Batch = dict[int, tuple[float | None, float | None]]


def sample(rows: Batch) -> RowSample:
    told, other = ([row[i] for row in rows.values()] for i in range(2))
    arrays = {"id": pa.array(list(rows)), "told": pa.array(told, pa.float64()), "other": pa.array(other, pa.float64())}
    return RowSample.of_rows(Rows(len(rows), arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def bound(*columns: str) -> Metric:
    return SAME_RATE.of_measure(Measure(SAME_RATE.name, columns or ("told", "other"), parameters=(("key", ("id",)),)))


@given(now=batches, then=batches)
def test_the_share_is_that_of_a_loop_over_the_rows(now: Batch, then: Batch) -> None:
    shared = now.keys() & then.keys()
    matched = [value for key in shared for value in (now[key][0], then[key][0]) if value is not None and math.isfinite(value)]
    half = Fraction(1, 20) if any(value != round(value) for value in matched) else Fraction(1, 2)
    kept = []
    for key in shared:
        values = (*now[key], *then[key])
        if all(value is not None and math.isfinite(value) for value in values):
            told, other, told_then, other_then = (Fraction(value) for value in values if value is not None)
            # Each of the two may be half of the last place off.
            kept.append(abs(told * other_then - told_then * other) <= half * (abs(other) + abs(other_then)))
    share = bound().between(sample(now), sample(then))
    assert share == pytest.approx(sum(kept) / len(kept) if kept else math.nan, nan_ok=True)


def test_cases_per_100000_people_of_another_region_are_named_with_what_they_should_be() -> None:
    people = {1: 4_356_000, 2: 126_000, 3: 880_000}
    then = sample({k: (round(cases / people[k] * 1e5, 2), cases) for k, cases in ((1, 9_120.0), (2, 1_190.0), (3, 300.0))})
    sound = {k: (round(cases / people[k] * 1e5, 2), cases) for k, cases in ((1, 9_350.0), (2, 1_190.0), (3, 310.0))}
    metric = bound()
    assert metric.between(sample(sound), then) == 1
    swapped = sample({**sound, 1: (sound[3][0], sound[1][1]), 3: (sound[1][0], sound[3][1])})
    assert metric.between(swapped, then) == pytest.approx(1 / 3)
    assert metric.rows_of is not None
    named = metric.rows_of(swapped, then)
    assert named.what == "rows whose told is not as many times other as before"
    assert sorted(swapped.column("id").numbers[named.places].tolist()) == [1, 3]
    assert sorted(said.split(",")[0] for said in named.said) == ["214.65", "35.23"]


def test_0_beside_0_is_as_many_times_and_a_0_alone_is_not() -> None:
    then = sample({1: (120.0, 4.0), 2: (0.0, 0.0), 3: (90.0, 3.0)})
    metric = bound()
    assert metric.between(sample({1: (0.0, 0.0), 2: (70.0, 2.0), 3: (120.0, 4.0)}), then) == 1
    assert metric.between(sample({1: (0.0, 4.0), 2: (0.0, 0.0), 3: (90.0, 0.0)}), then) == pytest.approx(1 / 3)


def test_the_largest_numbers_overflow_nothing_and_a_column_that_is_gone_tells_nothing() -> None:
    rows = sample({1: (1.5e308, 1e308), 2: (-1.5e308, 1.0), 3: (math.inf, 1.0)})
    assert 0 <= bound().between(rows, rows) <= 1
    for columns in (("told", "gone"), ("gone", "told")):
        assert math.isnan(bound(*columns).between(rows, rows))
    assert math.isnan(SAME_RATE.between(rows, rows))
    assert SAME_RATE.rows_of is not None
    assert SAME_RATE.rows_of(rows, rows).said == ()
