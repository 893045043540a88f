"""What all sources say of a column, without what they say twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromFew, FromHistory, FromRelation, FromSnapshot, FromValues, Proposal, beside
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint, PatternKind
from avh_ui.constraints.transforms import Transform
from avh_ui.inference.by_history.first_noticed import FIRST, LEVELLED, PROMISED
from avh_ui.inference.by_key.row_issues import SEEN
from avh_ui.inference.lean import Lean, lean
from avh_ui.inference.lean_choice import MOST
from avh_ui.metrics import analyzers
from avh_ui.metrics.by_key import EXCHANGED, SPOILED, WIPED
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.mistaken_rows import MISTAKEN_ROWS
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.sql.conditions import read
from avh_ui.review.meaning import COLUMN, meaning
from avh_ui.review.plain import plain

HALF_NULL = ("increased_nulls 50% null", "increased_nulls 100% null")


def rule(
    metric: str, caught: Iterable[str], lower: float | None = None, upper: float | None = None, *, column: str = "c", **more: object
) -> Proposal:
    kind = "numeric" if metric in ("min", "max", "mean", "median", "js_div", "emd") else "string"
    evidence = FromHistory(method=str(more.pop("method", "calibrated")), tried=tuple("abcdefgh"), caught=tuple(caught))
    return Proposal(Constraint(column, metric, kind=kind, lower=lower, upper=upper, origin="history", **more), evidence)  # type: ignore[arg-type]


def snapshot(metric: str, caught: Iterable[str], lower: float | None, upper: float | None = None) -> Proposal:
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
    assert told(found) == {"complete_ratio": (), METRIC: ("str_len = 2 chars", "js_div ≤ 0.1")}
    assert {p.constraint.metric for p in found.proposals} == {"complete_ratio", METRIC}
    assert [(out["column"], out["metric"]) for out in found.left_out] == [("c", "str_len"), ("c", "js_div")]
    covering = next(p.constraint for p in found.proposals if p.constraint.metric == METRIC)
    assert {out["covered"] for out in found.left_out} == {covering.key}
    assert "catch" in found.left_out[0]["reason"]


def test_what_a_person_refused_stands_in_for_nothing() -> None:
    """A rejected rule stays, so that it stays rejected, and what it covered is suggested beside it."""
    rules = [of_rows("changed_share", *"abcd", upper=0), of_rows("fallen_share", *"bc"), of_rows("largest_fall", "b")]
    assert {p.constraint.metric for p in lean(rules).proposals} == {"changed_share"}
    found = lean(rules, refused=lambda constraint: constraint.metric == "changed_share")
    assert {p.constraint.metric for p in found.proposals} == {"changed_share", "fallen_share"}
    assert [(out["metric"], out["covered"]) for out in found.left_out] == [("largest_fall", rules[1].constraint.key)]


@pytest.mark.parametrize(("count", "says"), [(2.0, "Each of the 2 values"), (3.0, "c always has 3")])
def test_how_many_values_there_always_are_is_told_of_those_of_a_closed_set(count: float, says: str) -> None:
    made = PatternConstraint("c", METRIC, "string", None, 0.0, origin="values", pattern=Pattern("a | b", "a|b", 90, 0, "dictionary"))
    closed = Proposal(made, FromValues(caught=("new",), tried=("new", "lost"), distinct=2))
    kept = lean([closed, rule("dist_val_count", ("lost",), count, count)]).proposals
    assert [plain(one.constraint).startswith(says) for one in kept if one is not closed] == [True]


def test_of_a_closed_set_no_length_says_more() -> None:
    """2.997 to 3.003 characters beside the list of three currencies; nor beside a share of new values: "35.25 to 35.321 characters long on
    average" was said of seven series' names, which are never all of one length.
    """
    for length in (rule("str_len", "bc", 2.997, 3.003), rule("str_len", "bc", 12), rule("capital_ratio", "bc", 0.01, 0.5)):
        for upper in (0.0, 0.05):
            assert {p.constraint.metric for p in lean([length, listed("a", upper, 3)]).proposals} == {METRIC}


def test_beside_a_pattern_a_fixed_length_says_nothing_of_empty_texts() -> None:
    """That a text is empty where none was is what every validation says."""
    for upper, caught, kept in ((2, "bc", {METRIC}), (2, "c", {METRIC, "str_len"})):
        length = rule("str_len", "b", 2, upper)
        length = replace(length, evidence=replace(length.evidence, caught=("b", "increased_nulls 1% empty")))
        found = lean([length, pattern(caught)])
        assert {p.constraint.metric for p in found.proposals} == kept


@pytest.mark.parametrize(("text", "kept"), [("1", {METRIC}), ("1 | 2", {METRIC, "mean"})])
def test_that_every_value_is_the_one_says_more_than_their_average(text: str, kept: set[str]) -> None:
    """What the average notices beside it is that all are null, which the fill says; of a list of two values it says which."""
    listed = replace(pattern("abc"), constraint=replace(pattern("abc").constraint, origin="values", kind="numeric"))
    listed = replace(listed, constraint=replace(listed.constraint, pattern=Pattern(text, "1", 9, 0, "dictionary")))
    mean = rule("mean", "ab", 1, 1)
    mean = replace(mean, evidence=replace(mean.evidence, caught=("a", "b", "increased_nulls 100% null")))
    assert {p.constraint.metric for p in lean([mean, listed]).proposals} == kept


@pytest.mark.parametrize(("text", "count", "kept"), [("UTF-8", 1, {METRIC}), ("a | b", 2, {METRIC, "dist_val_count"})])
def test_that_every_value_is_the_one_says_that_they_are_the_same(text: str, count: int, kept: set[str]) -> None:
    """`charset has one and the same value` beside `charset is UTF-8` says nothing more; of a list of two a value may vanish."""
    listed = replace(pattern("abc"), constraint=replace(pattern("abc").constraint, origin="values"))
    listed = replace(listed, constraint=replace(listed.constraint, pattern=Pattern(text, "x", 9, 0, "dictionary")))
    same = rule("dist_val_count", "", count, count)
    caught = ("a", "b", "increased_nulls 1% empty", "increased_nulls 100% null")
    same = replace(same, evidence=replace(same.evidence, caught=caught))
    assert {p.constraint.metric for p in lean([same, listed]).proposals} == kept


@pytest.mark.parametrize(
    ("alone", "kept"), [({"default_value 20%"}, False), ({"default_value 20%", "amounts rounded"}, True), ({"one_value 50%"}, True)]
)
def test_where_others_notice_half_of_a_default_nobody_reads_how_many_values_are_the_same(alone: set[str], kept: bool) -> None:
    tried = ("one_value 50%", "default_value 20%", "amounts rounded", "one_value 100%", "unit_change x10")
    same = rule("top_ratio", (), None, 0.12)
    same = replace(same, constraint=replace(same.constraint, kind="numeric"))
    same = replace(same, evidence=replace(same.evidence, tried=tried, caught=("one_value 50%", "one_value 100%", *alone)))
    other = rule("js_div", (), None, 0.1)
    caught = {"one_value 50%", "one_value 100%", "unit_change x10"} - alone
    other = replace(other, evidence=replace(other.evidence, tried=tried, caught=tuple(caught)))
    assert ("top_ratio" in {p.constraint.metric for p in lean([same, other]).proposals}) is kept


def test_a_closed_set_and_its_mix_say_more_than_how_many_values_there_are() -> None:
    """The list is what an owner names first, and the mix alone notices that shares move; that it has 3 values they say together."""
    rules = [rule("complete_ratio", "a", 1, 1), rule("dist_val_count", "bcde", 3, 3), rule("js_div", "bcdefg", None, 0.01)]
    listed = pattern("bch")
    closed = replace(listed, constraint=replace(listed.constraint, origin="values"))
    found = lean([*rules, closed], first=("a", "g"))
    assert {p.constraint.metric for p in found.proposals} == {"complete_ratio", "js_div", METRIC}


def test_a_plain_rule_is_not_given_up_for_a_distance() -> None:
    found = lean([rule("complete_ratio", "a", 1, 1), rule("l1", "abcdefgh", None, 0)])
    assert {p.constraint.metric for p in found.proposals} == {"complete_ratio", "l1"}


def test_one_metric_has_one_rule() -> None:
    found = lean([rule("min", "ab", 0), snapshot("min", "abc", 0, 0)])
    assert [(p.constraint.origin, p.constraint.metric) for p in found.proposals] == [("history", "min")]
    assert told(found) == {"min": ("min = 0",)}


def test_never_below_0_is_more_than_a_bound_that_lets_numbers_be_negative() -> None:
    """Of a table of 64 columns no count was ever negative, and what followed the least of them let it be -220: both were left out."""
    found = lean([rule("min", "ab", -220), rule("complete_ratio", "a", 1, 1, column="c"), snapshot("min", "abc", 0)])
    assert ("snapshot", 0) in [(p.constraint.origin, p.constraint.lower) for p in found.proposals]
    above = lean([rule("min", "ab", 5), snapshot("min", "abc", 0)])
    assert [(p.constraint.origin, p.constraint.lower) for p in above.proposals] == [("history", 5)]


def test_a_column_has_three_rules_unless_another_alone_notices_what_is_promised() -> None:
    """What comes first, and is not promised, brings no fourth."""
    rules = [
        rule("min", "abcd", 3),
        rule("max", "efg", None, 9),
        rule("mean", "abeh", 1, 2),
        rule("js_div", "xy", None, 0.2),
        rule("median", "z", 1),
    ]
    assert len(lean(rules).proposals) == MOST
    found = lean(rules, first=["d", "g", "h", "x", "z"])
    assert len(found.proposals) == MOST
    assert len(found.left_out) == 2
    promised = tuple(PROMISED)[2:]
    own = [replace(one, evidence=replace(one.evidence, caught=(name,))) for one, name in zip(rules, promised, strict=False)]
    level = replace(rules[3], evidence=replace(rules[3].evidence, caught=("unit_change x1000", "x")))
    assert len(lean([*own, level], first=FIRST).proposals) == MOST + 1
    # One that notices two of them makes the fourth superfluous.
    two = replace(rules[4], evidence=replace(rules[4].evidence, caught=(*promised[1:], "y")))
    assert len(lean([*own, level, two], first=FIRST).proposals) == MOST


def test_dates_are_held_to_their_day_and_to_how_they_are_written() -> None:
    """Each moment once and none null, of its batch's day: 31.07.2000 in the place of 2000-07-31 passed."""
    filled, once = rule("complete_ratio", [*HALF_NULL, *"ab"], 1), rule("unique_ratio", "cd", 1, 1)
    day = rule("first_date", "efgh", 0, 0, transform=Transform(part="date"))
    written = replace_tried(pattern("ef"), ("date order",), "date order", *"ef")
    assert {p.constraint.metric for p in lean([filled, once, day, written]).proposals} == {
        "complete_ratio",
        "unique_ratio",
        "first_date",
        METRIC,
    }
    plainly = replace_tried(pattern("ef"), (), *"ef")
    assert METRIC not in told(lean([filled, once, day, plainly]))


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
    assert told(found) == {"changed_share": ("l1 = 0", "dist_val_count = 3 values")}
    loose = Proposal(keyed.constraint.with_bounds(None, 0.1), keyed.evidence)
    assert len(lean([rule("dist_val_count", "bc", 3, 3), loose]).proposals) == 2


def test_guesses_and_the_papers_programs_stay_as_they_are() -> None:
    paper = [rule("min", "a", 0, method="paper"), rule("max", "a", None, 1, method="paper")]
    guess = Proposal(Constraint("c", "min", kind="numeric", lower=0, upper=None, provenance={"method": "few"}), FromFew(caught=("a",)))
    assert lean(paper).proposals == paper
    assert guess in lean([guess, rule("max", "a", None, 1)]).proposals


def of_rows(name: str, *caught: str, upper: float = 1) -> Proposal:
    made = rule(name, "", 0, upper, column="c by id", measure=Measure(name, ("c",), parameters=(("key", ("id",)),)))
    return Proposal(replace(made.constraint, kind="rows"), replace(made.evidence, caught=caught))


def test_a_columns_matched_rows_count_among_its_few_rules() -> None:
    own = [rule("min", "abcd", 0), rule("max", "efg", None, 9), rule("mean", "hij", 1, 2)]
    by = [of_rows(name, *caught) for name, caught in (("largest_rise", "q"), ("sum_fallen", "rs"), ("count_fall", "tu"))]
    assert {p.constraint.metric for p in lean([*own, *by]).proposals} == {"min", "max", "mean"}


@pytest.mark.parametrize("count", [9, 40])
def test_what_notices_much_takes_a_place_and_makes_none(count: int) -> None:
    """A bound on how far rows fall that alone noticed 20 faults of rows was a fourth rule."""
    own = [rule("min", "abcdefghijkl", 3), rule("max", "mnopqrstuvwx", None, 9), rule("mean", "yzABCDEFGHIJ", 1, 2)]
    found = lean([*own, of_rows("count_fall", *(f"row {k}" for k in range(count)))])
    assert len(found.proposals) == MOST
    assert ("count_fall" in {p.constraint.metric for p in found.proposals}) == (count > 12)


def test_a_distance_gives_way_to_rows_that_show_the_same() -> None:
    moves = [of_rows(name, *(f"{name} {k}" for k in range(10))) for name in ("count_fall", "count_rise")]
    rules = [rule("complete_ratio", "a", 1, 1), rule("emd", "bcdefgh", 0, 9), *moves]
    assert "emd" in {p.constraint.metric for p in lean(rules, first="abcdefgh").proposals}
    shown = {moves[0].constraint.key: tuple("bcde"), moves[1].constraint.key: tuple("fgh")}
    rules = [replace(p, evidence=replace(p.evidence, shown=shown.get(p.constraint.key, ()))) for p in rules]
    found = lean(rules, first="abcdefgh")
    assert {p.constraint.metric for p in found.proposals} == {"complete_ratio", "count_fall", "count_rise"}
    assert [out["metric"] for out in found.left_out] == ["emd"]


@pytest.mark.parametrize(("metric", "upper", "kept"), [("capital_ratio", 0.02, False), ("capital_ratio", 0.3, True), (METRIC, 0.02, True)])
def test_what_is_hard_to_judge_gives_way_to_rows_that_few_change(metric: str, upper: float, *, kept: bool) -> None:
    """In capitals each text is another one: who reads that few change needs no share of capitals; a form says what they are."""
    rows = of_rows("changed_share", "z", upper=upper)
    rows = replace(rows, evidence=replace(rows.evidence, shown=("a", "b")))
    own = pattern("ab") if metric == METRIC else rule(metric, "ab", 0.1, 0.12)
    found = {p.constraint.metric for p in lean([rule("complete_ratio", "n", 1, 1), own, rows]).proposals}
    assert found == {"complete_ratio", "changed_share"} | ({metric} if kept else set())


@pytest.mark.parametrize(("kind", "kept"), [("type", 1), ("dictionary", 2)])
def test_a_form_says_nothing_beside_a_type(kind: str, kept: int) -> None:
    """True and false are of small letters; that they are two of a list of one batch says less than a form."""
    form, one = pattern("ab"), pattern("abc")
    of = replace(one.constraint, origin="snapshot", pattern=Pattern("true | false", "true|false", 9, 0, kind), provenance={"rule": "X"})
    found = lean([rule("complete_ratio", "n", 1, 1), form, replace(one, constraint=of)])
    assert sum(p.constraint.metric == METRIC for p in found.proposals) == kept


def test_that_nothing_is_null_gives_way_to_no_distance() -> None:
    """The earth mover's distance broke at half of the cells null in the latest batch; on the next day such a column passed."""
    null = "increased_nulls 50% null"
    moves = [of_rows(name, *(f"{name} {k}" for k in range(10))) for name in ("count_fall", "count_rise")]
    rules = [rule("complete_ratio", "", 1, 1), rule("emd", "bcdefgh", 0, 9), rule("mean", "ijk", 1, 2), *moves]
    rules[:2] = [replace(r, evidence=replace(r.evidence, caught=(*r.evidence.caught, null))) for r in rules[:2]]
    found = lean(rules, first=("b", null))
    assert {p.constraint.metric for p in found.proposals} >= {"complete_ratio", "emd"}
    assert len(found.proposals) == MOST


def test_that_nothing_is_null_gives_way_to_no_levels() -> None:
    """What the latest batch's nulls broke is an estimate, however plain: another day's may pass."""
    levels = [rule("mean", "abd", 1, 2), rule("max", "bce", None, 9)]
    assert {p.constraint.metric for p in lean([rule("complete_ratio", "ac", 1, 1), *levels]).proposals} == {"complete_ratio", "mean", "max"}
    assert {p.constraint.metric for p in lean([rule("complete_ratio", "ac", 0.9), *levels]).proposals} == {"mean", "max"}


def test_a_column_in_another_unit_is_worth_a_rule_and_misspelt_values_are_none_beyond_the_few() -> None:
    """Rows ten times as large as the others notice half of a column, and nothing where all of it is."""
    moves = [of_rows("spoiled_share", "unit_change x10 of 50%", *"abc", upper=0), of_rows("sum_fallen", *"defghijk")]
    filled = rule("complete_ratio", "l", 1, 1)
    for name, stays in (("unit_change x10", True), ("unit_change x1000", True), ("character_deletion 50%", False)):
        level = rule("mean", "", 1, 2)
        level = replace(level, evidence=replace(level.evidence, caught=(name,)))
        told = {p.constraint.metric for p in lean([filled, level, *moves, of_rows("largest_rise", *"mnopqrst")], first=FIRST).proposals}
        assert ("mean" in told) == stays


def test_that_a_count_is_never_below_0_stays_though_others_notice_more() -> None:
    """Of new cases "at most 30 % are the same" stood for it, and -12 passed."""
    noticed = {"complete_ratio": LEVELLED[:2], "emd": LEVELLED[2:4], "top_ratio": LEVELLED[4:6]}
    others = [rule(name, "", 0, 1) for name in noticed]
    others = [replace(one, evidence=replace(one.evidence, caught=noticed[one.constraint.metric])) for one in others]
    for name, low, stays in (("unit_change below zero", 0, True), ("unit_change below zero", -160, False), ("default_value 20%", 0, False)):
        least = rule("min", "", low)
        least = replace(least, evidence=replace(least.evidence, caught=(name,)))
        assert ("min" in {p.constraint.metric for p in lean([*others, least], first=FIRST).proposals}) == stays


def test_that_a_counter_never_falls_far_takes_no_place_among_the_few() -> None:
    few = [rule("complete_ratio", "a", 1, 1), rule("mean", "bc", 1, 2), rule("max", "def", None, 9)]
    falls = of_rows("fallen_counters", "a", upper=0)
    assert lean([*few, falls]).proposals == [*lean(few).proposals, falls]


def test_what_no_sound_batch_has_stays_among_the_few() -> None:
    """Bounds of how far rows move catch an exchange in the latest batch, and let most pass."""
    moves = [of_rows("count_fall", *"uvw", "exchanged:near", "exchanged:alike"), of_rows("count_rise", *"xyz", "exchanged:near")]
    others = [rule("complete_ratio", "a", 1, 1), of_rows("exchanged_share", "exchanged:near", upper=0), *moves]
    assert "exchanged_share" in {p.constraint.metric for p in lean(others).proposals}


def test_faults_that_a_relation_notices_need_no_rule_of_a_column() -> None:
    own = [rule("complete_ratio", "a", 1, 1), rule("mean", "bc", 1, 2), rule("max", "def", None, 9)]
    row = of_rows("changed_share", *(f"exchanged:{k}" for k in range(20)))
    told_of = relation("determined", "x", "y", caught=tuple(f"c exchanged:{k}" for k in range(20)))
    assert row in lean([*own, row]).proposals
    assert row not in lean([*own, row, told_of]).proposals


def test_that_rows_are_not_exchanged_stays_among_the_few_of_matched_rows() -> None:
    more = [of_rows(name, *caught) for name, caught in (("largest_rise", "pq"), ("sum_fallen", "rs"), ("count_fall", "tu"))]
    found = {p.constraint.metric for p in lean([*more, of_rows("exchanged_share", "exchanged:alike")]).proposals}
    assert "exchanged_share" in found
    assert len(found) == MOST


def test_that_rows_are_not_shifted_stays_though_others_notice_more() -> None:
    """A date that hardly ever changes was held to its first and last day, its form and how often the most frequent one comes."""
    others = [rule("complete_ratio", "abc", 1, 1), rule("str_len", "defgh", 1, 2), rule("dist_val_count", "ijklm", 1, 2)]
    for shifted, stays in (("shifted", True), ("exchanged:0.5", False)):
        found = lean([*others, by_rows("changed_share", 0.1, shifted)])
        assert ("changed_share" in {p.constraint.metric for p in found.proposals}) == stays


def test_that_no_row_is_times_ten_stays_though_others_notice_more() -> None:
    """Of prices that move by a few percent the bound on falls stood for that on rises, and one of 200 times ten passed."""
    others = [rule("complete_ratio", "abc", 1, 1), rule("mean", "defgh", 1, 2), by_rows("largest_fall", 0.5, *"ijklm")]
    for tenfold, stays in (("tenfold:one", True), ("tenfold:0.5", False)):
        found = lean([*others, of_rows("spoiled_share", *"nop", upper=0), by_rows("largest_rise", 0.5, tenfold)])
        assert ("largest_rise" in {p.constraint.metric for p in found.proposals}) == stays


@pytest.mark.parametrize(("lower", "upper", "stays"), [(212, 244, True), (20, 244, False), (-20, 244, False), (None, 244, False)])
def test_the_bound_that_a_row_times_ten_breaks_stays(lower: float | None, upper: float, stays: bool) -> None:
    """A meter at 2,300 volts passed, since a distance noticed more of what half of the rows do."""
    others = [rule("complete_ratio", "abc", 1, 1), rule("js_div", "defghijklm", None, 0.2), rule("min", "d", lower)]
    found = lean([*others, rule("max", "e", None, upper), rule("mean", "nopqr", 1, 2)])
    assert ("max" in {p.constraint.metric for p in found.proposals}) == stays


def relation(family: str, *columns: str, caught: tuple[str, ...] = ()) -> Proposal:
    measure = Measure("compliance", parameters=(("predicate", " = ".join(columns)),))
    made = Constraint(
        measure.subject, "compliance", "boolean", 1.0, None, measure=measure, origin="relation", provenance={"says": f"{columns} {family}"}
    )
    return Proposal(made, FromRelation(method="relation", family=family, of=columns, caught=caught))  # type: ignore[arg-type]


def test_a_copy_is_held_to_what_it_copies() -> None:
    """What its values would break, the relation breaks; that it is filled is its own."""
    filled = Proposal(
        rule("complete_ratio", "", 1, 1, column="copy").constraint,
        FromHistory(method="calibrated", tried=("a", "x null"), caught=("x null",)),
    )
    copied = relation("equal", "c", "copy")
    found = lean([rule("min", "ab", 0), rule("min", "ab", 0, column="copy"), rule("max", "c", None, 9, column="copy"), filled, copied])
    assert [p.constraint.title for p in found.proposals[:2]] == ["min of c", "complete_ratio of copy"]
    assert sorted(found.proposals[-1].evidence.also) == ["max ≤ 9 of copy", "min ≥ 0 of copy"]
    assert {(out["column"], out["covered"]) for out in found.left_out} == {("copy", copied.constraint.key)}


@pytest.mark.parametrize(("upper", "stays"), [(0.0, True), (0.2, False)])
def test_what_joins_two_others_keeps_its_own_closed_set(upper: float, stays: bool) -> None:
    """A department of a shop that never was has a number of its own, and is joined as it should be."""
    made = PatternConstraint(
        "id", METRIC, "string", None, upper, origin="values", pattern=Pattern("1_3 | 1_7", "1_3|1_7", 90, 0, "dictionary")
    )
    listed = Proposal(made, FromValues(caught=("new",), tried=("new",), distinct=2))
    found = lean([rule("str_len", "ab", 3, 3, column="id"), listed, relation("joined", "id", "shop", "part", caught=("id shifted",))])
    assert (listed.constraint in {p.constraint for p in found.proposals}) == stays


def test_of_columns_that_are_null_together_one_says_how_much_is_filled() -> None:
    """A null that the others do not have breaks the relation; where a person refused it, or the rule of the first, each says it again."""
    fills = [rule("complete_ratio", "ab", 0.7, 0.72, column=name) for name in ("lat", "long", "zone")]
    together = relation("nulls", "long", "lat", caught=("lat a", "long a"))
    found = lean([*fills, together])
    assert [p.constraint.column for p in found.proposals if p.constraint.metric == "complete_ratio"] == ["long", "zone"]
    assert told(found)["compliance"] == ("complete_ratio 70% – 72% of lat",)
    assert {"column": "lat", "metric": "complete_ratio"}.items() <= found.left_out[0].items()
    for no in (together, fills[1]):
        kept = lean([*fills, together], refused=lambda one, no=no: one is no.constraint).proposals
        assert [p.constraint.column for p in kept if p.constraint.metric == "complete_ratio"] == ["lat", "long", "zone"]
    nearly = replace(together, constraint=replace(together.constraint, lower=0.99))
    for no in (nearly, relation("order", "long", "lat")):
        kept = lean([*fills, no]).proposals
        assert [p.constraint.column for p in kept if p.constraint.metric == "complete_ratio"] == ["lat", "long", "zone"]


def test_a_ring_of_relations_leaves_one_column_its_own_rules() -> None:
    columns = ("a", "b", "c")
    ring = [relation("total", "a", "b", "c"), relation("difference", "b", "a"), relation("equal", "a", "c")]
    found = lean([*(rule("max", "ab", None, 9, column=name) for name in columns), *ring])
    assert [p.constraint.column for p in found.proposals if p.constraint.metric == "max"] == ["b", "c"]


@pytest.mark.parametrize("family", ["order", "nulls", "determined"])
def test_what_tells_no_value_covers_none(family: str) -> None:
    found = lean([rule("max", "ab", None, 9, column="a"), rule("max", "ab", None, 9, column="b"), relation(family, "a", "b")])
    assert len(found.proposals) == 3


@pytest.mark.parametrize(("upper", "stays"), [(0.5, False), (0.0, True)])
def test_what_may_be_emptied_is_said_by_what_is_filled(upper: float, stays: bool) -> None:
    """Half of the known rows may be emptied: that half of the column is filled says as much. That none may says more."""
    by_key = Measure("emptied_share", ("c",), parameters=(("key", ("id",)),))
    emptied = Constraint("c by id", "emptied_share", "rows", None, upper, measure=by_key, origin="history")
    filled = rule("complete_ratio", ("increased_nulls 10% null", "increased_nulls 50% null"), 0.5)
    found = lean([filled, Proposal(emptied, FromHistory(method="calibrated", caught=("emptied:0.5",)))])
    assert ("emptied_share" in {p.constraint.metric for p in found.proposals}) == stays


@pytest.mark.parametrize("shown", [HALF_NULL, ()])
def test_a_loose_share_of_nulls_gives_way_to_rows_that_lose_theirs(shown: tuple[str, ...]) -> None:
    """At most 45 % of a column are null, as 2 % were in a dozen releases: that at most 2 % of the known rows lose theirs says more, where
    that would notice the nulls. That a tenth is one batch's own bound, which the history's stands for, says nothing of it.
    """
    by_key = Measure("emptied_share", ("c",), parameters=(("key", ("id",)),))
    emptied = Constraint("c by id", "emptied_share", "rows", None, 0.02, measure=by_key, origin="history")
    lost = Proposal(emptied, FromHistory(method="calibrated", caught=("emptied:0.1",), shown=shown))
    latest = snapshot("complete_ratio", ("increased_nulls 10% null", *HALF_NULL), 0.9)
    latest = replace(latest, constraint=replace(latest.constraint, kind="string"))
    found = [p.constraint.metric for p in lean([rule("complete_ratio", HALF_NULL, 0.55), lost, latest]).proposals]
    assert found == (["emptied_share"] if shown else ["complete_ratio", "emptied_share"])


@pytest.mark.parametrize("shown", [(), ("increased_nulls 50% null",)])
def test_a_level_that_nulls_move_gives_way_to_rows_that_never_lose_their_value(shown: tuple[str, ...]) -> None:
    """A place's longitude, null where the place is none: nothing bounds how much is, and its average moved when half was."""
    by_key = Measure("changed_share", ("c",), parameters=(("key", ("id",)),))
    changed = Constraint("c by id", "changed_share", "rows", None, 0, measure=by_key, origin="history")
    still = Proposal(changed, FromHistory(method="calibrated", caught=("emptied:0.1",), shown=shown))
    found = lean([rule("mean", ("a", "increased_nulls 50% null"), 11, 12), still])
    assert {p.constraint.metric for p in found.proposals} == ({"changed_share"} if shown else {"mean", "changed_share"})


def test_a_column_that_is_never_null_needs_no_rule_on_what_is_emptied() -> None:
    """The number of its different values, which a rule holds too, is no share of what is filled."""
    by_key = Measure("emptied_share", ("c",), parameters=(("key", ("id",)),))
    emptied = Proposal(
        Constraint("c by id", "emptied_share", "rows", None, 0.0, measure=by_key, origin="history"),
        FromHistory(method="calibrated", caught=("emptied:0.5",)),
    )
    found = lean([rule("complete_ratio", "a", 1.0), rule("dist_val_count", "b", 3.0), emptied])
    assert {p.constraint.metric for p in found.proposals} == {"complete_ratio", "dist_val_count"}


def by_rows(metric: str, upper: float, *caught: str, column: str = "c") -> Proposal:
    measure = Measure(metric, (column,), parameters=(("key", ("id",)),))
    return Proposal(
        Constraint(measure.subject, metric, "rows", None, upper, measure=measure, origin="history"),
        FromHistory(method="calibrated", tried=caught, caught=caught),
    )


def of_several(*columns: str) -> Proposal:
    measure = Measure(MISTAKEN_ROWS.name, columns, parameters=(("key", ("id",)),))
    caught = tuple(f"{name} zero:largest" for name in columns)
    return Proposal(
        Constraint(measure.subject, measure.name, "rows", 0, 0, measure=measure, origin="history"),
        FromHistory(method="calibrated", tried=caught, caught=caught),
    )


@pytest.mark.parametrize("metric", [EXCHANGED.name, WIPED.name, SPOILED.name])
def test_that_no_row_of_several_columns_is_mistaken_is_said_once(metric: str) -> None:
    """What is said of several takes no place among a column's few; refused, it stands in for nothing."""
    own = [rule("mean", "abc", 1, 2), rule("complete_ratio", "de", 1, 1), rule("str_len", "fg", 1, 2), by_rows(metric, 0, *SEEN)]
    several = of_several("b", "c")
    assert own[-1] in lean(own).proposals
    found = lean([*own, several])
    assert [p.constraint for p in found.proposals] == [p.constraint for p in (*own[:-1], several)]
    assert found.proposals[-1].evidence.also == (f"{metric} = 0% of c",)
    (out,) = found.left_out
    assert out["covered"] == several.constraint.key
    assert out["reason"].startswith(f"{metric} = 0%: what it catches, mistaken_rows = 0% and the other rules")
    assert own[-1] in lean([*own, several], refused=lambda constraint: constraint.metric == MISTAKEN_ROWS.name).proposals
    # What is let pass now and then, and what other columns are held to, it does not say.
    for other in (by_rows(metric, 0.1, *SEEN), by_rows(metric, 0, *SEEN, column="d")):
        assert other in lean([rule("mean", "abc", 1, 2), rule("mean", "abc", 1, 2, column="d"), other, several]).proposals


def test_what_others_determine_needs_no_rule_on_rows_that_they_notice_too() -> None:
    fallen = by_rows("fallen_share", 0.07, "shifted", "tenth:0.1", "exchanged:0.5")
    noticed = ("c shifted", "c tenth:0.1", "c exchanged:0.5", "b shifted")
    found = lean([rule("min", "a", 0), fallen, relation("determined", "a", "b", "c", caught=noticed)])
    assert "fallen_share" not in {p.constraint.metric for p in found.proposals}
    assert found.proposals[-1].evidence.also == ("fallen_share ≤ 7% of c",)
    # Columns that determine others may be wrong together with them.
    turned = lean([rule("min", "a", 0), fallen, relation("determined", "c", "b", "a", caught=noticed)])
    assert "fallen_share" in {p.constraint.metric for p in turned.proposals}


@pytest.mark.parametrize(("caught", "stays"), [(("shifted", "zero:0.5"), False), (("shifted", "zero:0.5", "zero:0.1"), True)])
def test_a_rule_that_half_of_the_rows_break_stands_back_behind_a_relation(caught: tuple[str, ...], stays: bool) -> None:
    noticed = tuple(f"c {name}" for name in ("shifted", "zero:0.5", "zero:0.1"))
    found = lean([rule("min", "a", 0), by_rows("changed_share", 0.5, *caught), relation("total", "a", "b", "c", caught=noticed)])
    assert ("changed_share" in {p.constraint.metric for p in found.proposals}) == stays


@pytest.mark.parametrize(("lower", "stays"), [(1.0, False), (0.9, True)])
def test_that_no_key_is_null_is_said_by_its_columns(lower: float, stays: bool) -> None:
    measure = Measure("null_keys", parameters=(("key", ("id",)),))
    evidence = FromHistory(method="calibrated", caught=("null_keys:one", "null_keys:0.5"))
    nulls = Proposal(Constraint(measure.subject, "null_keys", "rows", None, 0.0, measure=measure, origin="history"), evidence)
    found = lean([rule("complete_ratio", "a", lower, column="id"), nulls])
    assert (nulls in found.proposals) == stays
    assert [out["metric"] for out in found.left_out] == ([] if stays else ["null_keys"])


@pytest.mark.parametrize(("key", "lower", "stays"), [(("id",), 1.0, False), (("id",), 0.9, True), (("id", "day"), 1.0, True)])
def test_that_no_key_is_twice_is_said_by_its_one_column(key: tuple[str, ...], lower: float, stays: bool) -> None:
    measure = Measure("keys_twice", parameters=(("key", key),))
    evidence = FromHistory(method="calibrated", caught=("keys_twice:one", "keys_twice:0.5"))
    twice = Proposal(Constraint(measure.subject, "keys_twice", "rows", None, 0.0, measure=measure, origin="history"), evidence)
    found = lean([rule("unique_ratio", "a", lower, column="id"), twice])
    assert (twice in found.proposals) == stays


def test_of_what_never_changes_by_key_no_rule_on_rows_says_more() -> None:
    found = lean([by_rows("changed_share", 0, "shifted", "zero:one"), by_rows("spoiled_share", 0, "zero:one", "zero:the largest row")])
    assert [p.constraint.metric for p in found.proposals] == ["changed_share"]
    some = lean([by_rows("changed_share", 0.1, "shifted"), by_rows("spoiled_share", 0, "zero:one", "zero:the largest row")])
    assert {p.constraint.metric for p in some.proposals} == {"changed_share", "spoiled_share"}


def test_limits_by_nature_leave_their_place_to_a_distance_that_notices_more() -> None:
    """Both ends are one rule before a column's are counted, and of four that with the fill is one, too."""
    rules = [rule("min", "a", 0), rule("max", "cd", None, 59), rule("complete_ratio", "e", 1, 1), rule("js_div", "abfgh", None, 0.02)]
    kinds = {"c": KnownKind("minute", "")}
    assert {p.constraint.metric for p in lean(rules, (), kinds).proposals} == {"compliance", "complete_ratio", "js_div"}
    more = lean([*rules, rule("median", "ijk", 3, 9)], (), kinds).proposals
    assert {p.constraint.metric for p in more} == {"compliance", "js_div", "median"}
    assert [plain(p.constraint) for p in more if p.constraint.metric == "compliance"] == ["c is never null and always between 0 and 59."]


def test_the_mix_of_what_others_determine_is_said_of_these() -> None:
    """But where the mix alone notices what reaches all rows, as other names throughout."""
    tried = ("mix_change 50%", "value_renamed 100%", "complete 50% null")
    mix = replace_tried(rule("js_div", "", None, 0.02), tried)
    for caught, stays in (("mix_change 50%",), False), (("mix_change 50%", "value_renamed 100%"), True):
        other = replace(mix, evidence=replace(mix.evidence, caught=caught))
        fill = replace_tried(rule("complete_ratio", "", 1, 1), tried, tried[2])
        found = lean([other, fill, determining("c", "emptied:one"), rule("js_div", "a", None, 0.02, column="by")])
        assert (("c", "js_div") in {(p.constraint.column, p.constraint.metric) for p in found.proposals}) == stays
        # Of numbers of documents no mix is bounded: that a country is gone the mix of countries says.
        assert "js_div" in {p.constraint.metric for p in lean([other, fill, determining("c", "emptied:one")]).proposals}


def replace_tried(one: Proposal, tried: tuple[str, ...], *caught: str) -> Proposal:
    return replace(one, evidence=replace(one.evidence, tried=tried, caught=caught))


def determining(column: str, *caught: str) -> Proposal:
    measure = analyzers.determined_ratio(column, ["by"])
    made = Constraint(measure.subject, measure.name, measure=measure, kind="rows", lower=1.0, upper=None, origin="relation")
    faults = tuple(f"{column} {name}" for name in caught)
    return Proposal(made, FromRelation(method="relation", tried=faults, caught=faults, family="determined", of=("by", column)))


def ends(*, upper: float = 59, **most: object) -> list[Proposal]:
    return [rule("min", "a", 0, fpr=1e-4), rule("max", "cd", None, upper, fpr=2e-4, **most), rule("complete_ratio", "e", 1, 1)]


def test_both_ends_by_nature_are_one_rule() -> None:
    """A person who knows what minutes are decides once; the condition names each row, and null is none of its matters."""
    found = lean([*ends(), rule("js_div", "a", None, 0.02)], (), known("minute"))
    assert [p.constraint.metric for p in found.proposals] == ["compliance", "complete_ratio"]
    both, evidence = found.proposals[0].constraint, found.proposals[0].evidence
    assert plain(both) == "c is between 0 and 59."
    assert both.measure.parameter("predicate") == "`c` IS NULL OR (cast(`c` AS DOUBLE) >= 0.0D AND cast(`c` AS DOUBLE) <= 59.0D)"
    assert (both.lower, both.upper, both.origin) == (1, None, "relation")
    assert both.fpr == pytest.approx(3e-4)
    assert isinstance(evidence, FromRelation)
    assert (evidence.family, evidence.of, evidence.caught) == ("limits", ("c",), ("a", "c", "d"))
    assert evidence.also == ("js_div ≤ 0.02",)
    assert beside(both, evidence) == "c"
    assert meaning(both, evidence) == f"{COLUMN} is between … and …"


@pytest.mark.parametrize("caught", ["cd", "ab"])
def test_an_end_by_nature_brings_the_other_end_that_other_rules_made_superfluous(caught: str) -> None:
    """ "lat is never above 90" was suggested without "never below -90", since what broke the one broke the other, too."""
    rules = [rule("min", "a", -90, fpr=1e-4), rule("max", "abc", None, 90, fpr=1e-4), rule("js_div", caught, None, 0.02)]
    found = lean(rules, (), known("latitude"))
    assert [plain(p.constraint) for p in found.proposals if p.constraint.metric == "compliance"] == ["c is between -90 and 90."]
    assert "min" not in {out["metric"] for out in found.left_out}


@pytest.mark.parametrize("rules", [ends(upper=41), ends(transform=Transform(lag=1)), ends()[:1] + ends()[2:]])
def test_an_end_that_the_history_gave_stays_a_rule_of_its_own(rules: list[Proposal]) -> None:
    assert "compliance" not in {p.constraint.metric for p in lean(rules, (), known("minute")).proposals}


def test_a_range_that_somebody_refused_stands_in_for_nothing() -> None:
    rules = [*ends(), rule("js_div", "a", None, 0.02)]
    found = lean(rules, (), known("minute"), lambda constraint: constraint.learned.says == "c is between 0 and 59")
    assert [p.constraint.metric for p in found.proposals] == ["compliance", "complete_ratio", "js_div"]


@given(st.lists(st.floats(-100, 200) | st.none(), min_size=1, max_size=9))
def test_a_range_holds_where_both_ends_do(values: list[float | None]) -> None:
    """Against the two rules that it stands for, on any rows but those without a value."""
    there = [v for v in values if v is not None]
    both = lean(ends(), (), known("minute")).proposals[0].constraint
    assert truth_of(both, values) == (not there or (min(there) >= 0 and max(there) <= 59))


def truth_of(condition: Constraint, values: list[float | None]) -> bool:
    """Whether all rows keep it."""
    test = RowTest(str(condition.measure.parameter("predicate")))
    table = pa.table({"c": pa.array(values, pa.float64())})
    made = read([test], [("c", pa.float64())]).conditions
    truth = made.of(dict(enumerate(table.columns)), len(values))[test]
    assert not isinstance(truth, DeclinedError)
    return all(truth.to_pylist())


def test_what_is_filled_and_never_below_an_end_is_one_rule_of_the_few() -> None:
    """The cap of three pushed out `min >= 0`, which alone notices a few turned signs; bounds that move stay rules of their own. What is
    said of many columns, that they are never null or never below 0, is one with that of the others, and comes by itself.
    """
    others = [rule("mean", "cdfj", 3, 9), rule("max", "cdgi", None, 59), rule("complete_ratio", "eh", 1, 1)]
    for lower, kept, apart in ((0.0, False, True), (1.0, True, False), (7.2, False, False)):
        found = lean([rule("min", "ab", lower), *others], (), known("measure"))
        assert len(found.proposals) == MOST + apart
        assert not apart or {p.constraint.metric for p in found.proposals} == {"min", "complete_ratio", "mean", "max"}
        one = next((p for p in found.proposals if p.constraint.metric == "compliance"), None)
        assert (one is not None) == kept
        assert one is None or plain(one.constraint) == f"c is never null and never below {lower:.0f}."
        assert one is None or set(one.evidence.caught) == set("abeh")
        assert one is None or meaning(one.constraint, one.evidence) == f"{COLUMN} is never null and always within limits"
    below = lean([rule("min", "a", 0.0), *others[:2]], (), known("measure")).proposals
    assert {p.constraint.metric for p in below} == {"min", "mean", "max"}
    some = lean([rule("min", "a", 0.0), *others[:2], rule("complete_ratio", "eh", 0.9)], (), known("measure")).proposals
    assert "compliance" not in {p.constraint.metric for p in some}


def test_what_is_filled_and_at_least_one_stands_in_for_nothing_once_refused() -> None:
    rules = [rule("min", "ab", 1), rule("complete_ratio", "eh", 1, 1), rule("mean", "cdfj", 3, 9), rule("max", "cdgi", None, 59)]
    found = lean(rules, (), known("measure"), lambda constraint: constraint.metric == "compliance")
    assert [p.constraint.metric for p in found.proposals] == ["compliance", "mean", "max"]
    assert not found.left_out


def test_a_rule_of_several_that_is_not_chosen_names_each_of_them() -> None:
    rules = [*ends(), *(rule(name, caught, 1, 2) for name, caught in (("mean", "fghij"), ("median", "klmno"), ("js_div", "pqrstuvw")))]
    found = lean(rules[:2] + rules[3:], tuple("fgklpq"), known("minute"))
    assert {p.constraint.metric for p in found.proposals} == {"mean", "median", "js_div"}
    assert [out["metric"] for out in found.left_out] == ["min", "max"]


@given(st.lists(st.floats(-100, 200) | st.none(), min_size=1, max_size=9))
def test_what_is_filled_and_at_least_one_holds_where_both_rules_do(values: list[float | None]) -> None:
    """Against the two rules that it stands for, on any rows."""
    rules = [rule("min", "ab", 1), rule("complete_ratio", "eh", 1, 1), rule("mean", "cdfj", 3, 9), rule("max", "cdgi", None, 59)]
    one = next(p.constraint for p in lean(rules, (), known("measure")).proposals if p.constraint.metric == "compliance")
    assert truth_of(one, values) == all(v is not None and v >= 1 for v in values)


def test_that_nothing_is_null_is_not_said_by_the_number_of_values() -> None:
    found = lean([rule("complete_ratio", "a", 1, 1), rule("dist_val_count", "ab", 9, 9)])
    assert {p.constraint.metric for p in found.proposals} == {"complete_ratio", "dist_val_count"}


def known(kind: str) -> dict[str, KnownKind]:
    return {"c": KnownKind(kind, "")}  # type: ignore[arg-type]


def test_a_form_beside_the_batchs_own_date_is_not_suggested() -> None:
    """A blank behind the date is caught by the form alone, and is no other date; of a date of another kind it stays."""
    own, form = rule("first_date", "abc", 0, 0, transform=Transform(part="date")), pattern("abp")
    padded = ("padding 50% trailing", *"abc")
    own = replace(own, evidence=replace(own.evidence, tried=padded))
    form = replace(form, evidence=replace(form.evidence, tried=padded, caught=("padding 50% trailing", "a", "b")))
    first = ("padding 50% trailing",)
    assert METRIC not in told(lean([own, form], first, known("batch key")))
    assert METRIC in told(lean([own, form], first, known("date")))
    moving = replace(own, constraint=replace(own.constraint, lower=None))
    assert METRIC in told(lean([moving, form], first, known("date")))


def test_a_limit_by_nature_beside_a_list_without_exceptions_is_not_suggested() -> None:
    least = rule("min", "ab", 0)
    least = replace(least, evidence=replace(least.evidence, caught=("a", "b", "increased_nulls 100% null")))
    listed = replace(pattern("abc"), constraint=replace(pattern("abc").constraint, origin="snapshot"))
    assert set(told(lean([least, listed], (), known("count")))) == {METRIC}
    some = replace(listed, constraint=replace(listed.constraint, upper=0.07))
    assert set(told(lean([least, some], (), known("count")))) == {"min", METRIC}


def test_of_free_text_a_form_is_given_up_for_what_notices_as_much() -> None:
    form, length = pattern("ab"), rule("js_div", "abc", 0, 1)
    listed = replace(pattern("abc"), constraint=replace(pattern("abc").constraint, origin="snapshot", column="c"))
    assert told(lean([form, length], (), known("code"))).keys() >= {METRIC}
    kept = lean([form, listed, length], (), known("free text")).proposals
    assert form not in kept


def test_a_column_that_is_told_from_others_may_tell_others() -> None:
    """The value of a stock is what is there by its cost, and what is there is what is reserved and what is not."""
    chain = [relation("total", "there", "reserved", "free"), relation("product", "value", "there", "cost")]
    names = ("value", "there", "reserved", "free", "cost")
    for order in (chain, chain[::-1]):
        found = lean([*(rule("max", "ab", None, 9, column=name) for name in names), *order])
        assert [p.constraint.column for p in found.proposals if p.constraint.metric == "max"] == ["reserved", "free", "cost"]


@pytest.mark.parametrize(("first", "kept"), [((), {"l1"}), (("a",), {"kl_div"}), (("a", "c"), {"l1", "kl_div"})])
def test_that_a_mix_barely_changes_is_said_once(first: tuple[str, ...], kept: set[str]) -> None:
    """Of two distances with the same sentence the one stays that notices most; both where each alone notices what comes first."""
    distances = [rule("kl_div", "ab", None, 0.1), rule("l1", "bcd", None, 0.2), rule("pat_l1", "e", None, 0.1)]
    assert set(told(lean(distances, first=first))) == {*kept, "pat_l1"}


def test_beside_a_closed_set_nobody_says_how_many_values_there_are_at_most() -> None:
    """26 to 58 different ones of 46 names: there are at least 26."""
    listed = pattern("bch")
    closed = replace(listed, constraint=replace(listed.constraint, origin="values"), evidence=FromValues(
        method="values", rule="closed set", distinct=46, tried=tuple("abcdefgh"), caught=tuple("bch")
    ))  # fmt: skip
    for low, high, expected in ((26, 58, None), (26, 45, 45), (46, 46, 46)):
        found = lean([rule("complete_ratio", "a", 1, 1), rule("dist_val_count", "defg", low, high), closed])
        assert [p.constraint.upper for p in found.proposals if p.constraint.metric == "dist_val_count"] == [expected]
    alone = lean([rule("complete_ratio", "a", 1, 1), rule("dist_val_count", "defg", 26, 58), listed])
    assert [p.constraint.upper for p in alone.proposals if p.constraint.metric == "dist_val_count"] == [58]


def listed(caught: str, upper: float, distinct: int) -> Proposal:
    made = PatternConstraint(
        "c", METRIC, kind="string", lower=None, upper=upper, origin="values", pattern=Pattern("A | B", "A|B", 9, 0, "dictionary")
    )
    return Proposal(made, FromValues(tried=tuple("abcdefgh"), caught=tuple(caught), distinct=distinct))


def form(text: str, caught: str, upper: float = 0.01) -> Proposal:
    kind: PatternKind = "type" if text.startswith("words") else "pattern"
    made = PatternConstraint("c", METRIC, kind="string", lower=None, upper=upper, origin="corpus", pattern=Pattern(text, "x", 9, 0, kind))
    return Proposal(made, Evidence(tried=tuple("abcdefgh"), caught=tuple(caught)))


@pytest.mark.parametrize(
    ("metric", "lower", "upper"),
    [
        ("min_length", 4, None),
        ("digit_len", 0, 0),
        ("punc_len", 0, 0),
        ("capital_ratio", 1, 1),
        ("char_len", 1, 1),
        ("pat_cosine", None, 0.1),
    ],
)
def test_what_a_form_says_is_not_said_in_numbers(metric: str, lower: float | None, upper: float | None) -> None:
    """ "Enumeration_unit is never shorter than 4 characters" stood beside its form."""
    found = lean([pattern("abc"), rule(metric, "abcdefg", lower, upper), rule("complete_ratio", "h", 1, 1)])
    assert set(told(found)) == {METRIC, "complete_ratio"}
    alone = lean([rule(metric, "abcdefg", 7 if metric == "min_length" else lower, upper), rule("complete_ratio", "h", 1, 1)])
    assert metric in told(alone)


@pytest.mark.parametrize(
    ("text", "metric", "lower", "upper", "said"),
    [
        ("<digit>+:<digit>{2}:<digit>{2}", "punc_len", 2, 2, True),
        ("<digit>+:<digit>{2}:<digit>{2}", "punc_len", 1, 2, False),
        ("<digit>{2}-<digit>{3}", "digit_len", 5, 5, True),
        ("<digit>+-<digit>{3}", "digit_len", 5, 5, False),
        ("<upper>{1}<lower>{2} <digit>+, <digit>{4}", "str_len", 11.1, None, True),
        ("<upper>{1}<lower>{2} <digit>+, <digit>{4}", "capital_ratio", 0.325, 0.34, True),
        ("<letter>+", "capital_ratio", 0.01, 0.5, False),
        ("words of letters, one blank between", "str_len", 12, None, False),
    ],
)
def test_what_stands_where_is_not_told_in_averages(text: str, metric: str, lower: float, upper: float | None, *, said: bool) -> None:
    """ "Pace always has 2 punctuation marks" stood beside "digits, then “:”, then 2 digits, then “:”, then 2 digits"."""
    found = lean([form(text, "abc"), rule(metric, "abcdefg", lower, upper), rule("complete_ratio", "h", 1, 1)])
    assert (metric not in told(found)) is said


def test_that_a_name_is_never_shorter_than_three_characters_says_nothing() -> None:
    assert set(told(lean([rule("min_length", "abc", 3), rule("complete_ratio", "h", 1, 1)]))) == {"complete_ratio"}
    # What there is else of a column is said.
    assert set(told(lean([rule("min_length", "abc", 3)]))) == {"min_length"}


@pytest.mark.parametrize(
    ("text", "upper", "distinct", "stays"),
    [
        ("<upper>{2}", 0.03, 83, "corpus"),
        ("<upper>{1}", 0.01, 8, "values"),
        ("<letter>+", 0.05, 71, "values"),
        ("words of letters, one blank between", 0.04, 20, "values"),
        ("words of letters, one blank between", 0.07, 20, "values"),
        ("words of letters, one blank between", 0.09, 20, "corpus"),
        ("words of letters, one blank between", 0.07, 40, "corpus"),
    ],
)
@pytest.mark.parametrize("beside", [[], [rule("complete_ratio", "h", 1, 1)]])
def test_of_a_list_that_lets_some_pass_and_a_form_one_stays(
    text: str, upper: float, distinct: int, stays: str, beside: list[Proposal]
) -> None:
    found = lean([listed("abcd", upper, distinct), form(text, "efg"), *beside])
    assert [p.constraint.origin for p in found.proposals if p.constraint.metric == METRIC] == [stays]
    assert len(found.left_out) == 1


@pytest.mark.parametrize(("let_pass", "stays"), [((0.087, 0.043), "corpus"), ((0.02, 0.043), "values"), ((0.03, 0.03), "values")])
def test_of_the_same_list_from_both_the_one_that_lets_fewer_pass_stays(let_pass: tuple[float, float], stays: str) -> None:
    """ "One of 7 values, but for at most 8.7%" stood beside the same seven, "but for at most 4.4%"."""
    ours = listed("abcd", let_pass[0], 7)
    theirs = Proposal(
        replace(ours.constraint, origin="corpus", upper=let_pass[1]), Evidence(tried=tuple("abcdefgh"), caught=tuple("abcdef"))
    )
    found = lean([ours, theirs, rule("complete_ratio", "h", 1, 1)])
    assert [p.constraint.origin for p in found.proposals if p.constraint.metric == METRIC] == [stays]


def test_a_closed_set_and_a_form_are_weighed_by_what_they_notice() -> None:
    assert len(lean([listed("abcd", 0.0, 3), form("<letter>+", "efg"), rule("complete_ratio", "h", 1, 1)]).proposals) == 3


def test_what_is_always_above_0_is_no_end_that_lets_it_be_0() -> None:
    def above(one: Proposal) -> Proposal:
        return replace(one, constraint=replace(one.constraint, strict="lower"))

    others = [rule("mean", "cdfj", 3, 9), rule("max", "cdgi", None, 59), rule("complete_ratio", "eh", 1, 1)]
    found = lean([above(rule("min", "ab", 0.0)), *others], (), known("measure")).proposals
    # Told with the other columns that are so.
    assert "c is always above 0." in {plain(p.constraint) for p in found}
    both = [above(rule("min", "ab", 0.0)), rule("max", "cd", None, 59)]
    made = next(p.constraint for p in lean(both, (), known("code")).proposals if p.constraint.metric == "compliance")
    assert plain(made) == "c is above 0 and at most 59."
    assert not truth_of(made, [0.0])
