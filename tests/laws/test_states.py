"""One harness over every state of the catalogue: each is a commutative monoid, and measuring is a homomorphism onto it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.metrics.bins import BinState
from avh_ui.metrics.cardinality import DistinctState
from avh_ui.metrics.catalogue import CATALOGUE, MEASURED, STATE_TYPES, STATES, metrics_for
from avh_ui.metrics.column import EXACT, Column
from avh_ui.metrics.comoments import CoMomentsState
from avh_ui.metrics.conformance import ConformanceState
from avh_ui.metrics.copied_rows import CopyState
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.determining import DeterminedState
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.distribution import KLL_RANK_ERROR, DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.groups import GroupState, PairState, SumState
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.predicting import PredictState
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.quantiles import QuantileState, sketch_size
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows, RowTest
from avh_ui.metrics.state import mergeable
from avh_ui.metrics.table_columns import ColumnsState
from avh_ui.metrics.text import TextState
from avh_ui.metrics.together import ReferenceState
from avh_ui.metrics.value_types import TypeState
from avh_ui.metrics.zeros import ZeroState

numbers = st.lists(
    st.none() | st.floats(min_value=-1e9, max_value=1e9, allow_nan=False) | st.sampled_from([0.0, -0.0, math.nan]), max_size=30
)
texts = st.lists(st.none() | st.text(max_size=6) | st.sampled_from(["", "a", "A1-b", "Forlì", "١٢", "🙂"]), max_size=30)
booleans = st.lists(st.none() | st.booleans(), max_size=30)
blobs = st.lists(st.none() | st.binary(max_size=4), max_size=30)
times = st.lists(st.none() | st.integers(-(10**12), 10**12), max_size=30)
ARRAYS: dict[str, tuple[Any, pa.DataType]] = {
    "numeric": (numbers, pa.float64()),
    "temporal": (times, pa.timestamp("us")),
    "string": (texts, pa.string()),
    "boolean": (booleans, pa.bool_()),
    "binary": (blobs, pa.binary()),
}


@dataclass(frozen=True)
class Law:
    """A state type with lists of values to measure and how to measure them."""

    name: str
    state: Any
    values: Any
    of: Callable[[list[Any]], Any]


# What analyzers measure: rows of two numbers, a text, and a condition's and a pattern's outcome.
rows = st.lists(
    st.tuples(
        st.none() | st.floats(-1e9, 1e9) | st.sampled_from([0.0, -0.0, math.nan]),
        st.none() | st.integers(-5, 5),
        st.none() | st.sampled_from(["", "a", "7", "1.5", "true", "Forlì"]) | st.text(max_size=3),
        st.none() | st.booleans(),
        st.booleans(),
    ),
    max_size=30,
)
TRUE, FOUND = RowTest("w"), RowTest("p", "s")
NEEDS = [
    Need(CountState), Need(CountState, (), "w"), Need(CountState, ("x",)), Need(MomentsState, ("x",), "w"), Need(ZeroState, ("x",), "w"),
    Need(FrequencyState, (TRUE,)), Need(FrequencyState, (TRUE,), "w"), Need(FrequencyState, (FOUND,), "w"), Need(TextState, ("s",)),
    Need(TypeState, ("s",)), Need(TypeState, ("x",)), Need(DistinctState, ("s",)), Need(DistinctState, ("x",), "w"),
    Need(QuantileState, ("x",), None, 100), Need(CoMomentsState, ("x", "y")), Need(CoMomentsState, ("y", "y"), "w"),
    Need(BinState, ("y",), None, (-3.0, 0.0, 1.5, 4.0)), Need(GroupState, ("s",)), Need(GroupState, ("s", "y"), "w"),
    Need(PairState, ("s", "x")), Need(SumState, ("s", "y")), Need(PredictState, ("s", "x", "y")),
    Need(DeterminedState, ("s", "x", "y")), Need(CopyState, ("s", "y")), Need(CopyState, ("x", "y", "s"), "w", 4),
    Need(CopyState, ("y",), None, 2),
]  # fmt: skip


def measured(need: Need, values: list[Any]) -> Any:
    x, y, s, w, p = ([row[i] for row in values] for i in range(5))
    columns = {"x": pa.array(x, pa.float64()), "y": pa.array(y, pa.int64()), "s": pa.array(s, pa.string())}
    tests = {TRUE: pa.array(w, pa.bool_()), FOUND: pa.array(p, pa.bool_())}
    return Rows(len(values), {**columns, **tests}).measure([need])[need]


def law_of_column(kind: str, state: Any) -> Law:
    return Law(f"{kind}-{state.key}", state, ARRAYS[kind][0], lambda values: state.of(column(kind, values)))


def law_of_need(need: Need) -> Law:
    return Law(str(need), need.state, rows, partial(measured, need))


def column(kind: str, values: list[Any]) -> Column:
    return Column.from_arrow("c", pa.array(values, ARRAYS[kind][1]))


# A class, a union with an optional part, and one that matches nothing.
REGEXES = (r"^(?:[A-Z][0-9]+)(?![\s\S])", r"^(?:a|A1-b?)(?![\s\S])", r"^(?:x\u00E9)(?![\s\S])")


def conformances(values: list[Any]) -> ConformanceState:
    return ConformanceState.of_regexes(Column.from_arrow("s", pa.array(values, pa.string())), REGEXES)


LAWS = [law_of_column(kind, state) for kind in ARRAYS for state in STATES[kind]] + [law_of_need(need) for need in NEEDS]  # type: ignore[index]
LAWS.append(Law("conformance", ConformanceState, texts, conformances))
numerals = st.lists(st.none() | st.sampled_from(["5", "5.0", "-7.", "1.50", "0.0", "1e3"]) | st.floats(-1e6, 1e6).map(repr), max_size=30)
LAWS.append(Law("points", PointState, numerals, lambda values: PointState.of(Column.from_arrow("p", pa.array(values, pa.string())))))
columns_of_parts = st.lists(st.sets(st.sampled_from(["a", "b", "geo.lat"])), max_size=4)


def columns_states(parts: list[set[str]]) -> ColumnsState:
    """Counted naively."""
    sizes, names = [len(part) for part in parts] or [0], Counter(name for part in parts for name in part)
    return ColumnsState(len(parts), min(sizes), max(sizes), tuple(sorted(names.items())))


def references(values: list[Any]) -> ReferenceState:
    """Beside a table of two values, counted naively."""
    return ReferenceState(len(values), sum(v not in (None, "a", "b") for v in values), sum(v is None for v in values))


LAWS.append(Law("reference", ReferenceState, st.lists(st.sampled_from([None, "a", "b", "x"])), references))
LAWS.append(Law("columns", ColumnsState, columns_of_parts, columns_states))
# Of so few rows only a small sample leaves some out.
SAMPLED = Need(RowSample, ("s", "y", "x"), None, Drawing(1, k=4, untyped=frozenset({"s"})))
LAWS += [law_of_need(SAMPLED), law_of_need(Need(RowSample, ("y", "s", "x"), None, Drawing(2, k=6, hashed=True)))]
LAWS.append(Law("matched", Matched, rows, lambda values: Matched(measured(SAMPLED, values), "y")))
# Sums of 60 values up to 1e9, and of their second to fourth powers: of each, 1e-9 is rounding. Means are off by less than their sums.
ROUNDING = {
    "mean": 1e-3,
    "total": 1e-3,
    "mean_x": 1e-3,
    "mean_y": 1e-3,
    "m2": 1e11,
    "m2_x": 1e11,
    "m2_y": 1e11,
    "ck": 1e11,
    "m3": 1e20,
    "m4": 1e29,
}


DECILES = [i / 10 for i in range(11)]


def same(a: Any, b: Any) -> None:
    """Equal states: exactly for counts, to rounding for moments; sketches of so few values by all they say."""
    if isinstance(a, DistributionState):
        assert a.values.tolist() == b.values.tolist()
        assert a.counts.tolist() == b.counts.tolist()
    elif isinstance(a, FrequencyState):
        assert (a.table, a.n, a.undercount) == (b.table, b.n, b.undercount)
    elif isinstance(a, GroupState):
        tables = [{tuple(row[:-1]): row[-1] for row in zip(*s.table.to_pydict().values(), strict=True)} for s in (a, b)]
        assert tables[0] == tables[1]
    elif isinstance(a, CopyState):
        assert (a.hashes.tolist(), a.counts.tolist(), a.more) == (b.hashes.tolist(), b.counts.tolist(), b.more)
    elif isinstance(a, QuantileState):
        assert (a.n, a.nans) == (b.n, b.nans)
        assert [a.quantile(q) for q in DECILES] == pytest.approx([b.quantile(q) for q in DECILES], nan_ok=True)
    elif isinstance(a, DistinctState):
        assert a.distinct() == b.distinct()
    elif isinstance(a, Matched):
        assert a.column in (b.column, "")
        same(a.rows, b.rows)
    elif isinstance(a, RowSample):
        assert (a.hashes.tolist(), a.counts.tolist()) == (b.hashes.tolist(), b.counts.tolist())
        assert (a.by, a.more, a.rows, a.nulls) == (b.by, b.more, b.rows, b.nulls)
        # A column's record has its key beside it.
        for name in a.columns.keys() & b.columns.keys():
            assert [a.columns[name].shown(k) for k in range(a.keys)] == [b.columns[name].shown(k) for k in range(b.keys)], name
    else:
        for name, left in vars(a).items():
            right = getattr(b, name)
            assert left == (pytest.approx(right, rel=1e-9, abs=ROUNDING[name], nan_ok=True) if name in ROUNDING else right), name


# The laws share their draws: drawing takes longer than measuring and merging.
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@settings(max_examples=25)  # of 44 measures: 1,100 in all
@given(data=st.data())
def test_states_are_commutative_monoids_of_which_measuring_is_a_homomorphism(law: Law, data: st.DataObject) -> None:
    left, right, more = (data.draw(law.values) for _ in range(3))
    a, b, c = law.of(left), law.of(right), law.of(more)
    same(a.merge(b), b.merge(a))
    same(a.merge(b).merge(c), a.merge(b.merge(c)))
    same(a.merge(law.state.identity()), a)
    same(law.state.identity().merge(a), a)
    same(law.of(left + right), a.merge(b))
    same(law.state.from_record(a.to_record()), a)


def test_every_state_is_held_to_the_laws() -> None:
    assert {state for state in (*MEASURED.values(), *STATE_TYPES.values()) if mergeable(state)} == {law.state for law in LAWS}


@pytest.mark.parametrize("kind", list(ARRAYS))
@given(data=st.data())
def test_a_distance_to_itself_is_zero_and_no_distance_is_negative(kind: str, data: st.DataObject) -> None:
    a, b = (ColumnProfile.of(column(kind, data.draw(ARRAYS[kind][0]))) for _ in range(2))
    # Shares of values beside the batch before are no distances.
    for metric in (m for m in metrics_for(kind) if m.two_distribution and m.unit == "distance"):  # type: ignore[arg-type]
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


@pytest.mark.parametrize("error", [0.1, 0.01, 0.001])
def test_merged_quantile_sketches_keep_the_error_asked_for(error: float) -> None:
    values = np.random.default_rng(5).permutation(60_000).astype(float)
    merged = QuantileState.identity()
    for part in np.array_split(values, 7):
        merged = merged.merge(QuantileState.of(part, sketch_size(error)))
    assert merged.n == len(values)
    for q in DECILES:
        assert (values <= merged.quantile(q)).mean() == pytest.approx(q, abs=error)


@pytest.mark.parametrize("parts", [2, 7])
def test_merged_distinct_sketches_keep_their_stated_error(parts: int) -> None:
    values = np.arange(70_000) % 50_000
    merged = DistinctState.identity()
    for part in np.array_split(values, parts):
        merged = merged.merge(DistinctState.of(pa.array(part)))
    assert merged.distinct() == pytest.approx(50_000, rel=4 * HLL_RELATIVE_ERROR)
