"""An anomaly strategy beside a suggestion's bounds: what it would have alarmed on, and taking it as the rule."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.errors import UsageError
from avh_ui.history.anomalies import AbsoluteChange, RelativeRateOfChange, Threshold
from avh_ui.history.recent import Recent
from avh_ui.metrics.catalogue import metric
from avh_ui.review.draft import DraftItem
from avh_ui.review.plain import enforced
from avh_ui.ui.state.strategies import StrategiesState, strategy_of_width
from avh_ui.ui.views.chart_data import chart_data
from avh_ui.ui.views.evidence_text import legend
from tests.unit.ui.conftest import Desk


@pytest.fixture
def tried(desk: Desk) -> StrategiesState:
    return StrategiesState(desk.evidence)


def look(desk: Desk, wanted: object) -> str:
    """Look at the first suggestion that is so."""
    item = next(i for i in desk.session.draft.items if wanted(i.current))
    desk.queue.reveal(item.suggestion.id)
    assert desk.evidence.item.suggestion.id == item.suggestion.id
    return item.suggestion.id


def single(constraint: object) -> bool:
    return constraint.origin == "history" and not metric(constraint.metric, constraint.kind).two_distribution


def test_it_is_counted_and_drawn_beside_the_bounds(desk: Desk, tried: StrategiesState) -> None:
    look(desk, single)
    assert (tried.found, tried.offered) == (None, True)
    tried.picked = "online_normal"
    found, trial = tried.found, desk.evidence.trial()
    assert found.verdict.startswith("Online normal, 3 standard deviations: would have alarmed on ")
    assert f"the bounds on {trial.result.fires or 'none'}" in found.verdict
    assert [mark.text.split(":")[0] for mark in found.marks] == [trial.axis.batches[k] for k in np.flatnonzero(found.result.fired)]
    tried.width = "0.5"
    assert tried.found.result.fires > found.result.fires
    data = chart_data(desk.evidence, tried.found)
    # As measured, since its bounds are of the metric itself.
    assert data.beside is not None
    assert [mark.kind for mark in data.marks].count("strategy") == tried.found.result.fires
    assert "△ strategy would have alarmed" in str(legend(desk.evidence, trial, tried.found))
    tried.width = "three"
    assert (tried.found, tried.problem) == (None, "'three' is no number of deviations. Give a number above 0, such as 3.")
    tried.param.update(width="3", picked="")
    assert (tried.found, tried.problem) == (None, "")


@pytest.mark.parametrize(
    "name", ["threshold", "absolute_change", "relative_rate_of_change", "recent", "online_normal", "batch_normal", "holt_winters"]
)
def test_every_strategy_says_what_it_would_have_done(desk: Desk, tried: StrategiesState, name: str) -> None:
    look(desk, lambda c: single(c) and c.metric == "row_count")
    tried.picked = name
    assert "would have alarmed on" in tried.found.verdict or "no batch of the history can be judged" in tried.found.verdict
    assert tried.problem == ""


def test_what_compares_two_batches_has_none(desk: Desk, tried: StrategiesState) -> None:
    look(desk, single)
    tried.picked = "batch_normal"
    assert tried.found is not None
    look(desk, lambda c: c.origin == "history" and metric(c.metric, c.kind).two_distribution)
    assert (tried.offered, tried.found) == (False, None)


def test_it_is_taken_as_the_rule(desk: Desk, tried: StrategiesState) -> None:
    old = look(desk, lambda c: single(c) and c.metric != "row_count")
    tried.picked = "online_normal"
    tried.take()
    rule = desk.queue.cursor
    made = desk.item(rule)
    assert (made.status, made.current.origin, made.current.strategy.name) == ("accepted", "manual", "online_normal")
    assert made.current.metric == desk.item(old).current.metric
    assert desk.item(old).status == "rejected"
    for _ in range(3):
        desk.decisions.undo()
    assert desk.item(old).status == "pending"
    assert rule not in desk.workspace.draft(desk.session.pipeline).by_id


def test_a_rule_by_a_strategy_is_drawn_with_the_bounds_of_each_batch_until_others_are_typed(desk: Desk, tried: StrategiesState) -> None:
    look(desk, lambda c: single(c) and c.metric == "mean")
    tried.picked = "online_normal"
    tried.width = "1"
    tried.take()
    tried.picked = ""
    desk.queue.reveal(desk.queue.cursor)
    evidence, rule = desk.evidence, desk.evidence.item
    trial, data = evidence.trial(), chart_data(evidence)
    assert rule.current.strategy == tried_as(rule)
    known = np.flatnonzero(trial.result.judged)
    assert data.area is not None
    # Of the first few batches it says nothing yet.
    assert all(np.isfinite(side[known[len(known) // 2 :]]).all() for side in data.area)
    outside = (data.y < data.area[0]) | (data.y > data.area[1])
    assert outside.any()
    assert (data.fired == outside).all()
    first, last = data.ranges(known[[0, -1]])
    assert first != last
    assert enforced(rule.current, evidence.reader) == "no anomaly by online normal, 1 standard deviations"
    # Bounds that are typed stand in its place, and those that it had bring it back.
    middle = float(np.median(data.y[np.isfinite(data.y)]))
    assert evidence.type_bounds(f"{middle}", "", of=rule.suggestion.id)
    assert (evidence.trial().constraint.strategy, chart_data(evidence).area) == (None, None)
    desk.decisions.edit(rule.suggestion.id, middle, None)
    assert (desk.item(rule.suggestion.id).current.strategy, desk.item(rule.suggestion.id).current.lower) == (None, middle)
    desk.queue.reveal(rule.suggestion.id)
    evidence.reset()
    assert evidence.trial().constraint.strategy == tried_as(rule)


def tried_as(rule: DraftItem) -> object:
    """The strategy that a rule was stated with."""
    return rule.suggestion.constraint.strategy


def test_bounds_of_a_width_follow_from_the_values() -> None:
    values = np.array([90.0, 100.0, 110.0, 100.0])
    assert strategy_of_width("threshold", "1", values) == Threshold(91.83, 108.17)
    assert strategy_of_width("absolute_change", "1", values) == AbsoluteChange(-8.3, 14.9)
    ratio = strategy_of_width("relative_rate_of_change", "2", values)
    assert isinstance(ratio, RelativeRateOfChange)
    assert ratio.lower < 1 < ratio.upper
    recent = strategy_of_width("recent", "3", values)
    assert isinstance(recent, Recent)
    assert (recent.batches, recent.lower < 1 < recent.upper) == (7, True)
    assert strategy_of_width("threshold", "3", np.full(5, 7.0)) == Threshold(7.0, 7.0)
    with pytest.raises(UsageError, match="Too few batches"):
        strategy_of_width("absolute_change", "3", np.array([1.0]))
    with pytest.raises(UsageError, match="no number of deviations"):
        strategy_of_width("online_normal", "-1", values)
