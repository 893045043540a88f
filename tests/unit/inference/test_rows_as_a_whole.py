"""The one rule by key that a table keeps for rows that exchange their places as a whole."""

from __future__ import annotations

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, Proposal
from avh_ui.inference.lean import Lean
from avh_ui.inference.rows_as_a_whole import with_whole_rows
from avh_ui.metrics.measure import Measure

TWO, ALIKE, NEAR = "exchanged:two", "exchanged:alike", "exchanged:near"


def by_key(column: str, *caught: str, where: str | None = None, fpr: float = 1e-4) -> Proposal:
    measure = Measure("fallen_share", (column,), where, (("key", ("shop",)),))
    evidence = FromHistory(method="calibrated", tried=(TWO, ALIKE, NEAR), caught=caught)
    return Proposal(Constraint(measure.subject, measure.name, "rows", 0.0, 0.0, measure=measure, fpr=fpr), evidence)


def out(one: Proposal) -> dict[str, str]:
    return {"column": one.constraint.column, "metric": one.constraint.metric, "reason": "the sum says it"}


PLAIN = Proposal(Constraint("rooms", "complete_ratio", "numeric", 1.0, 1.0), FromHistory(method="calibrated", caught=(TWO, ALIKE)))
ROOMS, BEDS, SOLD = by_key("rooms", TWO, ALIKE, NEAR), by_key("beds", TWO, ALIKE, NEAR, fpr=2e-4), by_key("sold", TWO)


def kept(*proposals: Proposal) -> Lean:
    return Lean(list(proposals), [out(one) for one in (ROOMS, BEDS, SOLD) if one not in proposals])


def never(_: Constraint) -> bool:
    return False


def test_the_rule_that_tells_most_comes_back_and_of_equals_the_surest() -> None:
    found = with_whole_rows(kept(PLAIN), [PLAIN, SOLD, BEDS, ROOMS], never)
    assert found.proposals == [PLAIN, ROOMS]
    assert found.left_out == [out(BEDS), out(SOLD)]


def test_what_tells_them_by_chance_alone_is_not_enough() -> None:
    assert with_whole_rows(kept(PLAIN, SOLD), [PLAIN, SOLD, BEDS], never).proposals == [PLAIN, SOLD, BEDS]
    assert with_whole_rows(kept(PLAIN), [PLAIN, SOLD], never).proposals == [PLAIN]


@pytest.mark.parametrize("one", [BEDS, by_key("beds", TWO, NEAR)])
def test_one_such_rule_is_enough(one: Proposal) -> None:
    made = kept(PLAIN, one)
    assert with_whole_rows(made, [PLAIN, ROOMS, one], never) is made


def test_what_a_person_refused_and_rules_on_some_rows_do_not_come_back() -> None:
    some = by_key("free", TWO, ALIKE, NEAR, where="sold > 0")
    assert with_whole_rows(kept(PLAIN), [PLAIN, some], never).proposals == [PLAIN]
    refused = with_whole_rows(kept(PLAIN), [PLAIN, ROOMS], lambda one: one is ROOMS.constraint)
    assert refused.proposals == [PLAIN]


def test_one_rule_of_several_columns_tells_them_too() -> None:
    measure = Measure("mistaken_rows", ("free", "sold"), None, (("key", ("shop",)),))
    of_both = Constraint(measure.subject, measure.name, "rows", 0.0, 0.0, measure=measure)
    for caught, more in (((f"sold {TWO}", f"sold {ALIKE}"), []), ((f"sold {TWO}", f"free {ALIKE}"), [ROOMS])):
        several = Proposal(of_both, FromHistory(method="calibrated", caught=caught))
        assert with_whole_rows(kept(several), [several, SOLD, BEDS, ROOMS], never).proposals == [several, *more]
