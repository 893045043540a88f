"""The bound on values of other forms follows how their share varies and drifts; where it does not, the test stands."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.varying import varying_bound

LEVEL = 0.001
SIZES = np.random.default_rng(1).integers(20, 100, 90)


def counts(shares: NDArray[np.float64], sizes: NDArray[np.int64] = SIZES) -> NDArray[np.int64]:
    return np.random.default_rng(2).binomial(sizes, shares)


@pytest.mark.parametrize("share", [0.0, 0.03, 1.0])
def test_a_share_that_stands_has_none(share: float) -> None:
    assert varying_bound(counts(np.full(90, share)), SIZES, LEVEL) is None


def test_few_batches_and_those_without_values_tell_nothing() -> None:
    shares = np.linspace(0.01, 0.3, 19)
    assert varying_bound(counts(shares, SIZES[:19]), SIZES[:19], LEVEL) is None
    assert varying_bound(np.zeros(90, np.int64), np.zeros(90, np.int64), LEVEL) is None


def test_of_a_share_that_drifts_the_next_batches_pass_and_a_fifth_does_not() -> None:
    shares = np.linspace(0.01, 0.08, 150)
    sizes = np.random.default_rng(3).integers(60, 160, 150)
    bad = counts(shares, sizes)
    bound = varying_bound(bad[:90], sizes[:90], LEVEL)
    assert bound is not None
    assert (bad[90:] / sizes[90:]).max() <= bound < 0.2


def test_of_a_share_that_varies_the_next_batches_pass_however_many_values_they_have() -> None:
    shares = np.random.default_rng(4).beta(4, 96, 150)
    sizes = np.full(150, 1_000_000)
    bad = counts(shares, sizes)
    bound = varying_bound(bad[:90], sizes[:90], LEVEL)
    assert bound is not None
    assert (bad[90:] / sizes[90:]).max() <= bound < 0.2
