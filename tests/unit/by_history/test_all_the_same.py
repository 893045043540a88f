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
