"""How many numbers are whole, against a count by hand."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.column import EXACT
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.whole_numbers import WHOLE_RATIO


def share(values: list[float | None]) -> float:
    return WHOLE_RATIO.value(ColumnProfile.from_arrow("price", pa.array(values, pa.float64())).states)


@given(st.lists(st.integers(-400, 400), min_size=1, max_size=40))
def test_it_is_the_share_of_whole_numbers(hundredths: list[int]) -> None:
    values = [number / 100 for number in hundredths]
    assert share([*values]) == pytest.approx(sum(value == int(value) for value in values) / len(values))


def test_of_a_sketch_it_is_near() -> None:
    values = np.random.default_rng(5).gamma(2, 500, 6 * EXACT).round(2)
    values[::10] = np.rint(values[::10])
    # The sketch draws some 150 of them: 0.025 is one standard deviation.
    assert share(values.tolist()) == pytest.approx(0.1, abs=0.1)
    assert share(np.rint(np.arange(3.0 * EXACT)).tolist()) == 1
    assert share((np.arange(3 * EXACT) + 0.5).tolist()) == 0


def test_without_numbers_there_is_none() -> None:
    assert math.isnan(share([None]))
    assert share([math.inf, 0.5]) == pytest.approx(0.5)
