from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom, chi2_contingency, fisher_exact

from avh_ui.constraints.rising import NO_PRIOR, Prior, chi_squared, fisher, most_bad, p_value, predictive, rises

COUNTS = st.tuples(st.integers(1, 400), st.integers(1, 400)).flatmap(
    lambda n: st.tuples(st.integers(0, n[0]), st.just(n[0]), st.integers(0, n[1]), st.just(n[1]))
)
PRIORS = st.tuples(st.floats(0.01, 0.99), st.floats(0.05, 50)).map(lambda made: Prior(made[0] * made[1], made[1]))
LEVELS = st.sampled_from([0.001, 0.01, 0.05])


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


@given(COUNTS, PRIORS)
def test_a_fall_never_alarms(counts: tuple[int, int, int, int], prior: Prior) -> None:
    bad, total, bad_now, total_now = counts
    if bad_now / total_now <= bad / total:
        assert not rises(*counts)
        assert not rises(*counts, prior=prior)


@given(COUNTS, PRIORS)
def test_the_predictive_chance_is_the_tail_of_the_beta_binomial(counts: tuple[int, int, int, int], prior: Prior) -> None:
    bad, total, bad_now, total_now = counts
    expected = betabinom.sf(bad_now - 1, total_now, prior.bad + bad, prior.values - prior.bad + total - bad)
    assert predictive(*counts, prior) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(COUNTS, LEVELS)
def test_a_prior_without_weight_is_fishers_test(counts: tuple[int, int, int, int], level: float) -> None:
    assert rises(*counts, level, NO_PRIOR) == (counts[2] * counts[1] > counts[0] * counts[3] and p_value(*counts) < level)


@given(COUNTS, PRIORS, LEVELS)
def test_with_a_prior_two_tests_share_the_level(counts: tuple[int, int, int, int], prior: Prior, level: float) -> None:
    bad, total, bad_now, total_now = counts
    more = bad_now * total > bad * total_now
    fishers, predicted = rises(*counts, level / 2), predictive(*counts, prior) < level / 2
    assert rises(*counts, level, prior) == (more and (fishers or predicted))


def test_what_the_corpus_knows_takes_fewer_values() -> None:
    """The case that it is for: none of 100 values failed, and the batch has 900."""
    steady = Prior(0.15, 5.0)
    assert (most_bad(0, 100, 900, 0.001), most_bad(0, 100, 900, 0.001, steady)) == (69, 39)
    # What was seen of the column itself outweighs it.
    assert most_bad(10, 100, 900, 0.001, steady) > 90
    assert most_bad(0, 100_000, 900, 0.001, steady) == most_bad(0, 100_000, 900, 0.0005)


def test_beyond_a_million_values_a_prior_says_nothing() -> None:
    counts = (0, 100, 900_000, 2_000_000)
    assert rises(*counts, 1e-9, Prior(0.15, 5.0)) == rises(*counts, 1e-9)


def test_empty_samples_do_not_alarm() -> None:
    assert not rises(0, 0, 5, 10)
    assert not rises(0, 10, 0, 0)


def test_large_samples_take_the_chi_squared_test() -> None:
    counts = (100, 5_000_000, 200, 5_000_000)
    assert p_value(*counts) == chi_squared(*counts)
    assert rises(*counts)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1, 60), LEVELS, st.just(NO_PRIOR) | PRIORS)
def test_the_most_that_may_fail_is_where_alarms_begin(total: int, bad: int, now: int, level: float, prior: Prior) -> None:
    """So an alarm stays one when more values fail."""
    bad = min(bad, total)
    most = most_bad(bad, total, now, level, prior)
    assert [rises(bad, total, k, now, level, prior) for k in range(now + 1)] == [k > most for k in range(now + 1)]
