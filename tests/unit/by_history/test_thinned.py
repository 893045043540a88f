"""Bounds on how many of a usual value's rows are missing: what they cost, and when they are chosen."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.inference.by_history.candidates import Candidates, candidates_of, fit_metrics
from avh_ui.inference.by_history.reprogramming import reprogram
from avh_ui.inference.by_history.suggesting import measured
from avh_ui.inference.kinds.declarations import DECLARATIONS
from avh_ui.issues.column_issues import ColumnIssues
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.values_thinned import VALUE_LOSS
from tests.unit.by_history.making import batches_of, history_of, latest_of, one_metric

NAMES, SHARES = ["UA", "B6", "EV", "DL", "AA", "MQ", "US"], [0.2, 0.18, 0.17, 0.15, 0.12, 0.1, 0.08]


def bounds(losses: list[float]) -> Candidates:
    (model,), _ = fit_metrics(one_metric(VALUE_LOSS.name, losses), metrics=[VALUE_LOSS])
    return candidates_of(model)


def test_where_none_ever_was_lost_a_bound_costs_little() -> None:
    found = bounds([0.0] * 120)
    assert found.upper.tolist() == [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]
    assert not found.lower.any()
    assert found.fpr[0] == pytest.approx(0.12 / 121 / 5)
    assert (np.diff(found.fpr) <= 0).all()


def test_bounds_are_above_what_ever_was_and_cost_more() -> None:
    found = bounds([0.0] * 100 + [0.12] * 20)
    assert found.upper[0] == 0.15
    assert (found.fpr > bounds([0.0] * 120).fpr[1:]).all()


def test_what_lost_half_before_has_no_bound() -> None:
    assert not len(bounds([0.0] * 100 + [0.45]).upper)


def test_what_wanders_is_bounded_as_it_is() -> None:
    """It is told of two batches already, however it moves."""
    found = bounds(np.linspace(0, 0.2, 60).tolist())
    assert found.model.transform.is_identity
    assert found.upper[0] == 0.2


def carriers(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.choice(NAMES, rng.integers(1_400, 2_200), p=SHARES))


@cache
def program() -> tuple[tuple[Constraint, ...], ColumnProfile]:
    arrays = batches_of(carriers, 100)
    history, profiles = history_of(arrays)
    issues = ColumnIssues(history, latest_of(arrays, profiles))
    found = reprogram(measured(history, issues, "calibrated", (), DECLARATIONS["category"]).fitted(), volume=False)
    return tuple(p.constraint for p in found.suggestions), profiles[-1]


def alarming(values: list[str]) -> set[str]:
    rules, before = program()
    states = ColumnProfile.from_arrow("x", pa.array(values)).states
    return {rule.metric for rule in rules if not rule.holds(metric(rule.metric, rule.kind).value(states, before.states))}  # type: ignore[arg-type]


@pytest.mark.parametrize("value", NAMES[:5])
def test_half_of_a_usual_value_is_noticed_and_a_clean_batch_passes(value: str) -> None:
    clean = carriers(np.random.default_rng(77)).to_pylist()
    rows = [at for at, one in enumerate(clean) if one == value]
    assert alarming(clean) == set()
    assert VALUE_LOSS.name in alarming([one for at, one in enumerate(clean) if at not in set(rows[::2])])


def test_it_notices_what_moves_the_mix_of_the_most_frequent_too() -> None:
    clean = carriers(np.random.default_rng(78)).to_pylist()
    rng = np.random.default_rng(5)
    moved = [rng.choice(NAMES[1:]) if one == "UA" and rng.random() < 0.5 else one for one in clean]
    assert VALUE_LOSS.name in alarming(moved)


def test_it_follows_no_history() -> None:
    assert all(rule.recipe is None for rule in program()[0] if rule.metric == VALUE_LOSS.name)


def test_what_dwindles_from_batch_to_batch_alarms_in_none() -> None:
    """A partner who leaves: from a fifth of the rows to a hundredth in 120 batches."""
    rules, before = program()
    (rule,) = (one for one in rules if one.metric == VALUE_LOSS.name)
    for at, share in enumerate(np.geomspace(0.2, 0.01, 120)):
        shares = np.array([share, *(np.array(SHARES[1:]) * (1 - share) / sum(SHARES[1:]))])
        now = ColumnProfile.from_arrow("x", pa.array(np.random.default_rng([5, at]).choice(NAMES, 1_800, p=shares)))
        assert rule.holds(VALUE_LOSS.value(now.states, before.states))
        before = now
