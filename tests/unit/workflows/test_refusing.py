"""Which rules are rejected, so that they stand in for no others."""

from __future__ import annotations

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.review.decision import Decision, Reason, with_reason
from avh_ui.review.draft import Draft, fold
from avh_ui.review.suggestion import Suggestion
from avh_ui.workflows.refusing import refused
from tests.fakes.builders import constraint, run, suggestion
from tests.fakes.workspaces import FakeWorkspace


def rejected(one: Suggestion, reason: Reason | None = None) -> Draft:
    why = "" if reason is None else with_reason(reason)
    return fold(run(one, suggestion("other", column="d")), [Decision(one.id, "reject", "ann", "2026-01-31T10:00:00", why, seq=1)])


def named(about: Constraint) -> Suggestion:
    return Suggestion(about.key, "p", about, suggestion().evidence)


MEAN = constraint(lower=1.0, upper=2.0)


@pytest.mark.parametrize(
    ("reason", "again"), [(None, True), ("meaningless", True), ("duplicate", True), ("known", False), ("too_loose", False)]
)
def test_what_was_rejected_is_refused_but_for_what_is_known_or_comes_back_moved(reason: Reason | None, again: bool) -> None:
    is_refused = refused(rejected(named(MEAN), reason))
    assert is_refused(MEAN) is again
    assert not is_refused(constraint("d"))


def test_a_fact_that_was_called_too_loose_has_nothing_to_move() -> None:
    fact = constraint(lower=1.0, upper=1.0)
    assert refused(rejected(named(fact), "too_loose"))(fact)


def test_a_fact_is_refused_until_it_says_something_else() -> None:
    draft = rejected(named(constraint(lower=1.0, upper=1.0)), "too_tight")
    assert refused(draft)(constraint(lower=1.0, upper=1.0))
    assert not refused(draft)(constraint(lower=3.0, upper=3.0))


def test_what_is_meaningless_of_a_column_is_so_from_any_source() -> None:
    assert refused(rejected(named(MEAN), "meaningless"))(constraint(origin="snapshot", lower=0.0, upper=None))


def test_without_a_draft_nothing_is_refused() -> None:
    assert not refused(None)(MEAN)


def test_what_a_rejected_rule_made_superfluous_is_suggested_next() -> None:
    ws = FakeWorkspace(days=20).profiled()
    found = {(i.current.column, i.current.metric): i for i in ws.suggest("orders").items}
    number = found["amount", "mean"].suggestion
    assert [also.split()[0] for also in number.evidence.also] == ["whole_ratio"]
    assert ("amount", "whole_ratio") not in found
    ws.decide("orders", [number.id], "reject")
    again = {(i.current.column, i.current.metric): i.status for i in ws.suggest("orders").items}
    assert (again["amount", "mean"], again["amount", "whole_ratio"]) == ("rejected", "pending")
    # And so it stays.
    assert {(i.current.column, i.current.metric): i.status for i in ws.suggest("orders").items} == again
    # Who accepts it after all needs no other.
    ws.decide("orders", [number.id], "accept")
    assert ("amount", "whole_ratio") not in {(i.current.column, i.current.metric) for i in ws.suggest("orders").items}
