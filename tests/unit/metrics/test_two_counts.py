"""Distances of two counts: Deequ's and TensorFlow Data Validation's numbers as facts, laws, and a naive oracle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

import avh_ui as avh
from avh_ui.errors import UsageError

of, distances = avh.analyzers, avh.distances
COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 1_000), min_size=1)
A, B = {"a": 207, "b": 20, "c": 25, "d": 14, "e": 25, "g": 13}, {"a": 223, "b": 20, "c": 25, "d": 12, "e": 13, "f": 15}


def test_what_deequ_gives() -> None:
    few, more = {"a": 10, "b": 20, "c": 25, "d": 10, "e": 5}, {"a": 11, "b": 20, "c": 25, "d": 10, "e": 10}
    assert distances.l_infinity(few, more, robust=True) == 0
    assert distances.l_infinity(few, {"f": 11, "a": 20, "c": 25, "d": 10, "e": 10}) == pytest.approx(0.2857142857142857)
    far = {"a": 22, "b": 20, "c": 25, "d": 12, "e": 13, "f": 15}
    assert distances.l_infinity(A, far, robust=True, alpha=0.003) == pytest.approx(0.2726338046550349)
    assert distances.chi_squared(A, B) == pytest.approx((28.175042782458068, 3.3640191298478506e-05))
    assert math.isnan(distances.chi_squared({"a": 100, "b": 4, "c": 3}, {"a": 100, "b": 4, "c": 3}).statistic)
    actual, expected = [426, 437, 429, 391, 469, 433, 360, 443, 371, 418], [428, 425, 414, 427, 440, 447, 380, 386, 444, 386]
    assert distances.population_stability(actual, expected) == pytest.approx(0.007406694184014186)


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ([(1, 2, 2), (2, 3, 2)], [(2, 4, 2), (4, 6, 2)], 0.65563906222),
        ([(0, 1, 2), (1, 2, 2)], [(3, 4, 2), (4, 6, 2)], 1),
        # A number by itself is none of a bucket around it.
        ([(10, 10, 21)], [(0, 4, 150), (4, 12, 200), (12, 20, 20)], 1),
        ([(0, 0, 1), (1, 2, 1)], [(1, 1, 1), (2, 2, 1)], 1),
        # What has no place matches nothing, and not itself.
        ([(NAN, NAN, 1), (1, 2, 3)], [(1, 2, 4)], 0.13792538096),
        ([(-INF, 0, 1), (INF, INF, 1)], [(-INF, 0, 1), (INF, INF, 1)], 1),
        ({"a": 1}, {"b": 5}, 1),
        ({"a": 1, "b": 1}, {"a": 20, "b": 20}, 0),
    ],
)
def test_divergence_as_tfdv_has_it(a: Any, b: Any, value: float) -> None:
    assert distances.jensen_shannon(a, b) == pytest.approx(value, abs=1e-9)


def test_what_tfdv_gives_of_categories() -> None:
    assert distances.l_infinity({}, {}) == distances.normalized_absolute_difference({}, {}) == 0
    assert distances.l_infinity({"b": 9, "c": 1}, {"a": 3, "b": 7}) == pytest.approx(0.3)
    hello, more = {"hello": 1.0, "world": 5.0}, {"hello": 10.0, "world": 50.0}
    assert distances.l_infinity(hello, more) == pytest.approx(0)
    assert distances.normalized_absolute_difference(hello, more) == pytest.approx(0.6818181818181818)


@given(a=COUNTS, b=COUNTS)
def test_distances_agree_with_a_naive_oracle(a: dict[str, int], b: dict[str, int]) -> None:
    keys = sorted({*a, *b})
    p, q = (np.array([side.get(key, 0) for key in keys], float) for side in (a, b))
    p, q = p / p.sum(), q / q.sum()
    assert distances.l_infinity(a, b) == pytest.approx(np.abs(p - q).max())
    assert distances.l_infinity(a, b) == distances.l_infinity(b, a)
    assert distances.jensen_shannon(a, b) == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-9)
    assert distances.l_infinity(a, a) == distances.jensen_shannon(a, a) == 0


@given(st.lists(st.tuples(st.integers(100, 900), st.integers(100, 900)), min_size=2, max_size=6))
def test_chi_squared_of_common_values_is_scipys(pairs: list[tuple[int, int]]) -> None:
    observed, expected = ({str(k): pair[side] for k, pair in enumerate(pairs)} for side in (0, 1))
    scaled = np.array(list(expected.values())) * sum(observed.values()) / sum(expected.values())
    assert distances.chi_squared(observed, expected) == pytest.approx(tuple(stats.chisquare(list(observed.values()), scaled)), rel=1e-9)


def test_histograms_that_were_measured_are_compared() -> None:
    def measured(measure: avh.Measure, values: list[Any]) -> Any:
        return avh.measure(pa.table({"x": values}), [measure]).results[measure].value

    by_value = of.histogram("x")
    assert distances.l_infinity(measured(by_value, ["a", "b"]), measured(by_value, ["a", "a"])) == 0.5
    binned = of.histogram_binned("x", [0, 2, 4])
    assert distances.jensen_shannon(measured(binned, [1, 1]), measured(binned, [3, 3])) == 1


@pytest.mark.parametrize(
    ("function", "a", "b", "said"),
    [
        ("l_infinity", [1], {}, r"\[1\] are no counts"),
        ("chi_squared", {"a": -1}, {"a": 1}, "are no counts"),
        ("jensen_shannon", {}, {"a": 1}, "without rows"),
        ("jensen_shannon", [], [(0, 4, 10)], "without rows"),
        ("jensen_shannon", 5, [(0, 4, 10)], "5 are no buckets"),
        ("jensen_shannon", [(0, 4)], [(0, 4, 10)], "are no buckets"),
        ("population_stability", [1], [1, 2], "1 and of 2 buckets"),
        ("population_stability", [0], [1], "cannot be compared"),
    ],
)
def test_what_is_no_distribution_is_told(function: str, a: Any, b: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        getattr(distances, function)(a, b)


def test_alpha_is_a_share() -> None:
    with pytest.raises(UsageError, match="alpha=2"):
        distances.l_infinity(A, B, robust=True, alpha=2)
    # Few rows explain any difference.
    assert distances.l_infinity({"a": 1}, {"b": 1}, robust=True) == 0
    assert distances.population_stability([1, 0], [1, 1]) == math.inf
