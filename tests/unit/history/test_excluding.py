"""A history without some batches equals the history of the others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.history.excluding import without
from tests.fakes.builders import profile
from tests.fakes.history import FakeHistory


def repository(batches: list[int]) -> FakeHistory:
    made = FakeHistory()
    for k in batches:
        columns = {"n": [k, k + 1.0, 3.0], "t": ["a", "b", f"c{k % 3}"]}
        made.save(profile(f"b{k}", **(columns if k % 4 else {"n": columns["n"]})))
    return made


@given(st.sets(st.integers(0, 7)))
def test_it_is_the_history_that_never_had_them(drop: set[int]) -> None:
    everything = repository(list(range(8)))
    full = everything.history("p")
    before = {name: {m: s.copy() for m, s in c.values.items()} for name, c in full.columns.items()}
    found = without(full, {f"b{k}" for k in drop}, everything)
    expected = repository([k for k in range(8) if k not in drop]).history("p")
    assert found.batches == expected.batches
    assert list(found.rows) == list(expected.rows)
    for name, column in expected.columns.items():
        assert list(found.columns[name].present) == list(column.present)
        for metric, series in column.values.items():
            np.testing.assert_allclose(found.columns[name].values[metric], series, err_msg=f"{metric} of {name}")
    for name, column in full.columns.items():  # what was given is shared and stays as it was
        for metric, series in column.values.items():
            np.testing.assert_array_equal(series, before[name][metric])


def test_unknown_batches_are_passed_over() -> None:
    made = repository([1, 2])
    full = made.history("p")
    assert without(full, ["nowhere"], made) is full
