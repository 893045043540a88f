"""Rules whose alarms were on right batches: what these had is within the bounds from then on, or there is no rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, Proposal
from avh_ui.history.series import ColumnHistory, History
from avh_ui.history.standings import Said, Standing
from avh_ui.inference.answered import with_answers
from avh_ui.inference.source import Budget, Proposed
from avh_ui.metrics.measure import Measure

DAYS = 300
BATCHES = tuple(f"d{k:03}" for k in range(DAYS))
BUDGET = Budget(0.001, None, "calibrated", 5, True)
FELL = {40: 0.05, 170: 0.1, 200: 0.5}


def rule(metric: str = "fallen_share", *columns: str, lower: float | None = 0.0, upper: float | None = 0.0) -> Constraint:
    measure = Measure(metric, columns or ("n",), parameters=(("key", ("id",)),))
    return Constraint(measure.subject, metric, "rows", lower, upper, measure=measure, origin="history")


def history(of: Constraint, right: tuple[int, ...], *, said: Said | None = "right", days: int = DAYS, known: bool = True) -> History:
    """Days on which the rule failed, of which somebody `said` so; what its measure was on each, where that is `known`."""
    batches = tuple(f"d{k:03}" for k in range(days))
    values = np.array([FELL.get(k, 0.0) for k in range(days)])
    column = ColumnHistory(of.column, "rows", "rows", batches, {of.metric: values}, np.ones(days, dtype=bool))
    standings = tuple(
        Standing(batch, failed=k in right, said=said if k in right else None, failed_by=frozenset({of.key} if k in right else ()))
        for k, batch in enumerate(batches)
    )
    return History("t", batches, np.ones(days), {of.column: column} if known else {}, standings=standings)


def answered(of: Constraint, past: History) -> Proposed:
    return with_answers(Proposed([Proposal(of, FromHistory(method="calibrated", batches=120))]), past, BUDGET)


def test_what_two_right_batches_had_is_within_the_bounds() -> None:
    (made,) = answered(rule(), history(rule(), (40, 170))).proposals
    assert (made.constraint.lower, made.constraint.upper) == (0.0, 0.1)
    assert made.constraint.key == rule().key


def test_a_relation_is_held_to_the_share_of_the_rows_that_kept_it() -> None:
    of = replace(rule(lower=1.0, upper=None), origin="relation")
    (made,) = answered(of, history(of, (40, 170))).proposals
    assert (made.constraint.lower, made.constraint.upper) == (0.05, None)


def test_where_nobody_knows_what_they_had_there_is_no_rule() -> None:
    found = answered(rule(), history(rule(), (40, 170), known=False))
    assert found.proposals == []
    (out,) = found.left_out
    assert out["reason"] == "2 batches broke it that somebody called right, the last d170"
    assert (out["column"], out["metric"]) == (rule().column, "fallen_share")


@pytest.mark.parametrize(
    ("right", "said", "days"),
    [((40,), "right", DAYS), ((), "right", DAYS), ((40, 170), "wrong", DAYS), ((40, 170), None, DAYS), ((40, 170), "right", 2100)],
    ids=["once", "never", "wrong", "unanswered", "as seldom as the budget allows"],
)
def test_a_rule_stays_as_it_is(right: tuple[int, ...], said: Said | None, days: int) -> None:
    found = answered(rule(), history(rule(), right, said=said, days=days))
    assert [p.constraint for p in found.proposals] == [rule()]
    assert found.left_out == []


def test_the_failures_of_other_rules_say_nothing() -> None:
    other = rule("emptied_share")
    assert [p.constraint for p in answered(other, history(rule(), (40, 170))).proposals] == [other]


def test_what_only_faults_do_stays() -> None:
    """Two rows that exchanged their numbers and kept them are right by now, and the next that do are not."""
    of = rule("spoiled_share")
    assert [p.constraint for p in answered(of, history(of, (40, 170, 200))).proposals] == [of]
