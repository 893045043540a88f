"""What rows carry over from the batch before, against a loop over the rows."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.carried import EARLIER, MISTAKEN_RISE, THE_RISE
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

numbers = st.none() | st.integers(-3, 3).map(float) | st.sampled_from([0.1, 0.2, 0.3, 1e17, math.nan])
batches = st.dictionaries(st.integers(0, 8), st.tuples(numbers, numbers), min_size=1, max_size=8)
Batch = dict[int, tuple[float | None, float | None]]


def sample(rows: Batch) -> RowSample:
    told, other = ([row[i] for row in rows.values()] for i in range(2))
    arrays = {"id": pa.array(list(rows)), "told": pa.array(told, pa.float64()), "other": pa.array(other, pa.float64())}
    return RowSample.of_rows(Rows(len(rows), arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def bound(metric: Metric) -> Metric:
    return metric.of_measure(Measure(metric.name, ("told", "other"), parameters=(("key", ("id",)),)))


def known(*values: float | None) -> bool:
    return all(value is not None and math.isfinite(value) for value in values)


@given(now=batches, then=batches)
def test_the_shares_are_those_of_a_loop_over_the_rows(now: Batch, then: Batch) -> None:
    rises, earlier = [], []
    for key in now.keys() & then.keys():
        (told, other), (_, before) = now[key], then[key]
        if known(told, other, before):
            rises.append(abs(told - (other - before)) < 0.05)  # type: ignore[operator]
        if known(told, before):
            earlier.append(abs(told - before) < 0.05)  # type: ignore[operator]
    for metric, rows in ((THE_RISE, rises), (EARLIER, earlier)):
        share = bound(metric).between(sample(now), sample(then))
        assert share == pytest.approx(sum(rows) / len(rows) if rows else math.nan, nan_ok=True)


counts = st.none() | st.sampled_from([-90, -25, -3, 0, 1, 3, 19, 20, 25, 90, 200, 210]).map(float)
counted = st.dictionaries(st.integers(0, 8), st.tuples(counts, counts), min_size=1, max_size=8)


@given(now=counted, then=counted)
def test_mistakes_are_those_of_a_loop_over_the_rows(now: Batch, then: Batch) -> None:
    rows = [
        (told, other - before)  # type: ignore[operator]
        for (told, other), (_, before) in ((now[key], then[key]) for key in now.keys() & then.keys())
        if known(told, other, before)
    ]
    wrong = 0
    for told, due in rows:
        assert told is not None
        gone = abs(due) >= 20 and told in (0, -due)
        leapt = abs(told) >= 20 and due != 0 and abs(told) >= 8 * abs(due)
        exchanged = any((other, own) == (due, told) for other, own in rows) and max(abs(told), abs(due)) >= 20
        wrong += told != due and (gone or leapt or exchanged)
    share = bound(MISTAKEN_RISE).between(sample(now), sample(then))
    assert share == pytest.approx(wrong / len(rows) if rows else math.nan, nan_ok=True)


def test_two_exchanged_numbers_with_decimals_are_a_mistake_and_a_late_one_is_none() -> None:
    then = sample({1: (0.0, 0.1), 2: (0.0, 7.3), 3: (0.0, 5.0), 4: (0.0, 1.0)})
    now = sample({1: (1.1, 0.3), 2: (0.2, 8.4), 3: (0.5, 5.6), 4: (0.0, 1.0)})
    mistaken = bound(MISTAKEN_RISE)
    assert mistaken.between(now, then) == 0.5
    assert mistaken.rows_of is not None
    named = mistaken.rows_of(now, then)
    assert (named.what, sorted(now.column("id").numbers[named.places].tolist()), sorted(named.said)) == (
        "rows whose told is a mistake beside the rise of other",
        [1, 2],
        ["0.2, not 1.1", "1.1, not 0.2"],
    )


@pytest.mark.parametrize("metric", [THE_RISE, EARLIER, MISTAKEN_RISE])
def test_the_largest_numbers_overflow_nothing(metric: Metric) -> None:
    then = sample({1: (1.5, -1.5e308), 2: (1.5, 1.0), 3: (1.5, 1.0), 4: (1.5, math.inf)})
    now = sample({1: (1.5, 1.5e308), 2: (1.5, 1.7e308), 3: (1.7e308, 3.5), 4: (1.5, math.inf)})
    # The rise of the first is no number, and neither is one between infinities; the others are wrong, and of the last one it is seen.
    assert bound(metric).between(now, then) == (0.5 if metric is MISTAKEN_RISE else 0)
    assert bound(metric).rows_of is not None
    named = bound(metric).rows_of(now, then)  # type: ignore[misc]
    assert all(", not " in one and "nan" not in one for one in named.said)


def test_decimals_are_the_same_as_people_write_them_and_rows_that_are_not_are_named() -> None:
    then = sample({1: (0.0, 0.1), 2: (0.0, 7.3), 3: (0.0, 5.0)})
    now = sample({1: (0.2, 0.3), 2: (1.1, 8.4), 3: (0.5, 5.6)})
    assert 0.3 - 0.1 != 0.2
    rise = bound(THE_RISE)
    assert rise.between(now, then) == pytest.approx(2 / 3)
    assert rise.rows_of is not None
    named = rise.rows_of(now, then)
    assert (named.what, now.column("id").numbers[named.places].tolist(), named.among) == (
        "rows whose told is not the rise of other",
        [3],
        3,
    )


def test_texts_a_column_that_is_gone_and_no_columns_at_all_tell_nothing() -> None:
    rows = {1: (1.0, 2.0)}
    texts = RowSample.of_rows(
        Rows(1, {"id": pa.array([1]), "told": pa.array(["a"]), "other": pa.array([2.0])}),
        Need(RowSample, ("id", "told", "other"), None, Drawing(1)),
    )
    alone = RowSample.of_rows(Rows(1, {"id": pa.array([1])}), Need(RowSample, ("id",), None, Drawing(1)))
    for metric in (THE_RISE, EARLIER, MISTAKEN_RISE):
        assert math.isnan(bound(metric).between(texts, sample(rows)))
        assert math.isnan(bound(metric).between(alone, sample(rows)))
        assert math.isnan(metric.between(sample(rows), sample(rows)))
