"""How numbers that are texts are written: with a decimal point or without."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.column import Column
from avh_ui.metrics.decimal_points import PointState


@pytest.mark.parametrize(
    ("texts", "points", "zeros"),
    [
        (["5", "-7", None, "1e3"], 0, 0), (["5.0", "5", "5.0", "+5.", "-7.00", "0.0"], 5, 5),
        (["5.5", "0.50", ".1", "1.0e3", "1.5e0"], 5, 0), ([], 0, 0), ([None], 0, 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("times", [1, 3])
def test_points_and_zeros_behind_them_are_counted(texts: list[str | None], points: int, zeros: int, times: int) -> None:
    found = PointState.of(Column.from_arrow("x", pa.array(times * texts, pa.string())))
    assert found == PointState(times * sum(text is not None for text in texts), times * points, times * zeros)


@given(st.lists(st.decimals(-1000, 1000, places=1).map(str) | st.integers(-1000, 1000).map(str), max_size=1200))
def test_many_are_counted_as_a_few(texts: list[str]) -> None:
    found = PointState.of(Column.from_arrow("x", pa.array(texts, pa.string())))
    assert found.points == sum("." in text for text in texts)
    assert found.zeros == sum(re.fullmatch("[+-]?[0-9]*[.]0*", text) is not None for text in texts)
