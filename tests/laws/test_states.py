"""One harness over every state of the catalogue: each is a commutative monoid, and measuring is a homomorphism onto it."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.catalogue import CATALOGUE, STATE_TYPES, STATES, metrics_for
from avh_ui.metrics.column import EXACT, Column
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.distribution import KLL_RANK_ERROR, DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.profile import ColumnProfile

numbers = st.lists(
    st.none() | st.floats(min_value=-1e9, max_value=1e9, allow_nan=False) | st.sampled_from([0.0, -0.0, math.nan]), max_size=30
)
texts = st.lists(st.none() | st.text(max_size=6) | st.sampled_from(["", "a", "A1-b", "Forlì", "١٢", "🙂"]), max_size=30)
booleans = st.lists(st.none() | st.booleans(), max_size=30)
times = st.lists(st.none() | st.integers(-(10**12), 10**12), max_size=30)
ARRAYS: dict[str, tuple[Any, pa.DataType]] = {
    "numeric": (numbers, pa.float64()),
    "temporal": (times, pa.timestamp("us")),
    "string": (texts, pa.string()),
    "boolean": (booleans, pa.bool_()),
}
CASES = [(kind, state) for kind in ARRAYS for state in STATES[kind]]  # type: ignore[index]


def column(kind: str, values: list[Any]) -> Column:
    return Column.from_arrow("c", pa.array(values, ARRAYS[kind][1]))


def same(a: Any, b: Any) -> None:
    """Equal states: exactly for counts, to rounding for moments."""
    if isinstance(a, DistributionState):
        assert a.values.tolist() == b.values.tolist()
        assert a.counts.tolist() == b.counts.tolist()
    elif isinstance(a, FrequencyState):
        assert (a.table, a.n, a.undercount) == (b.table, b.n, b.undercount)
    else:
        for name, left in vars(a).items():
            # Moments of 30 values up to 1e9: the fourth power is 1e36, of which 1e-9 is rounding.
            assert left == pytest.approx(getattr(b, name), rel=1e-9, abs=1e-3 if name in ("mean", "total") else 1e27), name


@pytest.mark.parametrize(("kind", "state"), CASES, ids=lambda v: v if isinstance(v, str) else v.key)
@given(data=st.data())
def test_states_are_commutative_monoids(kind: str, state: Any, data: st.DataObject) -> None:
    a, b, c = (state.of(column(kind, data.draw(ARRAYS[kind][0]))) for _ in range(3))
    same(a.merge(b), b.merge(a))
    same(a.merge(b).merge(c), a.merge(b.merge(c)))
    same(a.merge(state.identity()), a)
    same(state.identity().merge(a), a)


@pytest.mark.parametrize(("kind", "state"), CASES, ids=lambda v: v if isinstance(v, str) else v.key)
@given(data=st.data())
def test_the_state_of_a_union_is_the_merge_of_the_states(kind: str, state: Any, data: st.DataObject) -> None:
    left, right = data.draw(ARRAYS[kind][0]), data.draw(ARRAYS[kind][0])
    same(state.of(column(kind, left + right)), state.of(column(kind, left)).merge(state.of(column(kind, right))))


@pytest.mark.parametrize(("kind", "state"), CASES, ids=lambda v: v if isinstance(v, str) else v.key)
@given(data=st.data())
def test_records_round_trip(kind: str, state: Any, data: st.DataObject) -> None:
    original = state.of(column(kind, data.draw(ARRAYS[kind][0])))
    same(STATE_TYPES[state.key].from_record(original.to_record()), original)


@pytest.mark.parametrize("kind", list(ARRAYS))
@given(data=st.data())
def test_a_distance_to_itself_is_zero_and_no_distance_is_negative(kind: str, data: st.DataObject) -> None:
    a, b = (ColumnProfile.of(column(kind, data.draw(ARRAYS[kind][0]))) for _ in range(2))
    for metric in (m for m in metrics_for(kind) if m.two_distribution):  # type: ignore[arg-type]
        self_distance = metric.value(a.states, a.states)
        assert math.isnan(self_distance) or self_distance == pytest.approx(0, abs=1e-7), metric.name
        apart = metric.value(a.states, b.states)
        assert math.isnan(apart) or -1e-12 <= apart <= metric.highest * (1 + 1e-9), metric.name


def test_every_metric_names_a_kind_and_is_declared_once() -> None:
    declared = Counter((m.name, kind) for m in CATALOGUE for kind in m.kinds)
    assert max(declared.values()) == 1


# Sketches: the law holds within the stated error.


@pytest.mark.parametrize("parts", [2, 7])
def test_merged_sketches_keep_their_stated_error(parts: int) -> None:
    values = np.random.default_rng(3).lognormal(0, 2, 70_000)
    merged = DistributionState.identity()
    for part in np.array_split(values, parts):
        merged = merged.merge(DistributionState.of(Column.from_arrow("c", pa.array(part))))
    assert not merged.exact
    assert merged.n == len(values)
    assert merged.distinct() == pytest.approx(len(values), rel=4 * HLL_RELATIVE_ERROR)
    for q in (0.01, 0.1, 0.5, 0.9, 0.99):
        rank = float((values <= merged.quantile(q)).mean())
        assert rank == pytest.approx(q, abs=2 * KLL_RANK_ERROR)


def test_an_exact_table_that_grows_too_large_becomes_a_sketch_of_all_its_rows() -> None:
    values = np.repeat(np.arange(EXACT, dtype=float), 50)
    exact = DistributionState.of(Column.from_arrow("c", pa.array(values)))
    assert exact.exact
    merged = exact.merge(DistributionState.of(Column.from_arrow("c", pa.array(np.arange(EXACT, dtype=float) + EXACT))))
    assert not merged.exact
    assert merged.n == len(values) + EXACT
    assert merged.quantile(0.5) == pytest.approx(EXACT * 0.51, abs=EXACT * 2 * KLL_RANK_ERROR)
    assert merged.distinct() == pytest.approx(2 * EXACT, rel=4 * HLL_RELATIVE_ERROR)


def test_heavy_values_survive_in_an_inexact_frequency_table() -> None:
    rare = [f"id-{i}" for i in range(5_000)]
    state = FrequencyState.identity()
    for part in (["heavy"] * 4_000 + rare[:2_500], rare[2_500:] + ["heavy"] * 3_000):
        state = state.merge(FrequencyState.of(Column.from_arrow("c", pa.array(part))))
    assert state.n == 12_000
    assert 7_000 - state.undercount <= state.table["heavy"] <= 7_000
    assert state.undercount <= state.n / EXACT
    assert state.distinct() == pytest.approx(5_001, rel=0.07)
