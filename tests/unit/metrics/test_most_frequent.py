"""How many values are the most frequent one, against a count by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.column import EXACT
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.profile import ColumnProfile


def share(array: pa.Array) -> float:
    profile = ColumnProfile.from_arrow("price", array)
    return metric(TOP_RATIO.name, profile.kind).value(profile.states)


def expected(values: list[object]) -> float:
    there = [value for value in values if value is not None]
    return max(Counter(there).values()) / len(there)


@given(st.lists(st.none() | st.integers(0, 4), min_size=1, max_size=40).filter(any))
def test_it_is_the_share_of_the_most_frequent(values: list[int | None]) -> None:
    texts = [None if value is None else f"T{value}" for value in values]
    assert share(pa.array(values, pa.float64())) == pytest.approx(expected(values))
    assert share(pa.array(texts)) == pytest.approx(expected(texts))
    assert share(pa.array(values, pa.timestamp("s"))) == pytest.approx(expected(values))


def test_of_sketches_it_is_near() -> None:
    """Of a sketch of numbers within its ranks' error, of many texts a thousandth too low at most."""
    numbers = np.random.default_rng(5).gamma(2, 500, 6 * EXACT)
    assert share(pa.array(numbers)) < 0.02
    numbers[::5] = 7.5
    assert share(pa.array(numbers)) == pytest.approx(0.2, abs=0.02)
    texts = [f"{number:.6f}" for number in numbers]
    assert share(pa.array(texts)) == pytest.approx(0.2, abs=1 / EXACT)


def test_without_values_there_is_none() -> None:
    assert math.isnan(share(pa.array([None], pa.float64())))
    assert math.isnan(share(pa.array([None], pa.string())))
