"""A column that slipped by a row is told by the row that its numbers go with, and no other change is told as that."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.shifted_rows import shifted

RNG = np.random.default_rng(11)
ROWS = 60


def table(slip: int = 0, *, grows: bool = False, alike: float = 0.2, rows: int = ROWS) -> pa.Table:
    late = np.sort(RNG.normal(size=rows)) if grows else RNG.normal(size=rows)
    arrived = late + alike * RNG.normal(size=rows)
    return pa.table({"dep_delay": late, "arr_delay": np.roll(arrived, slip), "tail": [f"N{k}" for k in range(rows)]})


@pytest.mark.parametrize("slip", [1, -1, 2, -2])
def test_a_column_that_slipped_is_told_with_the_row_that_it_goes_with(slip: int) -> None:
    found = shifted(table(slip), table(), ["arr_delay", "tail"])
    assert found is not None
    assert (found.column, found.beside, found.down) == ("arr_delay", "dep_delay", slip)
    side, rows = ("down", "a row" if slip == 1 else "2 rows") if slip > 0 else ("up", "a row" if slip == -1 else "2 rows")
    assert found.words("b1").startswith(f"arr_delay seems to have slipped {side} by {rows}: it goes with dep_delay {rows} ")


def test_of_several_columns_that_one_is_told_which_slipped() -> None:
    def with_air(slip: int) -> pa.Table:
        made = table(slip)
        return made.append_column("air_time", pa.array(made["dep_delay"].to_numpy() * 3))

    found = shifted(with_air(1), with_air(0), ["dep_delay", "arr_delay", "air_time"])
    assert found is not None
    assert found.column == "arr_delay"


def test_no_other_change_is_told_as_that() -> None:
    usual = table()
    shuffled = usual.set_column(1, "arr_delay", pa.array(RNG.permutation(usual["arr_delay"].to_numpy())))
    for now, then in ((usual, table()), (shuffled, usual), (table(1), table(alike=9.0)), (table(1, grows=True), table(grows=True))):
        assert shifted(now, then, ["arr_delay"]) is None
    assert shifted(table(1, rows=10), usual, ["arr_delay"]) is None, "of ten rows it is luck"
    assert shifted(table(1), usual, ["tail", "gate"]) is None


@given(st.integers(0, 2**32 - 1), st.integers(1, 2))
def test_moved_back_it_is_as_it_was(seed: int, slip: int) -> None:
    rng = np.random.default_rng(seed)
    late = rng.normal(size=ROWS)
    then = pa.table({"a": late, "b": late + 0.1 * rng.normal(size=ROWS)})
    now = pa.table({"a": late, "b": np.roll(then["b"].to_numpy(), slip)})
    found = shifted(now, then, ["b"])
    assert found is not None
    assert found.down == slip
    assert shifted(pa.table({"a": late, "b": np.roll(now["b"].to_numpy(), -slip)}), then, ["b"]) is None
