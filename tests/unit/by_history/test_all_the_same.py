"""What the bound above the share of the most frequent value costs, and what it notices."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.inference.by_history.all_the_same import RATE
from avh_ui.inference.by_history.bounds import LEAST_RATE
from avh_ui.inference.by_history.candidates import Candidates, candidates_of, fit_metrics
from avh_ui.metrics.most_frequent import TOP_RATIO
from tests.unit.by_history.making import one_metric


def bounds(shares: np.ndarray) -> Candidates:
    (model,), _ = fit_metrics(one_metric(TOP_RATIO.name, shares, "numeric"), metrics=[TOP_RATIO])
    return candidates_of(model)


def test_far_beyond_what_ever_was_costs_what_was_seen() -> None:
    found = bounds(np.random.default_rng(3).uniform(0.01, 0.03, 25))
    far = found.upper >= 0.1
    assert far.any()
    assert not far.all()
    assert set(found.fpr[far]) == {RATE}
    assert found.fpr[~far].min() >= LEAST_RATE > RATE


@pytest.mark.parametrize("shares", [np.random.default_rng(3).uniform(0.01, 0.03, 10), np.random.default_rng(3).uniform(0.4, 0.6, 40)])
def test_a_short_history_and_a_frequent_value_cost_as_all_metrics(shares: np.ndarray) -> None:
    assert bounds(shares).fpr.min() >= LEAST_RATE


@pytest.mark.parametrize(
    ("count", "most", "end", "rate"), [(40, 0.12, 0.24, 2e-4), (70, 0.2, 0.35, 1.5e-4), (70, 0.28, 0.43, 1.5e-4), (70, 0.35, 0.5, 3e-4)]
)
def test_where_no_value_made_up_much_it_ends_sooner(count: int, most: float, end: float, rate: float) -> None:
    rng = np.random.default_rng(3)
    shares = np.append(rng.choice([0.1, 0.9], count - 1) * most * rng.uniform(0.9, 1.1, count - 1), most)
    found = bounds(shares)
    far = (found.upper >= end - 1e-9) & np.isfinite(found.upper)
    assert far.any()
    assert found.fpr[far].max() <= rate
    assert found.fpr[found.upper < most + 0.1].min(initial=1.0) > rate


def test_where_a_near_bound_is_cheap_none_is_further() -> None:
    shares = np.append(np.random.default_rng(3).uniform(0.115, 0.12, 69), 0.12)
    found = bounds(shares)
    assert found.fpr[found.upper <= 0.22].min() <= 5e-4
    assert 0.24 not in found.upper


def test_of_what_drifts_that_none_becomes_most_is_said_and_nothing_near() -> None:
    shares = np.linspace(0.05, 0.12, 40)
    found = bounds(shares)
    assert found.model.drifting
    assert found.model.transform.is_identity
    assert found.upper.tolist() == pytest.approx([0.24, 0.27])
    assert np.all(np.isnan(found.width)), "it stays as it is"
    assert not len(bounds(np.linspace(0.05, 0.5, 40)).upper)
