"""What all sources say of a column, without what they say twice."""

from __future__ import annotations

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromFew, FromHistory, FromSnapshot, Proposal
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.inference.lean import MOST, Lean, lean
from avh_ui.metrics.measure import Measure


def rule(
    metric: str, caught: str, lower: float | None = None, upper: float | None = None, *, column: str = "c", **more: object
) -> Proposal:
    kind = "numeric" if metric in ("min", "max", "mean", "median", "js_div") else "string"
    evidence = FromHistory(method=str(more.pop("method", "calibrated")), tried=tuple("abcdefgh"), caught=tuple(caught))
    return Proposal(Constraint(column, metric, kind=kind, lower=lower, upper=upper, origin="history", **more), evidence)  # type: ignore[arg-type]


def snapshot(metric: str, caught: str, lower: float | None, upper: float | None = None) -> Proposal:
    made = Constraint("c", metric, kind="numeric", lower=lower, upper=upper, origin="snapshot", provenance={"rule": "HasMin"})
    return Proposal(made, FromSnapshot(method="snapshot", rule="HasMin", tried=tuple("abcdefgh"), caught=tuple(caught)))


def pattern(caught: str) -> Proposal:
    made = PatternConstraint(
        "c", METRIC, kind="string", lower=None, upper=0.0, origin="corpus", pattern=Pattern("<upper>{2}", "[A-Z]{2}", 9, 0)
    )
    return Proposal(made, Evidence(tried=tuple("abcdefgh"), caught=tuple(caught)))


def told(found: Lean) -> dict[str, tuple[str, ...]]:
    return {p.constraint.metric: p.evidence.also for p in found.proposals}


def test_what_others_catch_is_named_under_the_rule_that_covers_it() -> None:
    found = lean([rule("complete_ratio", "a", 1, 1), rule("str_len", "bc", 2, 2), pattern("bcd"), rule("js_div", "d", None, 0.1)])
    assert told(found) == {"complete_ratio": (), METRIC: ("js_div ≤ 0.1", "str_len = 2 chars")}
    assert {p.constraint.metric for p in found.proposals} == {"complete_ratio", METRIC}
    assert [(out["column"], out["metric"]) for out in found.left_out] == [("c", "js_div"), ("c", "str_len")]
    covering = next(p.constraint for p in found.proposals if p.constraint.metric == METRIC)
    assert {out["covered"] for out in found.left_out} == {covering.key}
    assert "catch" in found.left_out[0]["reason"]


def test_a_plain_rule_is_not_given_up_for_a_distance() -> None:
    found = lean([rule("complete_ratio", "a", 1, 1), rule("l1", "abcdefgh", None, 0)])
    assert {p.constraint.metric for p in found.proposals} == {"complete_ratio", "l1"}


def test_one_metric_has_one_rule() -> None:
    found = lean([rule("min", "ab", 0), snapshot("min", "abc", 0, 0)])
    assert [(p.constraint.origin, p.constraint.metric) for p in found.proposals] == [("history", "min")]
    assert told(found) == {"min": ("min = 0",)}


def test_a_column_has_few_rules_unless_one_alone_notices_what_comes_first() -> None:
    rules = [
        rule("min", "abcd", 0),
        rule("max", "efg", None, 9),
        rule("mean", "abeh", 1, 2),
        rule("js_div", "xy", None, 0.2),
        rule("median", "z", 1),
    ]
    assert len(lean(rules).proposals) == MOST
    every = lean(rules, first=["d", "g", "h", "x", "z"])
    assert len(every.proposals) == len(rules)
    assert not every.left_out


def test_the_number_of_rows_is_none_of_a_columns_business() -> None:
    rows = Proposal(
        Constraint("rows", "row_count", measure=Measure("row_count"), kind="numeric", lower=5, upper=9), FromHistory(method="calibrated")
    )
    volume = Proposal(rule("mean", "").constraint, FromHistory(method="calibrated", caught=("volume_change x2",)))
    found = lean([rows, rule("min", "a", 0), volume])
    assert [p.constraint.title for p in found.proposals] == ["row_count", "min of c"]


def test_what_may_not_change_by_key_covers_the_rest_of_the_column() -> None:
    measure = Measure("changed_share", ("c",), parameters=(("key", ("id",)),))
    keyed = Proposal(
        Constraint(measure.subject, "changed_share", measure=measure, kind="rows", lower=0, upper=0),
        FromHistory(method="calibrated", caught=("shifted",)),
    )
    found = lean([rule("dist_val_count", "bc", 3, 3), rule("l1", "bcd", None, 0), keyed])
    assert told(found) == {"changed_share": ("l1 ≤ 0", "dist_val_count = 3 values")}
    loose = Proposal(keyed.constraint.with_bounds(None, 0.1), keyed.evidence)
    assert len(lean([rule("dist_val_count", "bc", 3, 3), loose]).proposals) == 2


def test_guesses_and_the_papers_programs_stay_as_they_are() -> None:
    paper = [rule("min", "a", 0, method="paper"), rule("max", "a", None, 1, method="paper")]
    guess = Proposal(Constraint("c", "min", kind="numeric", lower=0, upper=None, provenance={"method": "few"}), FromFew(caught=("a",)))
    assert lean(paper).proposals == paper
    assert guess in lean([guess, rule("max", "a", None, 1)]).proposals


def test_a_columns_matched_rows_have_rules_beside_its_own() -> None:
    own = [rule("min", "abcd", 0), rule("max", "efg", None, 9), rule("mean", "hij", 1, 2)]
    by = {
        name: rule(name, caught, None, 1, column="c by id", measure=Measure(name, ("c",), parameters=(("key", ("id",)),)))
        for name, caught in (("largest_rise", "q"), ("sum_fallen", "rs"), ("count_fall", "tu"), ("fallen_share", "v"))
    }
    found = {p.constraint.metric for p in lean([*own, *by.values()]).proposals}
    assert {"min", "max", "mean"} <= found
    assert len(found & set(by)) == MOST
