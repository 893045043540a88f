"""What a number rose by is what came less what went, against a loop over the rows."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.saying import names_in, wording_of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.net_rise import NET_RISE
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

NAMES = ("people", "born", "moved", "died")
numbers = st.none() | st.integers(-3, 3).map(float) | st.sampled_from([0.1, 0.2, 0.3, 1e17, math.nan])
batches = st.dictionaries(st.integers(0, 6), st.tuples(*[numbers] * 4), min_size=1, max_size=6)
Batch = dict[int, tuple[float | None, ...]]


def sample(rows: Batch, names: tuple[str, ...] = NAMES) -> RowSample:
    arrays = {"id": pa.array(list(rows))} | {name: pa.array([r[k] for r in rows.values()], pa.float64()) for k, name in enumerate(names)}
    return RowSample.of_rows(Rows(len(rows), arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def measure(*less: str) -> Measure:
    return Measure(NET_RISE.name, NAMES, parameters=(("key", ("id",)), *((("less", less),) if less else ())))


def bound(*less: str) -> Metric:
    return NET_RISE.of_measure(measure(*less))


@pytest.mark.parametrize("less", [(), ("died",), ("moved", "died")])
@given(now=batches, then=batches)
def test_the_share_is_that_of_a_loop_over_the_rows(less: tuple[str, ...], now: Batch, then: Batch) -> None:
    kept = []
    for key in now.keys() & then.keys():
        people, *terms = now[key]
        before = then[key][0]
        if all(value is not None and math.isfinite(value) for value in (people, before, *terms)):
            made = before + sum(-term if name in less else term for name, term in zip(NAMES[1:], terms, strict=True))  # type: ignore[operator]
            kept.append(abs(people - made) < 0.05)  # type: ignore[operator]
    share = bound(*less).between(sample(now), sample(then))
    assert share == pytest.approx(sum(kept) / len(kept) if kept else math.nan, nan_ok=True)


def test_rows_that_are_wrong_are_named_with_what_they_should_be() -> None:
    then = sample({1: (100.0, 0, 0, 0), 2: (200.0, 0, 0, 0)})
    now = sample({1: (104.0, 5, 2, 3), 2: (199.0, 1, 0, 4)})
    metric = bound("died")
    assert metric.between(now, then) == 0.5
    assert metric.rows_of is not None
    named = metric.rows_of(now, then)
    assert (named.what, named.said, named.among) == ("rows whose people did not rise by what came less what went", ("199, not 197",), 2)


def test_a_column_that_is_gone_or_of_texts_and_no_columns_tell_nothing() -> None:
    rows: Batch = {1: (1.0, 2.0, 3.0, 4.0)}
    alone = RowSample.of_rows(Rows(1, {"id": pa.array([1])}), Need(RowSample, ("id",), None, Drawing(1)))
    texts = RowSample.of_rows(
        Rows(1, {"id": pa.array([1])} | {name: pa.array(["a"]) for name in NAMES}), Need(RowSample, ("id", *NAMES), None, Drawing(1))
    )
    for ours, theirs in ((alone, sample(rows)), (sample(rows), alone), (texts, sample(rows))):
        assert math.isnan(bound("died").between(ours, theirs))
    assert math.isnan(NET_RISE.between(sample(rows), sample(rows)))
    assert NET_RISE.rows_of is not None
    assert NET_RISE.rows_of(sample(rows), sample(rows)).said == ()


def test_the_largest_numbers_overflow_nothing() -> None:
    then = sample({1: (1.7e308, 0, 0, 0), 2: (1.0, 0, 0, 0)})
    now = sample({1: (1.7e308, 1.7e308, 0, 0), 2: (2.0, 1.0, 0, 0)})
    assert bound().between(now, then) == 1


@pytest.mark.parametrize(
    ("less", "added"), [((), "born + moved + died"), (("moved", "died"), "born - moved - died"), (NAMES[1:], "- born - moved - died")]
)
def test_it_is_said_as_a_sum(less: tuple[str, ...], added: str) -> None:
    of = measure(*less)
    assert wording_of(of, "rows").at[1.0].format(**names_in(of, "rows")) == f"people changes by {added} since the batch before"
