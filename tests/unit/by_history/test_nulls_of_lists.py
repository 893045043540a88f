"""Nulls and rows of lists: whose rows come again with the values that they had, so that near bounds alarm no more often than far ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import Candidates, MetricModel, candidates_of, fit_metrics
from avh_ui.inference.by_history.lists import costs_of_nulls, grows, growth_of_list, of_list
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT

RNG = np.random.default_rng(7)
BATCHES = tuple(f"2026-{1 + k // 28:02d}-{1 + k % 28:02d}" for k in range(60))
# As a list is filled: 2 % of its rows are null, and then 1.5 %.
NULLS = np.repeat([0.021, 0.02, 0.0186, 0.0171, 0.0163, 0.0158], 10) + RNG.normal(0, 1e-4, 60)


def model_of(nulls: np.ndarray, *, rows: int) -> MetricModel:
    history = ColumnHistory(
        "engine", "string", "", BATCHES[: len(nulls)], {COMPLETE_RATIO.name: 1 - nulls}, np.ones(len(nulls), dtype=bool)
    )
    (model,), _ = fit_metrics(history, metrics=[COMPLETE_RATIO])
    return replace(model, stays=rows)


def nulls_at_most(found: Candidates) -> np.ndarray:
    return 1 - found.lower[np.isfinite(found.lower)]


def test_nulls_of_a_list_are_bounded_near_to_what_was_of_late() -> None:
    listed, others = (candidates_of(model_of(NULLS, rows=rows), rows=1_700) for rows in (1_700, 0))
    affordable = [nulls_at_most(found)[found.fpr[np.isfinite(found.lower)] <= 0.0005] for found in (listed, others)]
    assert 1.5 * NULLS[-20:].max() <= affordable[0].min() < 0.7 * affordable[1].min()
    assert nulls_at_most(listed).max() <= 0.032
    assert nulls_at_most(listed).min() >= NULLS.max()


def test_of_a_long_list_so_few_rows_are_far() -> None:
    few = np.tile([0.0002, 0.0003], 30)
    found = candidates_of(model_of(few, rows=19_000), rows=19_000)
    assert nulls_at_most(found).max() <= 0.002


@pytest.mark.parametrize("case", ["short", "no list", "never varied"])
def test_else_nulls_cost_what_they_do_anywhere(case: str) -> None:
    nulls = np.full(60, 0.02) if case == "never varied" else NULLS[:18] if case == "short" else NULLS
    model = model_of(nulls, rows=0 if case == "no list" else 1_700)
    assert not of_list(model)
    assert list(costs_of_nulls(model, np.array([0.9]), np.array([0.3]))) == [0.3]


@pytest.mark.parametrize("many", [False, True])
def test_what_a_list_gains_is_said_near_to_what_it_ever_did(*, many: bool) -> None:
    gains = RNG.integers(1, 20, 59)
    gains[30] = 40
    # Many times as many rows as there were are told as such.
    rows = np.cumsum([500, *gains]).astype(float) if not many else 200 * np.exp(np.cumsum([0, *gains / 200]))
    history = ColumnHistory("x", "string", "", BATCHES, {ROW_COUNT.name: np.round(rows)}, np.ones(60, dtype=bool))
    (model,), _ = fit_metrics(history, metrics=[ROW_COUNT])
    assert model.transform.lag == 1
    assert grows(model) == many
    near, far = growth_of_list(model)
    found = candidates_of(model)
    assert len(found.upper)
    upper = found.upper[np.isfinite(found.upper)]
    assert near <= upper.min() <= upper.max() <= far
