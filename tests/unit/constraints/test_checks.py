"""The vocabulary of checks: what each says and measures, its bounds, its form as plain data, and what is wrong before anything is read."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints import checks as c
from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.check import Check
from avh_ui.constraints.check_records import check_of, record_of
from avh_ui.constraints.codec import constraint_from_record, constraint_to_record
from avh_ui.constraints.content_checks import CREDIT_CARD, EMAIL, SOCIAL_SECURITY_NUMBER, URL
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.errors import AvhError, ConstraintError, UsageError
from avh_ui.metrics import analyzers as of

SOME: list[tuple[Check, str, str]] = [
    (c.has(of.size(), at_least=1_000), "row_count is at least 1,000", "row_count()"),
    (
        c.has(of.mean("x", where="c = 'UA'"), above=1, below=3_000),
        "mean of x where c = 'UA' is above 1 and below 3,000",
        "mean(x) where c = 'UA'",
    ),
    (c.has(of.size(), other_than=6), "row_count is other than 6", "row_count()"),
    (c.has(of.size(), not_between=(4, 6)), "row_count is not between 4 and 6", "row_count()"),
    (c.has(of.size(), outside=(4, 6)), "row_count is outside of 4 to 6", "row_count()"),
    (c.is_complete("x"), "x is not null", "complete_ratio(x)"),
    (c.is_complete("x", at_least=0.95), "x is not null in at least 95% of the rows", "complete_ratio(x)"),
    (c.is_complete("x", "y"), "x, y are not null", "compliance(predicate='`x` IS NOT NULL AND `y` IS NOT NULL')"),
    (c.is_any_complete("x", "y"), "one of x, y is there", "compliance(predicate='`x` IS NOT NULL OR `y` IS NOT NULL')"),
    (c.is_unique(("x", "y"), where="z > 0"), "x, y is unique where z > 0", "uniqueness(x, y) where z > 0"),
    (c.is_contained_in("x", ["a", "b'c"]), "x is one of a, b'c", "compliance(predicate=\"`x` IS NULL OR `x` IN ('a', 'b\\\\'c')\")"),
    (
        c.is_in_range("x", 0, 10, strict="upper"),
        "x is at least 0 and below 10",
        "compliance(predicate='`x` IS NULL OR (`x` >= 0.0 AND `x` < 10.0)')",
    ),
    (
        c.is_in_range("x", date(2024, 1, 1)),
        "x is at least 2024-01-01",
        "compliance(predicate=\"`x` IS NULL OR (`x` >= DATE '2024-01-01')\")",
    ),
    (c.is_positive("x"), "x is positive", "compliance(predicate='coalesce(cast(`x` AS DOUBLE), 1.0) > 0')"),
    (c.is_less_than("x", "y"), "x is less than y", "compliance(predicate='`x` < `y` /* texts as numbers */')"),
    (c.satisfies("x < y", says="in order"), "in order", "compliance(predicate='x < y')"),
    (
        c.has_no_anomalies(of.mean("x"), c.online_normal(4)),
        "mean of x has no anomaly by online normal, 4 standard deviations",
        "mean(x)",
    ),
    (
        c.has_no_anomalies(of.size(), c.holt_winters(7)),
        "row_count has no anomaly by Holt-Winters, period 7, 1.96 deviations",
        "row_count()",
    ),
    (c.refers_to("x", "t", "y"), "x refers to y of t", "refers_to(x, other='t', to=('y',))"),
    (
        c.refers_to(["x", "z"], "t", nulls=True, at_least=0.5),
        "x, z refers to x, z of t in at least 50% of the rows",
        "refers_to(x, z, other='t', to=('x', 'z'), nulls=True)",
    ),
    (c.matches("t", "x", ["y"]), "the rows match those of t by x", "match_ratio(x, other='t', compared=('y',))"),
    (c.has_row_count_of("t", at_most=2), "row_count_ratio of t is at most 2", "row_count_ratio(other='t')"),
    (c.has_schema_of("t"), "schema_match of t is at least 1", "schema_match(other='t')"),
    (c.custom_sql("SELECT 1", exactly=1), "custom_sql of SELECT 1 is exactly 1", "custom_sql(statement='SELECT 1')"),
    (c.has_predictability("x", ["y", "z"], at_least=0.9), "x follows from y, z in at least 90% of the rows", "predictability(x, y, z)"),
    (
        c.is_determined_by("x", ["y", "z"], at_least=0.9),
        "x is the same wherever y and z are, in at least 90% of the rows",
        "determined_ratio(x, y, z)",
    ),
    (c.has_pattern("x", "[a-z]+"), "x has a match of [a-z]+", "pattern_match(x, pattern='[a-z]+')"),
    (c.contains_url("x"), "x contains a URL", f"pattern_match(x, pattern={URL!r})"),
    (c.has_data_type("x", "Numeric", at_least=0.9), "x looks Numeric in at least 90% of the rows", "type_ratio(x, type='Numeric')"),
    (c.has_column("x"), "there is a column x", "column_exists(column='x')"),
    (c.has_column("x", place=2), "column 2 is x", "column_exists(column='x', place=2)"),
    (c.has_column_type("x", "Long"), "x is of type bigint", "column_type(column='x', types=('bigint',))"),
    (
        c.has_column_type("x", ["decimal(10, 2)", "double"], level="error"),
        "x is of type decimal(10,2) or double",
        "column_type(column='x', types=('decimal(10,2)', 'double'))",
    ),
    (c.has_column_names("^[a-z]+$"), "the name of each column has a match of ^[a-z]+$", "column_names(pattern='^[a-z]+$')"),
    (c.has_column_count(at_most=9), "column_count is at most 9", "column_count()"),
    (c.has(of.maximum("x"), below=date(2024, 1, 1)), "max of x is below 2024-01-01", "max(x)"),
    (
        c.has(of.minimum("x"), at_least=datetime(2024, 1, 1, 2, tzinfo=timezone(timedelta(hours=1)))),
        "min of x is at least 2024-01-01 01:00 UTC",
        "min(x)",
    ),
    (c.has(of.freshness("x"), at_most=timedelta(hours=36)), "freshness of x is at most 1.5 d", "freshness(x)"),
]


@pytest.mark.parametrize(("check", "says", "measure"), SOME)
def test_what_a_check_says_and_measures(check: Check, says: str, measure: str) -> None:
    assert (str(check), str(check.measure)) == (says, measure)
    constraint = check.constraint()
    assert constraint.statement == says
    assert (constraint.origin, constraint.level, constraint.measure) == ("manual", "error", check.measure)


@pytest.mark.parametrize("check", [check for check, _, _ in SOME], ids=str)
def test_a_check_is_plain_data(check: Check) -> None:
    back = check_of(json.loads(json.dumps(record_of(check))))
    # A length of time is a number of seconds in a record.
    assert str(back) == str(check).replace("at most 1.5 d", "at most 129,600")
    assert (back.bounds, back.level) == (check.bounds, check.level)
    constraint = check.constraint()
    assert constraint_from_record(constraint_to_record(constraint)) == constraint


@pytest.mark.parametrize("name", list(c.VOCABULARY))
def test_every_function_is_tried(name: str) -> None:
    alike = {"is_non_negative", "is_at_most", "is_greater_than", "is_at_least", "is_equal_to"}
    alike |= {"contains_email", "contains_credit_card", "contains_social_security_number"}
    assert name in alike or any(check.call[0] == name for check, _, _ in SOME)


@pytest.mark.parametrize(
    ("record", "check"),
    [
        ({"is_complete": "x"}, c.is_complete("x")),
        ({"is_complete": ["x", "y"]}, c.is_complete("x", "y")),
        ({"is_unique": ["x", "y"]}, c.is_unique(["x", "y"])),
        ({"is_contained_in": ["x", [1, 2]]}, c.is_contained_in("x", [1, 2])),
        ({"is_in_range": ["x", 0, 9]}, c.is_in_range("x", 0, 9)),
        ({"is_complete": {"columns": "x", "level": "warning", "hint": "Ask ann."}}, c.is_complete("x", level="warning", hint="Ask ann.")),
        ({"has_no_anomalies": {"measure": "size", "strategy": "online_normal"}}, c.has_no_anomalies(of.size(), c.online_normal())),
        (
            {"has_no_anomalies": {"measure": "mean", "column": "x", "strategy": {"threshold": {"upper": 3}}, "level": "warning"}},
            c.has_no_anomalies(of.mean("x"), c.threshold(upper=3), level="warning"),
        ),
        ({"has": {"measure": "size", "at_least": 3}}, c.has(of.size(), at_least=3)),
        ({"has": {"measure": "approx_quantile", "column": "x", "quantile": 0.5, "below": 3}}, c.has(of.approx_quantile("x", 0.5), below=3)),
    ],
)
def test_short_forms(record: dict[str, Any], check: Check) -> None:
    assert check_of(record) == check


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"is_complet": "x"}, "There is no rule 'is_complet'. Did you mean 'is_complete'"),
        ("is_complete", "'is_complete' is no rule"),
        ({"is_complete": "x", "lvl": 1}, "such as `is_complete: carrier`."),
        ({"is_complete": "x", "level": "warning"}, "write `is_complete: {columns: x, level: warning}`."),
        ({"is_unique": ["x", "y"], "where": "x > 1"}, "write `is_unique: {columns: ['x', 'y'], where: x > 1}`."),
        ({"is_in_range": ["x", 0, 5], "hint": "Ask ann"}, "write `is_in_range: {column: x, lower: 0, upper: 5, hint: Ask ann}`."),
        ({"has": {"measure": "mean", "column": "x"}, "above": 1}, "write `has: {measure: mean, column: x, above: 1}`."),
        ({"is_complete": {"column": "x"}}, "The rule is_complete has no 'column'. Did you mean 'columns'?"),
        ({"is_less_than": "x"}, "The rule is_less_than of 'x' lacks other"),
        ({"has": {"column": "x", "at_least": 1}}, "names no measure"),
        ({"has": {"measure": "mea", "column": "x", "at_least": 1}}, "There is no metric 'mea'"),
        ({"has": {"measure": "mean", "column": "x", "quantil": 1, "above": 2}}, "mean has no parameter 'quantil'"),
        ({"has": {"measure": "mean", "column": "x"}}, "The rule has no bound"),
        ({"is_in_range": ["x", 5, 1]}, "No value is at least 5 and at most 1"),
        ({"is_in_range": ["x", "a", 1]}, "cannot be compared"),
        ({"is_contained_in": ["x", []]}, "cannot be one of []"),
        ({"is_complete": {"columns": "x", "at_least": 99}}, "at_least=99 is no share of rows"),
        ({"is_complete": {"columns": "x", "level": "fatal"}}, "There is no level 'fatal'"),
        ({"satisfies": " "}, "' ' is no condition"),
        ({"has_data_type": ["x", "Integer"]}, "There is no type 'Integer'. Did you mean 'Integral'?"),
        ({"has_column": {"column": "x", "where": "y > 0"}}, "The rule has_column has no 'where'."),
        ({"custom_sql": {"query": "SELECT 1", "at_most": 0}}, "The rule custom_sql has no 'query'. It takes statement, says, level"),
        ({"has": {"measure": "meen", "column": "x", "above": 1}}, "There is no metric 'meen'. Did you mean 'mean'"),
        ({"has_column_count": {"at_lest": 2}}, "The rule has_column_count has no 'at_lest'. Did you mean 'at_least'"),
        ({"has": {"measure": "max", "column": "x", "below": "soon"}}, "The upper bound 'soon' is not a number."),
        (
            {"has_no_anomalies": {"measure": "size", "strategy": "online_norm"}},
            "no anomaly strategy 'online_norm'. Did you mean 'online_normal'",
        ),
        (
            {"has_no_anomalies": {"measure": "size", "strategy": {"online_normal": {"uper": 3}}}},
            "no parameter 'uper'. Did you mean 'upper'",
        ),
        ({"has_no_anomalies": {"measure": "size", "strategy": {"threshold": {}}}}, "threshold has no bound"),
        ({"has_no_anomalies": {"measure": "size"}}, "has_no_anomalies cannot be made"),
        ({"is_complete": {"columns": 3}}, "is_complete needs names of columns, not [3]."),
        ({"is_complete": {"columns": None}}, "is_complete needs names of columns, not [None]."),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_read(record: Any, said: str) -> None:
    with pytest.raises(AvhError) as caught:
        check_of(record)
    assert said in str(caught.value)
    assert isinstance(caught.value, UsageError | ConstraintError)


@given(
    st.floats(-5, 5),
    st.floats(-5, 5),
    st.sampled_from(["", "lower", "upper", "both"]),
    st.booleans(),
    st.floats(-6, 6, allow_subnormal=False),
)
def test_bounds_hold_as_their_words_say(lower: float, upper: float, strict: Any, outside: bool, number: float) -> None:
    lower, upper = sorted((lower, upper))
    if lower == upper and strict:
        return
    inside = (lower < number if strict in ("lower", "both") else lower <= number) and (
        number < upper if strict in ("upper", "both") else number <= upper
    )
    bounds = Bounds(lower, upper, strict, outside)
    assert bounds.holds(number) == (inside != outside)
    assert bounds.words.startswith(("not ", "outside of ")) == (outside and lower != upper)
    assert not bounds.holds(float("nan"))


@pytest.mark.parametrize(
    "given_",
    [{"at_least": 1, "above": 1}, {"exactly": 1, "below": 3}, {"above": 2, "below": 2}, {"at_least": float("nan")}, {"at_least": "1"}],
)
def test_contradictory_bounds(given_: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Bounds.of(**given_)


def test_a_contradiction_is_named_as_it_was_said() -> None:
    with pytest.raises(UsageError, match="No number is above 3 and at most 3"):
        c.has(of.mean("x"), above=3, at_most=3)
    with pytest.raises(UsageError, match="No number is above 3 and below 3"):
        c.has(of.mean("x"), above=3, below=3)


def test_an_edited_bound_changes_the_words_and_not_the_identity() -> None:
    one = c.has(of.mean("x"), above=1, below=3).constraint("numeric")
    edited = one.with_bounds(2.0, 4.0)
    assert (edited.statement, edited.key) == ("mean of x is above 2 and below 4", one.key)
    assert one.key != c.has(of.mean("x"), above=0, level="warning").constraint("numeric").key


def test_names_and_values_are_quoted() -> None:
    assert quoted("a`b") == "`a``b`"
    assert quoted("geo.lat") == "`geo`.`lat`"
    assert quoted("`a.b`") == "`a.b`"
    assert [literal(v) for v in ("a\\'b", True, 1, 0.5, date(2024, 1, 2))] == ["'a\\\\\\'b'", "true", "1", "0.5D", "DATE '2024-01-02'"]
    with pytest.raises(UsageError, match="is no value of a column"):
        literal(object())


@pytest.mark.parametrize(
    ("pattern", "holds", "not_"),
    [
        (
            EMAIL,
            ["ann@example.org", "write to a.b+c@mail.example.co.uk!", "O'Hara@x.io"],
            ["ann@example", "ann at example.org", "@example.org", "ann@.org", ""],
        ),
        (
            URL,
            ["http://a.b/c?d=e f", "see https://xn--fsq.example/", "ftp://1.2.3.4"],
            ["www.a.b", "http://", "http:///a", "http:// a.b", "h://a.b"],
        ),
        (
            CREDIT_CARD,
            ["4111 1111 1111 1111", "no. 5500-0055-5555-5559.", "2223000048400011", "340000000000009", "3400 000000 00009"],
            ["4111 1111-1111 1111", "0000111122223333", "41111111111111111", "2720999999999996"[:15], "3400-0000-0000-0009"],
        ),
        (
            SOCIAL_SECURITY_NUMBER,
            ["111-05-1130", "111 05 1130", "111051130", "it is 219-09-9998."],
            [
                "000-05-1130",
                "666-05-1130",
                "900-05-1130",
                "111-00-1130",
                "111-05-0000",
                "219-09-9999",
                "078051120",
                "111-05 1130",
                "1110511301",
            ],
        ),
    ],
    ids=["email", "url", "card", "ssn"],
)
def test_what_contains_what(pattern: str, holds: list[str], not_: list[str]) -> None:
    assert [text for text in (*holds, *not_) if re.search(pattern, text, re.ASCII)] == holds


def test_dates_are_bounds_in_seconds() -> None:
    assert c.has(of.maximum("x"), below=date(2024, 1, 1)).bounds == c.has(of.maximum("x"), below=datetime(2024, 1, 1)).bounds  # noqa: DTZ001
    assert c.has(of.freshness("x"), at_most=timedelta(days=1)).bounds == Bounds(upper=86_400)
    with pytest.raises(UsageError, match="is not a number"):
        c.has(of.maximum("x"), below="2024-01-01")  # type: ignore[arg-type]


def test_values_of_numpy_are_as_those_of_python() -> None:
    numbers = np.array([1.5, 2.0])
    assert c.is_contained_in("x", numbers) == c.is_contained_in("x", [1.5, 2.0])
    assert c.is_in_range("x", np.float64(0.5), np.int64(3)) == c.is_in_range("x", 0.5, 3)
    assert c.has(of.mean("x"), at_least=np.int64(3)) == c.has(of.mean("x"), at_least=3)
    assert check_of(record_of(c.is_contained_in("x", numbers))) == c.is_contained_in("x", [1.5, 2.0])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: c.is_complete("a", atleast=0.9), "is_complete takes no 'atleast'. Did you mean 'at_least'?"),
        (lambda: c.has(of.size(), at_leest=1), "has takes no 'at_leest'. Did you mean 'at_least'"),
        (lambda: c.refers_to("a", "b", "c", levl="warning"), "refers_to takes no 'levl'. Did you mean 'level'?"),
    ],
)
def test_an_argument_that_a_rule_does_not_take_is_told(make: Any, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert said in str(caught.value)
