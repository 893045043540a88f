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
    assert (found.texts, found.points, found.zeros) == (times * sum(text is not None for text in texts), times * points, times * zeros)


@pytest.mark.parametrize("times", [1, 700])
def test_digits_after_the_point_exponents_and_plus_signs_are_counted(times: int) -> None:
    texts = ["5", "5.", "-0.50", "1.25", "+7", "1e3", "2.5E-07", "1e+3", "+1.5e+3"]
    found = PointState.of(Column.from_arrow("x", pa.array([*(times * texts), None])))
    assert found.signs == 5 * times
    assert found.digits is not None
    assert found.digits[:3] == (4 * times + times, 0, 2 * times)
    assert sum(found.digits) == found.texts == 9 * times
    distinct = [f"{k}.{'7' * (k % 4)}" if k % 4 else str(k) for k in range(900)]
    assert PointState.of(Column.from_arrow("x", pa.array(distinct))).digits == (225, 225, 225, 225)


def test_of_an_older_release_it_is_not_known_how_many_digits_there_are() -> None:
    now = PointState.of(Column.from_arrow("x", pa.array(["1.25", "+3"])))
    assert PointState.from_record(now.to_record()) == now == PointState(2, 1, 0, (1, 0, 1), 1)
    header, buffers = now.parts()
    old = PointState.of_parts({name: header[name] for name in ("texts", "points", "zeros")}, buffers)
    assert old == PointState(2, 1, 0, None, None)
    assert old.merge(now) == now.merge(old) == PointState(4, 2, 0, None, None)


@given(st.lists(st.decimals(-1000, 1000, places=1).map(str) | st.integers(-1000, 1000).map(str), max_size=1200))
def test_many_are_counted_as_a_few(texts: list[str]) -> None:
    found = PointState.of(Column.from_arrow("x", pa.array(texts, pa.string())))
    assert found.points == sum("." in text for text in texts)
    assert found.zeros == sum(re.fullmatch("[+-]?[0-9]*[.]0*", text) is not None for text in texts)
