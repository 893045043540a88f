"""A table's own tail: told by how far its batches lay beyond those before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from avh_ui.inference.by_history.candidates import MetricModel, candidates_of, fit_metrics
from avh_ui.inference.by_history.own_record import beyond_before, own_tail
from avh_ui.inference.by_history.tails import LONG_INDEX, comes_and_goes, index_of
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.moments import MEAN
from tests.unit.by_history.making import one_metric

RNG = np.random.default_rng(3)
CALM = [RNG.normal(10, 1, 100) for _ in range(30)]


def model_of(values: np.ndarray) -> MetricModel:
    (model,), _ = fit_metrics(one_metric(MEAN.name, values, "numeric"), metrics=[MEAN])
    return model


def tail_of(series: list[np.ndarray]) -> float:
    return own_tail([model_of(values)] for values in series)


@pytest.mark.parametrize("seed", range(5))
def test_how_far_each_lies_beyond_those_before_it_is_what_one_would_count(seed: int) -> None:
    values = np.random.default_rng(seed).standard_t(3, 60)
    values[:25] = 2.0 if seed == 4 else values[:25]
    ratios, expected = beyond_before(values)
    told = [k for k in range(20, 60) if np.ptp(values[:k]) > 0]
    naive = [abs(values[k] - values[:k].mean()) / np.abs(values[:k] - values[:k].mean()).max() for k in told]
    np.testing.assert_allclose(ratios, naive)
    assert expected == pytest.approx(sum(1 / (k + 1) for k in told))


def test_a_table_whose_batches_keep_near_has_a_light_tail() -> None:
    assert LONG_INDEX < tail_of(CALM) <= 4.5


@pytest.mark.parametrize(
    ("series", "why"),
    [
        ([np.random.default_rng(k).standard_t(1.2, 100) for k in range(30)], "single batches lie far out"),
        ([np.repeat(np.random.default_rng(k).normal(0, 1, 10), 10) + CALM[k] / 50 for k in range(30)], "the level steps"),
        (CALM[:1], "one series is too little"),
        ([values[:25] for values in CALM], "so are few batches"),
    ],
)
def test_others_keep_the_tail_of_all_tables(series: list[np.ndarray], why: str) -> None:
    assert tail_of(series) == pytest.approx(0, abs=0 if "little" not in why else 3.4), why
    assert tail_of(series) < tail_of(CALM)


def test_bounds_are_nearer_by_it_where_values_come_and_go() -> None:
    tail, calm, steps = tail_of(CALM), CALM[0], np.repeat(RNG.normal(0, 1, 10), 10) + CALM[1] / 50
    assert index_of(MEAN, calm, own=tail) == tail
    assert index_of(MEAN, steps, own=tail) == index_of(MEAN, steps)
    near, far = (candidates_of(model) for model in (replace_tail(model_of(calm), tail), model_of(calm)))
    at = [int(np.flatnonzero(grid.fpr <= 0.0003)[0]) for grid in (near, far)]
    assert near.upper[at[0]] - calm.mean() < 0.85 * (far.upper[at[1]] - calm.mean())


def replace_tail(model: MetricModel, tail: float) -> MetricModel:
    return replace(model, tail=tail)


@pytest.mark.parametrize(
    ("name", "kind"), [("complete_ratio", "numeric"), ("row_count", "numeric"), ("str_len", "string"), ("sum", "numeric")]
)
def test_what_has_a_tail_of_its_own_keeps_it(name: str, kind: str) -> None:
    assert comes_and_goes(metric("mean", "numeric"), CALM[0], lagged=False)
    assert not comes_and_goes(metric(name, kind), CALM[0], lagged=False)
    assert not comes_and_goes(metric("mean", "numeric"), CALM[0], lagged=True)
    assert not comes_and_goes(metric("mean", "numeric"), CALM[0][:29], lagged=False)
