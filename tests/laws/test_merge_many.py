"""Merging many states at once gives what merging them in pairs gives, in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.metrics.catalogue import STATES
from avh_ui.metrics.column import EXACT, Column
from avh_ui.metrics.distribution import KLL_RANK_ERROR, DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.profile import ColumnProfile, merge_columns
from avh_ui.metrics.state import merge_many
from tests.laws.test_states import LAWS, Law, same


def pairwise(states: list[Any]) -> Any:
    merged = states[0]
    for state in states[1:]:
        merged = merged.merge(state)
    return merged


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@settings(max_examples=15)  # of as many
@given(data=st.data())
def test_many_at_once_are_many_in_pairs(law: Law, data: st.DataObject) -> None:
    parts = data.draw(st.lists(law.values, min_size=1, max_size=6))
    states = [law.of(part) for part in parts]
    same(merge_many(states), pairwise(states))
    same(merge_many(data.draw(st.permutations(states))), merge_many(states))
    same(merge_many(states), law.of([value for part in parts for value in part]))
    same(merge_many([states[0], states[0]]), states[0].merge(states[0]))
    same(merge_many([states[0]] * 3), pairwise([states[0]] * 3))


def test_numbers_past_the_exact_table() -> None:
    rng = np.random.default_rng(5)
    drawn = [rng.normal(k % 3, 1, 900) if k % 2 else rng.integers(0, 400, 900).astype(float) for k in range(40)]
    drawn[7] = rng.normal(0, 1, 30_000)
    states = [DistributionState.of(Column.from_arrow("c", pa.array(values))) for values in drawn]
    assert {s.exact for s in states} == {True, False}
    many, pairs = merge_many(states), pairwise(states)
    values = np.concatenate(drawn)
    assert many.n == pairs.n == len(values)
    # The registers of a HyperLogLog union do not depend on the order; ranks of a KLL sketch do, within its error.
    assert many.hll == pairs.hll
    for q in (0.01, 0.25, 0.5, 0.75, 0.99):
        for state in (many, pairs):
            at = state.quantile(q)
            assert (values < at).mean() - 2 * KLL_RANK_ERROR <= q <= (values <= at).mean() + 2 * KLL_RANK_ERROR


def test_texts_past_the_exact_table() -> None:
    rng = np.random.default_rng(6)
    drawn = [[f"v{int(i)}" for i in rng.zipf(1.3, 800) % 5_000] for _ in range(30)]
    drawn[3] = [f"u{i}" for i in range(4_000)]
    states = [FrequencyState.of(Column.from_arrow("c", pa.array(values))) for values in drawn]
    assert {s.exact for s in states} == {True, False}
    many, pairs = merge_many(states), pairwise(states)
    values, counts = np.unique(np.concatenate(drawn), return_counts=True)
    assert many.n == pairs.n == counts.sum()
    assert many.hll == pairs.hll
    assert many.undercount <= many.n / EXACT
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        assert count - many.undercount <= many.table.get(value, 0) <= count
    assert len(many.table) <= EXACT


def test_columns_of_different_kinds_are_not_merged() -> None:
    number, text = (ColumnProfile.from_arrow("c", pa.array(values)) for values in ([1], ["1"]))
    with pytest.raises(ValueError, match="numeric in one part and string"):
        merge_columns([number, text])
    assert merge_columns([number]).states.keys() == {s.key for s in STATES["numeric"]}
