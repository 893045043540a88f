"""One rule in the place of one of each column says what they said: column by column the same bounds, at the same price."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromSnapshot, Proposal, Record
from avh_ui.constraints.recipe import Recipe
from avh_ui.constraints.several import alone, each_of, parts_of, without
from avh_ui.inference.as_one import as_one, one_by_one
from avh_ui.metrics.column import Column
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.filled_columns import LEAST_COMPLETE, LEAST_FILLED
from avh_ui.metrics.lowest_columns import LOWEST
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.moments import MIN, RANGE, MomentsState
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.narrowest_columns import NARROWEST
from avh_ui.metrics.repeated_columns import MOST_REPEATED

RULES = st.tuples(
    st.sampled_from(["numeric", "string", "temporal", "skipped"]), st.sampled_from([1.0, 1.0, 1.0, 0.5]),
    st.sampled_from([1e-4, 2e-4]), st.sampled_from([30, 90]), st.booleans(), st.sampled_from(["", "", "", "refused", "decided"]),
)  # fmt: skip


def proposal(place: int, kind: str, lower: float, fpr: float, batches: int, fired: bool) -> Proposal:
    told = {"method": "calibrated", "batches": batches, "mu": 1.0, "fpr_target": 0.001}
    rule = Constraint(f"c{place}", "complete_ratio", kind=kind, lower=lower, upper=1.0, fpr=fpr, provenance=told)
    names = (f"nulls {place}",)
    return Proposal(rule, FromHistory(batches=batches, backtest=Record(batches, ("b1",) if fired else ()), tried=names, caught=names))


def said(rule: Constraint) -> tuple[object, ...]:
    return rule.key, rule.column, rule.metric, rule.kind, rule.lower, rule.upper, rule.learned.batches


@given(st.lists(RULES, max_size=9))
def test_its_parts_are_the_rules_that_it_stands_for(rules: list[tuple[str, float, float, int, bool, str]]) -> None:
    proposals = [proposal(place, *rule[:5]) for place, rule in enumerate(rules)]
    kept = {
        word: {one.constraint.key for one, rule in zip(proposals, rules, strict=True) if rule[5] == word} for word in ("refused", "decided")
    }
    found = as_one(proposals, lambda c: c.key in kept["refused"], lambda c: c.key in kept["decided"])
    parts = [part for one in found for part in parts_of(one.constraint)]
    assert sorted(map(said, parts)) == sorted(said(one.constraint) for one in proposals)
    assert sum(part.fpr for part in parts) == pytest.approx(sum(one.constraint.fpr for one in proposals))
    assert sorted(said(one.constraint) for one in one_by_one(found)) == sorted(map(said, parts))
    several = [one for one in found if each_of(one.constraint)]
    # By hand: of those that nobody has decided on and that never broke the most that are of one price and age.
    alike: dict[tuple[float, int], int] = {}
    for _, lower, fpr, batches, fired, word in rules:
        if lower == 1 and not fired and not word:
            alike[fpr, batches] = alike.get((fpr, batches), 0) + 1
    most = max(alike.values(), default=0)
    assert [len(each_of(one.constraint)) for one in several] == ([most] if most > 1 else [])
    assert {name for one in several for name in one.evidence.caught} == {
        f"c{int(name[1:])} nulls {int(name[1:])}" for one in several for name in each_of(one.constraint)
    }


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50)), min_size=2, max_size=6), st.floats(0.1, 1.0))
def test_it_holds_where_the_rule_of_each_column_does(counts: list[tuple[int, int]], lower: float) -> None:
    states = [CountState(rows, min(nulls, rows)) for rows, nulls in counts]
    measure = Measure(LEAST_COMPLETE.name, tuple(f"c{k}" for k in range(len(states))))
    together = Constraint(measure.subject, measure.name, measure=measure, kind="rows", lower=lower, upper=1.0)
    value = LEAST_COMPLETE.result(measure, states)
    assert together.holds(value) is all(alone(together, f"c{k}").holds((one.rows - one.nulls) / one.rows) for k, one in enumerate(states))
    assert LEAST_COMPLETE.result(measure, [*states, CountState()]) is None


LOWS = st.tuples(
    st.sampled_from(["history", "history", "snapshot"]), st.sampled_from([0.0, 0.0, 0.0, 1.0, -1.0]), st.sampled_from([None, None, 9.0]),
    st.sampled_from([1e-4, 2e-4]),
)  # fmt: skip


def low(place: int, origin: str, lower: float, upper: float | None, fpr: float) -> Proposal:
    told = (
        {"method": "calibrated", "batches": 30, "mu": 1.0} if origin == "history" else {"method": "snapshot", "rule": "NonNegativeNumbers"}
    )
    rule = Constraint(
        f"c{place}", "min", kind="numeric", lower=lower, upper=upper, fpr=fpr, provenance=told, origin=origin,  # type: ignore[arg-type]
    )  # fmt: skip
    names = (f"below {place}",)
    return Proposal(rule, (FromHistory if origin == "history" else FromSnapshot)(tried=names, caught=names))


@given(st.lists(LOWS, max_size=7))
def test_columns_that_are_never_below_zero_are_one_rule_whoever_says_it(rules: list[tuple[str, float, float | None, float]]) -> None:
    proposals = [low(place, *rule) for place, rule in enumerate(rules)]
    found = as_one(proposals)
    of = [(p.constraint.column, p.constraint.lower, p.constraint.upper) for p in proposals]
    assert sorted((c.column, c.lower, c.upper) for one in found for c in parts_of(one.constraint)) == sorted(of)
    assert sum(one.constraint.fpr for one in found) == pytest.approx(sum(rule[3] for rule in rules))
    alike = [place for place, (_, lower, upper, _) in enumerate(rules) if lower == 0 and upper is None]
    joined = len(alike) > 1
    several = [one for one in found if each_of(one.constraint)]
    assert [each_of(one.constraint) for one in several] == ([tuple(f"c{place}" for place in alike)] if joined else [])
    assert [name for one in several for name in one.evidence.caught] == [f"c{place} below {place}" for place in alike if joined]


@given(st.lists(st.sampled_from(["", "lower", "floor"]), max_size=9))
def test_each_limit_of_least_values_has_a_rule_of_its_own(limits: list[str]) -> None:
    recipe = Recipe(window=120, width=3.0, batches=30, deviation=20.0, index=2.5, least=-100.0)
    proposals = []
    for place, limit in enumerate(limits):
        one = low(place, "history", -100.0 if limit == "floor" else 0.0, None, 1e-4)
        how = {"recipe": recipe} if limit == "floor" else {"strict": limit}
        proposals.append(replace(one, constraint=replace(one.constraint, **how)))  # type: ignore[arg-type]
    found = as_one(proposals)
    several = {(one.constraint.lower, one.constraint.strict): each_of(one.constraint) for one in found if each_of(one.constraint)}
    asked = {(0.0, ""): "", (0.0, "lower"): "lower", (-100.0, ""): "floor"}
    columns = {at: tuple(f"c{place}" for place, limit in enumerate(limits) if limit == word) for at, word in asked.items()}
    assert several == {at: names for at, names in columns.items() if len(names) > 1}
    assert len({one.constraint.key for one in found}) == len(found)
    assert sorted(map(said, (c for one in found for c in parts_of(one.constraint)))) == sorted(said(p.constraint) for p in proposals)


def some_null(place: int, lower: float, usual: float) -> Proposal:
    told = {"method": "calibrated", "batches": 30, "mu": usual, "sigma": 0.01}
    rule = Constraint(f"c{place}", "complete_ratio", kind="string", lower=lower, upper=None, fpr=1e-4, provenance=told)
    return Proposal(rule, FromHistory(batches=30, tried=("half",), caught=("half",)))


@given(st.lists(st.tuples(st.sampled_from([0.5, 0.5, 0.9]), st.sampled_from([0.99, 0.98, 0.7])), max_size=7))
def test_columns_of_which_far_more_may_be_null_than_are_become_one_rule(rules: list[tuple[float, float]]) -> None:
    """A bound near what usually is null follows it, and stays that of its column."""
    proposals = [some_null(place, *rule) for place, rule in enumerate(rules)]
    full = [proposal(place, "numeric", 1.0, 1e-4, 30, fired=False) for place in range(len(rules), len(rules) + 2)]
    found = as_one([*proposals, *full])
    assert sorted(said(c) for one in found for c in parts_of(one.constraint)) == sorted(said(p.constraint) for p in [*proposals, *full])
    loose = [[f"c{place}" for place, rule in enumerate(rules) if rule[0] == at and 1 - rule[1] <= 0.1 * (1 - at)] for at in (0.5, 0.9)]
    several = [[*each_of(one.constraint)] for one in found if one.constraint.metric == LEAST_FILLED.name]
    most = max(map(len, loose))
    assert several == [] if most < 2 else len(several) == 1 and several[0] in loose and len(several[0]) == most
    assert len({one.constraint.key for one in found}) == len(found)


@given(st.lists(st.lists(st.floats(-1e6, 1e6), max_size=4), min_size=2, max_size=5), st.floats(-10, 10))
def test_the_lowest_of_several_columns_is_that_of_each(columns: list[list[float]], lower: float) -> None:
    states = [MomentsState(n=len(values), low=min(values, default=float("inf"))) for values in columns]
    measure = Measure(LOWEST.name, tuple(f"c{k}" for k in range(len(states))))
    value = LOWEST.result(measure, states)
    each = [low for one in states if (low := MIN.result(Measure(MIN.name, ("c",)), [one])) is not None]
    assert value == min(each, default=None)
    together = Constraint(measure.subject, measure.name, measure=measure, kind="rows", lower=lower, upper=None)
    assert value is None or together.holds(value) is all(alone(together, "c0").holds(one) for one in each)


@given(st.integers(3, 8), st.data())
def test_whoever_takes_columns_out_leaves_the_others(many: int, data: st.DataObject) -> None:
    rules = [proposal(place, "numeric", 1.0, 1e-4, 30, fired=False) for place in range(many)]
    (one,) = as_one(rules)
    out = data.draw(st.lists(st.sampled_from(each_of(one.constraint)), unique=True, max_size=many - 1))
    left = without(one.constraint, out)
    assert sorted(map(said, parts_of(left))) == sorted(said(p.constraint) for p in rules if p.constraint.column not in out)
    if len(parts_of(left)) > 1:
        assert left.key == one.constraint.key


@given(st.lists(st.lists(st.floats(-1e6, 1e6), max_size=4), min_size=2, max_size=5))
def test_the_narrowest_of_several_columns_is_that_of_each(columns: list[list[float]]) -> None:
    ends = [(min(values, default=float("inf")), max(values, default=-float("inf"))) for values in columns]
    states = [MomentsState(n=len(values), low=low, high=high) for values, (low, high) in zip(columns, ends, strict=True)]
    measure = Measure(NARROWEST.name, tuple(f"c{k}" for k in range(len(states))))
    value = NARROWEST.result(measure, states)
    each = [span for one in states if (span := RANGE.result(Measure(RANGE.name, ("c",)), [one])) is not None]
    assert value == min(each, default=None)
    together = Constraint(measure.subject, measure.name, measure=measure, kind="rows", lower=0.0, upper=None, strict="lower")
    assert value is None or together.holds(value) is all(alone(together, "c0").holds(one) for one in each)


@given(st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=2, max_size=5), st.floats(0.1, 1))
def test_the_most_repeated_of_several_columns_is_that_of_each(columns: list[list[int]], upper: float) -> None:
    states = [DistributionState.of(Column.from_arrow("c", pa.array(values, pa.float64()))) for values in columns]
    measure = Measure(MOST_REPEATED.name, tuple(f"c{k}" for k in range(len(states))))
    value = MOST_REPEATED.result(measure, states)
    each = [share for one in states if (share := TOP_RATIO.result(Measure(TOP_RATIO.name, ("c",)), [one])) is not None]
    assert value == max(each, default=None)
    together = Constraint(measure.subject, measure.name, measure=measure, kind="rows", lower=None, upper=upper)
    assert value is None or together.holds(value) is all(alone(together, "c0").holds(one) for one in each)


def repeated(place: int, upper: float, usual: float, lower: float | None) -> Proposal:
    told = {"method": "calibrated", "batches": 30, "mu": usual, "sigma": 0.01}
    recipe = Recipe(window=120, width=3.0, batches=30, deviation=0.1, index=2.5, least=0.0)
    rule = Constraint(f"c{place}", "top_ratio", kind="numeric", lower=lower, upper=upper, fpr=1e-4, recipe=recipe, provenance=told)
    return Proposal(rule, FromHistory(batches=30, tried=("half",), caught=("half",)))


@given(
    st.lists(
        st.tuples(st.sampled_from([0.1, 0.11, 0.15, 0.6]), st.sampled_from([0.04, 0.09]), st.sampled_from([None, None, 0.01])), max_size=9
    )
)
def test_columns_of_which_as_much_may_be_one_value_are_one_rule(rules: list[tuple[float, float, float | None]]) -> None:
    """Of each like bound one, which is the widest of theirs; one that is near to the usual share stays that of its column."""
    proposals = [repeated(place, *rule) for place, rule in enumerate(rules)]
    found = as_one(proposals)
    able = [place for place, (upper, usual, lower) in enumerate(rules) if lower is None and upper < 0.5 and usual <= 0.5 * upper]
    alike = [[place for place in able if (rules[place][0] <= 0.11) is near] for near in (True, False)]
    several = {each_of(one.constraint): one.constraint.upper for one in found if each_of(one.constraint)}
    assert several == {tuple(f"c{place}" for place in some): max(rules[place][0] for place in some) for some in alike if len(some) > 1}
    assert len({one.constraint.key for one in found}) == len(found)
    assert sum(one.constraint.fpr for one in found) == pytest.approx(1e-4 * len(rules))
