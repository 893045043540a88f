"""Which verdicts speak of rows, of which rows, and in which words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints import checks as c
from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Constraint, Status, Verdict
from avh_ui.constraints.date_parts import PARTS
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.row_rules import RowRule, row_rules
from avh_ui.constraints.transforms import Transform
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.regexes import anchored
from avh_ui.metrics.row_forms import Amount, Conforms, Once, Present
from avh_ui.metrics.rows import RowTest

MOMENTS = st.datetimes(datetime(2024, 2, 20), datetime(2024, 3, 10), timezones=st.just(UTC))  # noqa: DTZ001 (the zone is given beside)


def found(constraint: Constraint, status: Status = "fail", observed: float = 0.0) -> RowRule | None:
    rules = row_rules([Verdict(constraint, status, observed, constraint.lower, constraint.upper, "")])
    return rules[0] if rules else None


def learned(metric: str, lower: float | None, upper: float | None, status: Status = "fail", observed: float = 0.0) -> RowRule | None:
    return found(Constraint("x", metric, "numeric", lower, upper), status, observed)


def stated(check: Check, status: Status = "fail", observed: float = 0.0) -> RowRule | None:
    return found(check.constraint(), status, observed)


def test_a_bound_speaks_of_rows_in_its_own_direction() -> None:
    least, most = learned("min", 3, 9), learned("max", 3, 9)
    assert least is not None
    assert most is not None
    assert (least.question, least.bounds, least.why) == (Amount("x"), Bounds(lower=3), "x is not at least 3")
    assert (most.question, most.bounds, most.why) == (Amount("x"), Bounds(upper=9), "x is not at most 9")
    assert learned("min", None, 9) is None
    assert learned("max", 3, None) is None
    assert learned("mean", 3, 9) is None
    assert learned("no_metric", 3, 9) is None


@given(st.sampled_from(["date", "whole hour", "whole week", "whole month"]), st.integers(-2, 2), MOMENTS, st.sampled_from(["min", "max"]))
def test_a_row_within_the_last_step_of_a_bound_keeps_it(part: str, off: int, at: datetime, metric: str) -> None:
    transform, batch = Transform(part=part), "2024-02-29T23" if part == "whole hour" else {"whole week": "2024-W09"}.get(part, "2024-02")
    reference = PARTS[part].number("2024-02-29" if part == "date" else batch)
    constraint = Constraint("x", metric, "temporal", float(off), float(off), transform=transform)
    bounds = [transform.inverse(bound, reference) for bound in (constraint.lower, constraint.upper)]
    (rule,) = row_rules([Verdict(constraint, "pass", at.timestamp(), *bounds, "")])
    assert rule.bounds is not None
    one_sided = replace(constraint, upper=None) if metric == "min" else replace(constraint, lower=None)
    # Of a batch of this row alone the row is the extreme.
    assert rule.bounds.holds(at.timestamp()) == one_sided.holds(transform.forward(at.timestamp(), reference))


def test_a_share_is_broken_from_the_side_that_its_bounds_say() -> None:
    below, above = learned("complete_ratio", 0.6, 0.9, observed=0.1), learned("complete_ratio", 0.1, 0.4, observed=0.9)
    assert below is not None
    assert above is not None
    assert [(r.question, r.reverse, r.why) for r in (below, above)] == [
        (Present("x"), False, "x is null"), (Present("x"), True, "x is not null"),
    ]  # fmt: skip
    assert learned("complete_ratio", 0.0, 1.0) is None


def test_what_most_rows_may_do_is_no_mistake_of_theirs() -> None:
    assert learned("complete_ratio", 0.937, 0.945, observed=0.95) is None
    assert learned("complete_ratio", 0.1, 0.2, observed=0.05) is None
    assert learned("unique_ratio", 0.2, None, observed=0.1) is None
    # What a person states speaks of every row all the same.
    assert found(Constraint("x", "complete_ratio", "numeric", 0.1, 1.0, origin="manual"), observed=0.05) is not None


@pytest.mark.parametrize(("lower", "marks"), [(0.9, False), (1.0, True)])
def test_learned_exceptions_mark_no_row_while_the_rule_holds(lower: float, marks: bool) -> None:
    assert (learned("complete_ratio", lower, 1.0, "pass", 1.0) is not None) == marks
    assert learned("complete_ratio", lower, 1.0, "fail", 0.1) is not None
    assert learned("complete_ratio", lower, 1.0, "not_evaluated") is None


def test_what_a_person_states_marks_rows_also_while_it_holds() -> None:
    rule = stated(c.is_complete("x", at_least=0.9, where="y > 1", level="warning"), "pass", 0.95)
    assert rule == RowRule(
        0, "x is not null where y > 1, in at least 90% of the rows", "x is null", "warning", Present("x"), "y > 1", excepts=True
    )
    strict = stated(c.is_complete("x"), "pass", 1.0)
    assert strict is not None
    assert not strict.excepts
    assert not strict.broken


@pytest.mark.parametrize(
    ("check", "question", "why"),
    [
        (c.is_unique(("b", "a")), Once(("a", "b")), "a, b occurs more than once"),
        (c.has(of.duplicate_row_count(), exactly=0), Once(()), "the row occurs more than once"),
        (c.has_pattern("x", "^a"), RowTest("^a", "x"), "x has no match of ^a"),
        (c.is_contained_in("x", ["a"]), RowTest("`x` IS NULL OR `x` IN ('a')"), "x is not one of a"),
        (c.is_non_negative("x"), RowTest("coalesce(cast(`x` AS DOUBLE), 0.0) >= 0"), "x is negative"),
        (c.satisfies("x is null"), RowTest("x is null"), "not so: x is null"),
        (c.has(of.compliance("x > 1"), at_most=0), RowTest("x > 1"), "so: x > 1"),
        (c.has(of.max_length("x", nulls="fail"), below=4), Amount("x", True, "fail"), "the length of x is not below 4"),
    ],
)
def test_questions_and_reasons(check: Check, question: object, why: str) -> None:
    rule = stated(check, observed=0.5)
    assert rule is not None
    assert (rule.question, rule.why) == (question, why)


def test_times_are_told_as_such() -> None:
    rule = found(Constraint("day", "min", "temporal", 1_704_067_200.0, None))
    assert rule is not None
    assert rule.why == "day is not at least 2024-01-01"


def test_rules_that_no_row_breaks_alone() -> None:
    for check in (c.has(of.size(), at_least=1), c.has(of.mean("x"), above=1), c.has(of.completeness("x"), other_than=0.5)):
        assert stated(check) is None


def test_a_pattern_speaks_of_whole_values() -> None:
    pattern = Pattern("<digit>{2}", anchored("[0-9]{2}"), 100, 1)
    made: Any = PatternConstraint("x", METRIC, "string", None, 0.05, pattern=pattern)
    rule = found(made, observed=0.5)
    assert rule is not None
    assert (rule.question, rule.why) == (Conforms("x", anchored("[0-9]{2}")), "x is not 2 digits")
    assert found(made, "pass", 0.01) is None


def test_a_share_that_may_be_none_is_broken_by_no_row() -> None:
    assert stated(c.has(of.unique_value_ratio("x"), at_least=0), "pass", 0.5) is None
    assert stated(c.is_complete("x", at_least=0), "pass", 0.5) is None
    assert stated(c.has(of.unique_value_ratio("x"), above=0), "fail", 0.0) is not None
    amount = stated(c.has(of.minimum("x"), at_least=0))
    assert amount is not None
    assert amount.bounds == Bounds(lower=0)
