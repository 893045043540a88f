"""Distances on distributions small enough to check by hand, and against naive oracles."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.mix_words import percent
from avh_ui.metrics.profile import ColumnProfile


def distance(name: str, ours: list[object], baseline: list[object]) -> float:
    a, b = (ColumnProfile.from_arrow("c", pa.array(v)) for v in (ours, baseline))
    return metric(name, a.kind).value(a.states, b.states)


samples = st.lists(st.integers(-5, 5), min_size=1, max_size=25)


@given(samples, samples)
def test_ks_is_the_largest_gap_of_the_cumulative_shares(a: list[int], b: list[int]) -> None:
    grid = sorted({*a, *b})
    naive = max(abs(sum(v <= g for v in a) / len(a) - sum(v <= g for v in b) / len(b)) for g in grid)
    assert distance("ks_dist", a, b) == pytest.approx(naive)


@given(samples, samples)
def test_emd_is_the_wasserstein_distance_of_scipy(a: list[int], b: list[int]) -> None:
    assert distance("emd", a, b) == pytest.approx(stats.wasserstein_distance(a, b))


def test_cohen_d_by_hand() -> None:
    # Means 2 and 5, both variances 1 (sample): d = 3.
    assert distance("cohen_d", [1, 2, 3], [4, 5, 6]) == pytest.approx(3)
    assert distance("cohen_d", [2, 2], [2, 2]) == 0
    assert distance("cohen_d", [2, 2], [3, 3]) == math.inf


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Shares: a .5, b .5, c 0 against a .25, b .5, c .25
        ("l1", 0.5),
        ("linf", 0.25),
        ("cosine", 1 - (0.125 + 0.25) / (math.sqrt(0.5) * math.sqrt(0.375))),
        ("js_div", 0.5 * (0.5 * math.log(0.5 / 0.375)) + 0.5 * (0.25 * math.log(0.25 / 0.375) + 0.25 * math.log(0.25 / 0.125))),
        ("kl_div", 0.5 * math.log(2)),
    ],
)
def test_categorical_distances_by_hand(name: str, expected: float) -> None:
    assert distance(name, ["a", "b"], ["a", "b", "b", "c"]) == pytest.approx(expected)


def test_a_category_new_to_the_baseline_keeps_kl_finite() -> None:
    # The new category counts as half an observation of the baseline's two: .25.
    assert distance("kl_div", ["a", "z"], ["a", "a"]) == pytest.approx(0.5 * math.log(0.5) + 0.5 * math.log(0.5 / 0.25))


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=40), st.lists(st.sampled_from("abcd"), min_size=1, max_size=40))
def test_chi_squared_is_cramers_v(a: list[str], b: list[str]) -> None:
    names = sorted(set(a) | set(b))
    table = np.array([[side.count(n) for n in names] for side in (a, b)])
    expected = 0.0 if len(names) == 1 else math.sqrt(stats.chi2_contingency(table, correction=False).statistic / table.sum())
    assert distance("chi_squared", a, b) == pytest.approx(expected, abs=1e-9)


def test_pattern_distances_see_format_and_not_values() -> None:
    old, new = ["2020-01-01 10:00", "2020-01-02 11:30"], ["2021-05-05 10:00", "2021-06-07 09:01"]
    assert distance("l1", new, old) == 2
    assert distance("pat_l1", new, old) == 0
    assert distance("pat_l1", ["2020-01-01T10:00"], old) == 2


def test_numeric_divergence_sees_a_change_of_unit_and_not_an_outlier() -> None:
    # Few enough values that the distributions are exact.
    values = np.random.default_rng(0).normal(100, 10, 900)
    again = np.random.default_rng(1).normal(100, 10, 900)
    outlier = np.append(again[:-1], 1e9)
    scaled = again * 1_000
    usual, odd, unit = (distance("js_div", list(x), list(values)) for x in (again, outlier, scaled))
    assert unit > 0.9 * math.log(2) * 0.5
    assert odd == pytest.approx(usual, abs=0.003)


def test_an_empty_side_is_undefined() -> None:
    a, empty = ColumnProfile.from_arrow("c", pa.array(["a"])), ColumnProfile.from_arrow("c", pa.array([], pa.string()))
    for name in ("l1", "chi_squared", "pat_js_div"):
        assert math.isnan(metric(name, "string").value(a.states, empty.states))
        assert math.isnan(metric(name, "string").value(empty.states, a.states))


def told(name: str, ours: list[object], baseline: list[object]) -> str:
    a, b = (ColumnProfile.from_arrow("c", pa.array(v)) for v in (ours, baseline))
    return metric(name, a.kind).told_between(a.states, b.states)


@pytest.mark.parametrize("name", ["emd", "js_div", "kl_div", "ks_dist"])
def test_an_alarm_on_numbers_says_which_of_them_became_more(name: str) -> None:
    assert told(name, [0, 0, 0, 9, 9, 9, 9, 9, 9, 9], [5, 6, 7, 8, 9, 9, 9, 9, 9, 9]) == "values up to 0 rose from 0% to 30% of all."
    assert told(name, [5.25, 1234567.0], [5.25, 5.25]) == "values above 5.25 rose from 0% to 50% of all."
    assert told(name, [1, 2], [1, 2]) == told(name, [1], []) == ""


def test_few_values_far_away_are_told_where_they_make_the_distance() -> None:
    usual: list[object] = [float(v) for v in range(100)]
    above = "above all of the batch before, whose largest is 99: up to"
    below = "below all of the batch before, whose smallest is 0: down to"
    assert told("emd", [*usual[:97], 500.0, 10_000.0, 1e7], usual) == f"3 values are {above} 10,000,000."
    assert told("emd", [*usual[1:], -1e6], usual) == f"1 value is {below} -1,000,000."
    # What many make, and what the others make, is told by where they lie.
    assert told("emd", [*usual[:80], *[1e7] * 20], usual) == "values above 99 rose from 0% to 20% of all."
    assert told("emd", [*[v + 40 for v in range(99)], 140.0], usual).startswith("values above ")
    assert told("ks_dist", [*usual[1:], 1e7], usual).startswith("values ")


@pytest.mark.parametrize("count", [9, 11, 18, 50])
def test_none_is_told_without_a_sign(count: int) -> None:
    """Shares of so many values add up to a little more than 1."""
    values = list(range(count))
    assert told("ks_dist", [1_000 + v for v in values], values) == f"values above {count - 1} rose from 0% to 100% of all."


@given(samples, samples)
def test_the_share_that_is_told_is_that_of_the_largest_gap(a: list[int], b: list[int]) -> None:
    if said := told("ks_dist", a, b):
        _, way, *_ = said.split(" ", 2)
        edge, rest = said.split("up to " if way == "up" else "above ")[1].split(" rose from ")
        shares = [sum((v <= int(edge)) == (way == "up") for v in side) / len(side) for side in (b, a)]
        assert rest == f"{percent(shares[0])} to {percent(shares[1])} of all."
        assert shares[1] - shares[0] == pytest.approx(distance("ks_dist", a, b))
