"""Values in other rows: the column has the same values as before, and each fault changes the rows that it says."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.issues.faults import column_faults
from avh_ui.issues.mixed_up import EXCHANGED, LARGEST_HALF, LARGEST_TENFOLD, LARGEST_ZERO, SHIFTED_ROW
from avh_ui.issues.sample import Sample

AMOUNTS = pa.array([float(k) for k in np.random.default_rng(3).permutation(200)])
WAYS = {EXCHANGED, SHIFTED_ROW, LARGEST_ZERO, LARGEST_TENFOLD, LARGEST_HALF}


def made(array: pa.Array) -> dict[tuple[str, float], list[object]]:
    found = column_faults("a", Sample.from_arrow(array), None)
    return {(fault.way, fault.severity): changed.to_arrow().to_pylist() for fault, changed in found if fault.cls == "mixed-up rows"}


def places(array: pa.Array, changed: list[object]) -> list[int]:
    return [k for k, (one, other) in enumerate(zip(array.to_pylist(), changed, strict=True)) if one != other]


@pytest.mark.parametrize(("severity", "rows"), [(0.01, 2), (0.1, 20), (0.5, 100), (1.0, 200)])
def test_exchanged_values_are_those_that_were_there(severity: float, rows: int) -> None:
    changed = made(AMOUNTS)[EXCHANGED, severity]
    assert len(places(AMOUNTS, changed)) == rows
    assert sorted(changed) == sorted(AMOUNTS.to_pylist())  # type: ignore[type-var]


def test_two_rows_that_are_mistaken_for_each_other_are_alike() -> None:
    changed = made(AMOUNTS)[EXCHANGED, 0.01]
    assert sorted(AMOUNTS.to_pylist()[k] for k in places(AMOUNTS, changed)) == [138, 150]


def test_each_row_has_the_value_of_the_one_before() -> None:
    changed = made(AMOUNTS)[SHIFTED_ROW, 1.0]
    assert changed == [AMOUNTS.to_pylist()[-1], *AMOUNTS.to_pylist()[:-1]]


@pytest.mark.parametrize(("way", "value"), [(LARGEST_ZERO, 0), (LARGEST_TENFOLD, 1990), (LARGEST_HALF, 99.5)])
def test_the_largest_alone_goes_wrong(way: str, value: float) -> None:
    changed = made(AMOUNTS)[way, 0.01]
    (at,) = places(AMOUNTS, changed)
    assert (AMOUNTS.to_pylist()[at], changed[at]) == (199, value)


@given(st.lists(st.one_of(st.none(), st.integers(-3, 3)), max_size=40))
def test_any_column(values: list[int | None]) -> None:
    """What changes nothing is none, and nulls stay where only values are exchanged."""
    array = pa.array(values, pa.int64())
    found = made(array)
    assert {way for way, _ in found} <= WAYS
    assert all(places(array, changed) for changed in found.values())
    nulls = [value is None for value in values]
    assert all([value is None for value in changed] == nulls for (way, _), changed in found.items() if way != SHIFTED_ROW)
    assert bool(found) == (
        len({value for value in values if value is not None}) > 1 or len(set(values)) > 1 or sum(v not in (None, 0) for v in values) > 1
    )


def test_texts_and_times_are_exchanged_too() -> None:
    assert {way for way, _ in made(pa.array([f"k{k}" for k in range(40)]))} == {EXCHANGED, SHIFTED_ROW}
    assert {way for way, _ in made(pa.array(range(40), pa.timestamp("s")))} == {EXCHANGED, SHIFTED_ROW}
