"""A sketch written from a frequency table is one that datasketches reads, merges and asks for ranks."""

from __future__ import annotations

import math

import datasketches as ds
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.metrics.numbers import Counts, Floats
from avh_ui.metrics.rank_sketches import KLL_K, KLL_RANK_ERROR, of_counted, read


def worst(sketch: ds.kll_doubles_sketch, values: Floats, counts: Counts) -> float:
    """The largest error of a rank."""
    return float(np.abs(np.asarray(sketch.get_cdf(values, True))[:-1] - np.cumsum(counts) / counts.sum()).max())


@settings(max_examples=60)
@given(st.integers(1, 10**7), st.integers(1, 400), st.integers(0, 2**32))
def test_ranks_are_nearer_than_those_of_a_sketch_that_was_fed(n: int, distinct: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n, rng.dirichlet(np.full(distinct, 0.3)))
    values = np.sort(rng.normal(size=distinct))[counts > 0]
    counts = counts[counts > 0]
    sketch = of_counted(values, counts)
    assert sketch.n == n
    assert (sketch.get_min_value(), sketch.get_max_value()) == (values[0], values[-1])
    assert {value for value, _ in sketch} <= set(values.tolist())
    if n >= 5_000:
        # Half of what one of the highest level stands for.
        assert worst(sketch, values, counts) <= 1 / KLL_K / 2 + 1e-9
        assert sketch.num_retained <= 2 * KLL_K + 24
    again = read(sketch.serialize())
    assert again.get_cdf(values, True) == sketch.get_cdf(values, True)


@pytest.mark.parametrize("n", [3_000, 5_000, 54_321, 2**20, 2**20 - 1])
def test_it_merges_with_any_other(n: int) -> None:
    rng = np.random.default_rng(n)
    parts = [np.unique(np.round(rng.normal(k, 1, n), 2), return_counts=True) for k in range(6)]
    merged, fed = of_counted(*parts[0]), rng.normal(6, 1, n)
    for part in parts[1:]:
        merged.merge(of_counted(*part))
    one = ds.kll_doubles_sketch(KLL_K)
    one.update(fed)
    merged.merge(one)
    every = np.concatenate([*(np.repeat(*part) for part in parts), fed])
    assert merged.n == len(every)
    assert worst(merged, *np.unique(every, return_counts=True)) <= 2 * KLL_RANK_ERROR
    merged.update(1e9)
    assert (merged.n, merged.get_max_value()) == (len(every) + 1, 1e9)


def test_no_values_and_infinite_ones() -> None:
    assert of_counted(np.empty(0), np.empty(0, dtype=np.int64)).n == 0
    sketch = of_counted(np.array([-math.inf, 0.0, math.inf]), np.array([10_000, 20_000, 10_000]))
    assert [sketch.get_quantile(q) for q in (0.1, 0.5, 0.9)] == [-math.inf, 0.0, math.inf]
