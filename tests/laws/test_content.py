"""Law: the same rows have the same content whatever their order and however they were split, and other rows have another."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.metrics.catalogue import STATES
from avh_ui.metrics.content import _part, content_of, same_sums
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.store.history_format import encode
from avh_ui.store.history_reading import read_profile
from tests.laws.test_states import ARRAYS


def measured(columns: dict[str, pa.Array], cuts: list[int]) -> BatchProfile:
    """Columns measured in parts that are then merged, as Spark does."""
    rows = len(next(iter(columns.values())))
    edges = [0, *sorted(cut % (rows + 1) for cut in cuts), rows]
    parts = [{name: ColumnProfile.from_arrow(name, values.slice(a, b - a)) for name, values in columns.items()} for a, b in pairwise(edges)]
    return BatchProfile("p", "b", rows, {name: reduce(ColumnProfile.merge, [part[name] for part in parts]) for name in columns})


def same(one: BatchProfile, other: BatchProfile) -> bool:
    return content_of(one) == content_of(other) and same_sums(one, other)


@settings(max_examples=60)
@given(st.data(), st.lists(st.integers(0, 60), max_size=4))
def test_order_and_parts_do_not_matter(data: st.DataObject, cuts: list[int]) -> None:
    whole = {kind: pa.array(data.draw(values), arrow) for kind, (values, arrow) in ARRAYS.items()}
    rows = min(map(len, whole.values()))
    order = pa.array(data.draw(st.permutations(range(rows))), pa.int64())
    columns = {kind: values.slice(0, rows) for kind, values in whole.items()}
    assert same(measured(columns, []), measured({k: v.take(order) for k, v in columns.items()}, cuts))


def test_nor_beyond_what_tables_hold() -> None:
    rng = np.random.default_rng(5)
    columns = {
        "x": pa.array(rng.normal(1e6, 3, 12_000)),
        "big": pa.array(rng.integers(2**60, 2**62, 12_000)),
        "s": pa.array([f"v{k}" for k in rng.integers(0, 4_000, 12_000)]),
    }
    one = measured(columns, [])
    order = pa.array(rng.permutation(12_000))
    assert same(one, measured({k: v.take(order) for k, v in columns.items()}, [500, 4_000, 4_001, 9_000]))
    for name, changed in {"x": 0.5, "big": 2**61, "s": "w"}.items():
        values = columns[name].to_pylist()
        values[7] = changed
        other = measured({**columns, name: pa.array(values, columns[name].type)}, [4_000])
        assert not same(one, other), name


@pytest.mark.parametrize("kind", ARRAYS)
@settings(max_examples=30)
@given(data=st.data())
def test_another_value_is_another_content(kind: str, data: st.DataObject) -> None:
    values, arrow = ARRAYS[kind]
    rows = data.draw(values.filter(bool))
    one, other = (measured({"x": pa.array(r, arrow)}, []) for r in (rows, [*rows, None]))
    assert not same(one, other)
    assert not same(one, replace(one, rows=one.rows + 1))


def test_every_state_that_is_kept_is_compared() -> None:
    for state in {state for states in STATES.values() for state in states}:
        assert bool(_part(state.identity())[0])


def test_it_survives_storing(tmp_path: object) -> None:
    columns = {"x": pa.array(np.arange(3_000) * 0.1), "s": pa.array(["a", None, "ü"] * 1_000), "d": pa.array([1.5, 2.5, None] * 1_000)}
    profile = measured(columns, [100])
    assert same(profile, read_profile(pa.BufferReader(encode(profile, {})[0]), "f").profile)


def test_what_only_one_of_two_batches_was_asked_for_is_none_of_their_rows() -> None:
    one = measured({"x": pa.array([1.0, 2.0])}, [])
    asked = measured({"x": pa.array([1.0, 2.0]), "x > 1": pa.array([1.0, 0.0])}, [])
    later = replace(asked, asked=("x > 1",))
    assert same(one, later)
    assert same(later, one)


def test_what_is_kept_beside_a_column_is_not_taken_along_by_another() -> None:
    one = measured({"n": pa.array([1, 2, 3])}, [])
    other = measured({"n": pa.array([1, 2, 4])}, [])
    first = content_of(one)
    changed = replace(one, columns={"n": replace(one.columns["n"], states=other.columns["n"].states)})
    assert content_of(changed) == content_of(other) != first
    assert encode(changed, {})[1].digest == encode(other, {})[1].digest != encode(one, {})[1].digest
