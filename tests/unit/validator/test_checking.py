"""`avh.check` on tables in memory and on states: one verdict per rule, whatever becomes of the others."""

from __future__ import annotations

from datetime import timedelta

import pandas as pd
import pyarrow as pa
import pytest

import avh_ui as avh
from avh_ui.errors import UsageError

c, of = avh.checks, avh.analyzers
FRAME = pd.DataFrame({"a": [1, 2, 3, None], "b": ["x", "y", "x", "z"], "day": pd.to_datetime(["2024-01-01"] * 4)})


def told(*rules: avh.Check) -> list[tuple[str, str]]:
    return [(verdict.status, verdict.message) for verdict in avh.check(FRAME, rules).verdicts]


def test_each_rule_has_its_verdict() -> None:
    assert told(
        c.has(of.size(), exactly=4),
        c.has(of.mean("a"), above=1, below=2, hint="Ask ann."),
        c.is_complete("a"),
        c.is_complete("a", at_least=0.75),
        c.is_unique("b", level="warning"),
        c.has(of.count_distinct("b"), other_than=3),
        c.has(of.mean("q"), at_least=1),
        c.has(of.maximum("day"), at_most=1_704_067_200),
    ) == [
        ("pass", "The number of rows is exactly 4: it is 4."),
        ("fail", "The average a is above 1 and below 2: it is 2. Ask ann."),
        ("fail", "a is not null: broken by 1 of 4 rows."),
        ("pass", "a is not null in at least 75% of the rows: it is so in 75% of the rows."),
        ("warn", "b is unique: broken by 2 of 4 rows."),
        ("fail", "Count distinct of b is other than 3: it is 3."),
        ("not_evaluated", "The average q is at least 1: There is no column 'q'. There is 'a', 'b', 'day'."),
        ("pass", "The largest day is at most 2024-01-01: it is 2024-01-01."),
    ]


def test_the_run_is_that_of_a_validation() -> None:
    run = avh.check(FRAME, [c.is_complete("a"), [c.has(of.mean("q"), at_least=1)], c.is_complete("a")])
    assert (run.status, run.row_count, run.count("fail"), run.count("not_evaluated")) == ("fail", 4, 1, 1)


def test_what_is_empty_is_broken_but_for_the_rows_of_a_condition() -> None:
    nothing = pa.table({"a": pa.array([None, None], pa.float64())})
    (verdict,) = avh.check(nothing, c.has(of.mean("a"), at_least=0)).verdicts
    assert (verdict.status, verdict.message) == ("fail", "The average a is at least 0: there is nothing to measure.")


def test_states_of_parts_are_judged_without_the_data() -> None:
    rules = [c.has(of.size(), exactly=8), c.is_unique("b"), c.has(of.sum_("a"), exactly=12)]
    part = avh.measure(FRAME, [of.size(), of.uniqueness("b"), of.sum_("a")], keep_states=True)
    assert [v.status for v in avh.check(part.states.merge(part.states), rules).verdicts] == ["pass", "fail", "pass"]
    (untold,) = avh.check(part, c.has(of.mean("b"), at_least=1)).verdicts
    assert untold.status == "not_evaluated"


@pytest.mark.parametrize("rules", [[], "is_complete", [1], {"is_complete": "a"}])
def test_what_is_no_rule(rules: object) -> None:
    with pytest.raises(UsageError):
        avh.check(FRAME, rules)  # type: ignore[arg-type]


def test_columns_are_told_of_tables_and_of_merged_states() -> None:
    rules = [c.has_column("DAY"), c.has_column("q"), c.has_column_count(exactly=3)]
    said = [
        ("pass", "there is a column DAY: it is so."),
        ("fail", "there is a column q: it is not so."),
        ("pass", "Column count is exactly 3: it is 3."),
    ]
    assert told(*rules) == said
    one, other = (avh.measure(frame, [rule.measure for rule in rules]).states for frame in (FRAME, FRAME.drop(columns="day")))
    assert [v.status for v in avh.check(one.merge(one), rules).verdicts] == ["pass", "fail", "pass"]
    lost, _, count = avh.check(one.merge(other), rules).verdicts
    assert (lost.status, count.status) == ("fail", "not_evaluated")
    assert "from 2 to 3 columns" in count.message


def test_names_types_and_places_of_columns_are_told() -> None:
    table = pa.table({"id": [1], "Geo": [{"lat": 1.0, "Town": "a"}], "none": pa.nulls(1)})
    rules = [
        c.has_column("ID", place=1), c.has_column("id", place=2), c.has_column("geo.lat"), c.has_column_type("ID", "long"),
        c.has_column_type("id", ["int", "string"]), c.has_column_type("geo.town", "varchar"),
        c.has_column_type("geo", "struct<lat:double>"),
        c.has_column_type("geo", "struct<lat: double, town: string>"), c.has_column_type("none", "date"), c.has_column_type("it", "date"),
        c.has_column_names("^[a-z]+$"), c.has(of.column_names("^pii"), exactly=0), c.has(of.column_exists("ssn"), exactly=0),
    ]  # fmt: skip
    run = avh.check(table, rules)
    assert [v.status for v in run.verdicts] == [
        "pass", "fail", "pass", "pass", "fail", "pass", "fail", "pass", "pass", "fail", "fail", "pass", "pass",
    ]  # fmt: skip
    assert [v.message.partition("not so. ")[2] for v in run.verdicts if v.status == "fail"] == [
        "", "It is bigint.", "It is struct<lat:double,Town:string>.", "There is no column 'it'.", "No match in Geo.",
    ]  # fmt: skip
    measures = [rule.measure for rule in rules]
    one, same, other = (avh.measure(some, measures).states for some in (table, table, pa.table({"id": ["a"], "new": [1]})))
    assert [v.status for v in avh.check(one.merge(same), rules).verdicts] == [v.status for v in run.verdicts]
    both = dict(zip(map(str, rules), avh.check(one.merge(other), rules).verdicts, strict=True))
    assert both["column 1 is ID"].status == both["ID is of type bigint"].status == "not_evaluated"
    assert "another in some parts" in both["ID is of type bigint"].message
    assert both["there is a column geo.lat"].status == "fail"
    record = type(one).from_records(one.to_records())
    assert record == one


@pytest.mark.parametrize("pattern", ["[a-z&&[^b]]", r"(?=a)\Z", r"(?=a)\v"])
def test_a_pattern_that_python_reads_otherwise_than_java_is_not_evaluated(pattern: str) -> None:
    """It was judged by what Python makes of it: a good row was bad."""
    (verdict,) = avh.check(pa.table({"x": ["abc"]}), c.has_pattern("x", pattern)).verdicts
    assert verdict.status == "not_evaluated"
    assert "otherwise than Java" in verdict.message


def test_types_and_distinct_values_count_as_in_deequ() -> None:
    frame = pa.table({"a": ["1", "2.5", "x", None], "n": pa.array([None] * 4, pa.string())})
    run = avh.check(
        frame,
        [
            c.has_data_type("a", "Numeric", at_least=0.66),
            c.has_data_type("a", "Numeric", at_least=0.67),
            c.has_data_type("a", "Null", at_least=0.25),
            c.has_data_type("n", "String", at_least=0.1),
            c.has(of.distinct_with_null("a"), exactly=4),
            c.has(of.count_distinct("a"), exactly=3),
        ],
    )
    assert [v.status for v in run.verdicts] == ["pass", "fail", "pass", "fail", "pass", "pass"]


def test_freshness_is_told_when_it_is_checked() -> None:
    now = pd.DataFrame({"at": [pd.Timestamp.now("UTC") - pd.Timedelta(hours=2)]})
    run = avh.check(now, [c.has(of.freshness("at"), at_most=timedelta(hours=3)), c.has(of.freshness("at"), at_most=timedelta(hours=1))])
    assert [v.status for v in run.verdicts] == ["pass", "fail"]
    assert run.verdicts[1].message == "Freshness of at is at most 1 h: it is 2 h."


def test_a_column_of_pandas_without_values_is_of_any_type() -> None:
    frame = pd.DataFrame({"a": [float("nan")] * 2, "b": [None] * 2, "c": [None] * 2})
    run = avh.check(frame, [c.has(of.minimum("a"), at_least=0), c.has(of.freshness("b"), at_most=1), c.has(of.min_length("c"), at_least=1)])
    assert {verdict.message.split(": ")[1] for verdict in run.verdicts} == {"there is nothing to measure."}


def test_a_name_may_have_the_backticks_that_conditions_need() -> None:
    """One name of a column serves all rules, as it does in Deequ: `a.b` in backticks is a column, and without them may be a field."""
    data = pa.table({"a.b": [1, None, 3], "st": [{"x": 1, "y y": 2}] * 3, "`q`": [1, 1, 2], "e`f": ["u", "u", "v"]})
    asked = [
        c.is_complete("`a.b`"), c.has(of.minimum("`A.B`"), exactly=1), c.is_contained_in("`a.b`", [1]), c.is_unique(["`a.b`", "st.`y y`"]),
        c.has(of.mean("`st`.`y y`"), exactly=2), c.is_unique("`q`"), c.is_unique("```q```"), c.is_unique("`e``f`"), c.is_unique("e`f"),
    ]  # fmt: skip
    run = avh.check(data, asked)
    assert [verdict.observed for verdict in run.verdicts] == pytest.approx([2 / 3, 1, 2 / 3, 1, 2, 1 / 3, 1 / 3, 1 / 3, 1 / 3])
    broken = [[one["why"] for one in row] for row in run.rows(data)["failed"].to_pylist()]
    assert [len(row) for row in broken] == [4, 5, 1]
    there = [c.has_column("`a.b`", place=1), c.has_column("st.`y y`"), c.has_column_type("`a.b`", "bigint"), c.has_column("`q`", place=3)]
    assert avh.check(data, there).status == "pass"
    unknown = avh.check(data, [c.is_complete("`a.c`")]).verdicts[0]
    assert (unknown.status, "no column 'a.c'. Did you mean 'a.b'?" in unknown.message) == ("not_evaluated", True)
