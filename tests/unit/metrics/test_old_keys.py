"""States of numbers that an older release stored, by keys that went by the type: read, and merged where that cannot give a wrong number."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.metrics import analyzers as of
from avh_ui.metrics.analysis import AnalysisStates
from avh_ui.metrics.cardinality import DistinctState
from avh_ui.metrics.catalogue import stored_states
from avh_ui.metrics.column import Column
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR, number_keys, sketch_of
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.groups import GroupState
from avh_ui.metrics.rows import Need
from avh_ui.metrics.state import pack, unpack
from avh_ui.metrics.tables import analyze_table

NEED = Need(GroupState, ("x",))
UNIQUE, DISTINCT, ABOUT = of.uniqueness("x"), of.count_distinct("x"), of.approx_count_distinct("x")


def old_groups(keys: list[str]) -> AnalysisStates:
    """As an older release stored the groups of rows with these keys, each once."""
    table = pa.table({"k0": pa.array(keys).cast(pa.large_binary()), "amount": pa.array([1] * len(keys), pa.int64())})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return AnalysisStates({NEED: GroupState.from_record(pack({}, sink.getvalue().to_pybytes()))})


def groups(values: list[object]) -> AnalysisStates:
    return analyze_table(pa.table({"x": values}), [UNIQUE]).states


@pytest.mark.parametrize("keys", [["1", "2"], ["a", "1.0"], ["2024-01-01"]])
def test_keys_that_did_not_change_merge_with_new_ones(keys: list[str]) -> None:
    old = old_groups(keys)
    for merged in (old.merge(groups([7])), groups([7]).merge(old)):
        assert merged.results([DISTINCT])[DISTINCT].value == len(keys) + 1


@pytest.mark.parametrize("keys", [["1.0", "2.5"], ["1.50"], ["1.0E7"], ["NaN", "1.0"]])
def test_fractions_are_read_and_not_merged_with_new_ones(keys: list[str]) -> None:
    old = old_groups(keys)
    assert old.results([DISTINCT])[DISTINCT].value == len(keys)
    for merged in (old.merge(groups([1.0])), groups([1]).merge(old), old.merge(old_groups(["1"]))):
        found = merged.results([DISTINCT])[DISTINCT]
        assert (found.value, found.cause) == (None, "state")
        assert "older release" in str(found.failure)


def test_fractions_of_one_old_type_merge_and_of_two_do_not() -> None:
    merged = old_groups(["1.0", "2.5"]).merge(old_groups(["2.5", "4.0"]))
    assert AnalysisStates.from_records(merged.to_records()).results([DISTINCT, UNIQUE])[UNIQUE].value == 0.5
    assert old_groups(["1.5"]).merge(old_groups(["1.50"])).results([DISTINCT])[DISTINCT].value is None


def test_an_old_sketch_of_distinct_values_merges_with_old_ones_alone() -> None:
    old, new = DistinctState.from_record(pack({}, sketch_of(np.arange(9)))), DistinctState.of(pa.array([1, 2]))
    states = [
        AnalysisStates({Need(DistinctState, ("x",)): s, Need(CountState): CountState(9)}) for s in (old, new, DistinctState.identity())
    ]
    assert states[0].merge(states[0], states[2]).results([ABOUT])[ABOUT].value == 9
    assert states[0].merge(states[1]).results([ABOUT])[ABOUT].cause == "state"
    assert DistinctState.from_record(old.merge(old).to_record()).old_keys


def old_distribution(values: np.ndarray) -> bytes:
    """As an older release stored these doubles: one key for each, whatever type they came from."""
    new = DistributionState.of(Column.from_arrow("x", pa.array(values)))
    _, (exact, counts, kll, hll) = unpack(new.to_record())
    return pack({}, exact, counts, kll, sketch_of(number_keys(values)) if hll else b"")


def stored(values: np.ndarray, type_name: str) -> DistributionState:
    state = stored_states(type_name, [(DistributionState.key, old_distribution(values))])[DistributionState.key]
    assert isinstance(state, DistributionState)
    return state


def test_old_tables_of_decimals_have_the_nearest_doubles() -> None:
    assert 57 * 0.01 != 0.57
    mended = stored(np.array([57 * 0.01, 1.5, 1.5]), "decimal(5,2)")
    assert (mended.values.tolist(), mended.counts.tolist()) == ([0.57, 1.5], [1, 2])
    assert DistributionState.from_record(mended.to_record()).values.tolist() == [0.57, 1.5]


def test_old_sketches_of_doubles_merge_with_new_ones() -> None:
    values = np.arange(5_000) + 0.5
    merged = stored(values, "double").merge(DistributionState.of(Column.from_arrow("x", pa.array(values))))
    assert merged.distinct() == pytest.approx(5_000, rel=4 * HLL_RELATIVE_ERROR)


@pytest.mark.parametrize(("type_name", "step"), [("decimal(20,2)", 0.25), ("number", 2.0**54)])
def test_old_sketches_by_other_keys_say_nothing_of_distinct_values_with_new_ones(type_name: str, step: float) -> None:
    values = np.arange(1, 5_001) * step
    old, new = stored(values, type_name), DistributionState.of(Column.from_arrow("x", pa.array(values)))
    assert old.merge(old).distinct() == pytest.approx(5_000, rel=4 * HLL_RELATIVE_ERROR)
    for merged in (old.merge(new), new.merge(old), DistributionState.from_record(old.merge(new).to_record()).merge(new)):
        assert math.isnan(merged.distinct())
        assert merged.n >= 10_000
        assert merged.quantile(0.5) == pytest.approx(2_500 * step, rel=0.1)
