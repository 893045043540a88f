from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact

from avh_ui.constraints.drift import chi_squared, fisher, most_bad, p_value, rises

COUNTS = st.tuples(st.integers(1, 400), st.integers(1, 400)).flatmap(
    lambda n: st.tuples(st.integers(0, n[0]), st.just(n[0]), st.integers(0, n[1]), st.just(n[1]))
)


@given(COUNTS)
def test_fisher_is_scipys(counts: tuple[int, int, int, int]) -> None:
    bad, total, bad_now, total_now = counts
    expected = fisher_exact([[bad, total - bad], [bad_now, total_now - bad_now]]).pvalue
    assert fisher(*counts) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(COUNTS)
def test_chi_squared_is_scipys_with_yates(counts: tuple[int, int, int, int]) -> None:
    bad, total, bad_now, total_now = counts
    table = [[bad, total - bad], [bad_now, total_now - bad_now]]
    if 0 in (bad + bad_now, total - bad + total_now - bad_now):
        assert chi_squared(*counts) == 1.0
    else:
        assert chi_squared(*counts) == pytest.approx(chi2_contingency(table, correction=True).pvalue, rel=1e-6, abs=1e-12)


def test_the_papers_case() -> None:
    """Section 4: 0.1 % to 0.11 % is no alarm, 0.1 % to 5 % is one, and so is a batch of which nothing matches."""
    assert not rises(10, 10_000, 11, 10_000)
    assert rises(10, 10_000, 500, 10_000)
    assert rises(0, 100, 100, 100)


@given(COUNTS)
def test_a_fall_never_alarms(counts: tuple[int, int, int, int]) -> None:
    bad, total, bad_now, total_now = counts
    if bad_now / total_now <= bad / total:
        assert not rises(*counts)


def test_empty_samples_do_not_alarm() -> None:
    assert not rises(0, 0, 5, 10)
    assert not rises(0, 10, 0, 0)


def test_large_samples_take_the_chi_squared_test() -> None:
    counts = (100, 5_000_000, 200, 5_000_000)
    assert p_value(*counts) == chi_squared(*counts)
    assert rises(*counts)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.001, 0.01, 0.05]))
def test_the_most_that_may_fail_is_where_alarms_begin(total: int, bad: int, now: int, level: float) -> None:
    bad = min(bad, total)
    most = most_bad(bad, total, now, level)
    assert [rises(bad, total, k, now, level) for k in range(now + 1)] == [k > most for k in range(now + 1)]
