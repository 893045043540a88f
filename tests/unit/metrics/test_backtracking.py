"""What could take exponential time to search for: Python is asked, on texts so short that it still ends."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui import check, checks
from avh_ui.metrics.analysis import misuse
from avh_ui.metrics.analyzers import compliance, custom_sql, pattern_match
from avh_ui.metrics.backtracking import broken, endless, endless_in, explodes
from avh_ui.metrics.fields import choose
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.truths import truths_of
from avh_ui.metrics.type_names import arrow_tree


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(?=(a*)*$)a", r"(\w+\s?)*$", "(a|aa)+$", "((a{1,3}))+$", "(a+){6}", "([a-z]+ ?){1,9}"])
def test_an_ambiguous_part_is_not_repeated_often(pattern: str) -> None:
    assert explodes(pattern)


@pytest.mark.parametrize(
    "pattern",
    ["^(?=a)b+$", "(?<!x)(ab)+", r"(\(a+\))?b+", r"([+*]x)+", r"(a\+)+", "(ab){2,5}", "(a+){2,5}", "[(a+)]+", "a)+", "", "a+",
     "((?:a|b)c?){2,}", "^(a?){3,}$", "(a+b)+", "(a|aa){9}",
     r"^(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}$", r"^[\w.+-]+@([\w-]+\.)+\w{2,}$", r'"(\\.|[^"\\])*"', r"(\d{2}){10}"]
)  # fmt: skip
def test_others_may_be(pattern: str) -> None:
    assert not explodes(pattern)


def test_such_a_pattern_is_left_to_spark() -> None:
    table, test = pa.table({"a": ["a" * 40 + "!"]}), RowTest("^(?=(a+)+$)a", "a")
    told = truths_of(table, [test], choose([("a", arrow_tree(pa.string()))]).fields)
    assert not told.arrays
    assert "can take one text in two ways is repeated" in told.untold[test]


@pytest.mark.parametrize("pattern", ["[a-", "(a", "a)", "*a", "+1", "a\\", "a|?b", "[a&&[b", "n>a(", "a{3,1}"])
def test_what_no_engine_reads(pattern: str) -> None:
    assert broken(pattern)
    assert "its sets and groups closed, something before" in str(misuse(pattern_match("x", pattern)))


@pytest.mark.parametrize(
    "pattern", [r"\p{Alpha}(", r"\Q(\E\h", "a{2}{3}", "x*+", "(?>a)", "[a[b]]", "(?<n>a)", r"\h+", "{a}", r"[\w-a]", ""]
)
def test_what_an_engine_may_read(pattern: str) -> None:
    assert not broken(pattern)
    assert misuse(pattern_match("x", pattern)) is None


@pytest.mark.parametrize("pattern", [r"(a|aa)+\1$", r"(?<n>a+)+\k<n>", r"\\(a+)+\1"])
def test_what_takes_java_exponential_time_is_no_pattern(pattern: str) -> None:
    assert endless(pattern)
    assert "none that can take exponential time" in str(misuse(pattern_match("x", pattern)))


@pytest.mark.parametrize("pattern", [r"(a|aa)+$", r"([ -])a\1", r"(a+)+\\1"])
def test_what_java_searches_by_in_time_is_one(pattern: str) -> None:
    assert not endless(pattern)


@pytest.mark.parametrize(
    "condition",
    [
        r"name RLIKE '^(a|aa)+\\1$'",
        r"name rlike r'^(a|aa)+\1$'",
        r"n > 0 and regexp_like(name, '(a|aa)+' '\\1$')",
        r"""regexp_replace(name, "(a|aa)+\\1$", '') = ''""",
        r"split(name, '(a|aa)+\\1$')[0] = '' /* of names */",
    ],
)
def test_a_condition_that_searches_by_such_a_pattern_is_refused_before_rows_are_read(condition: str) -> None:
    # Of 34 letters each took 6 to 35 seconds, and one letter more half as long again.
    table = pa.table({"name": ["a" * 300 + "!"], "n": [1]})
    assert endless_in([condition]) is not None
    for rule in (checks.satisfies(condition), checks.is_complete("n", where=condition)):
        verdict = check(table, [rule]).verdicts[0]
        assert verdict.status == "not_evaluated"
        assert "can take exponential time" in verdict.message
    assert "can take exponential time" in str(misuse(custom_sql(f"SELECT count(*) FROM batch WHERE {condition}")))


@pytest.mark.parametrize("condition", [r"name = '(a|aa)+\\1$'", r"name rlike '^(a+)+$'", r"name rlike '^(a|aa)+\1$'", "", "'"])
def test_other_conditions_are_not(condition: str) -> None:
    assert endless_in([condition]) is None


@pytest.mark.parametrize(
    "pattern",
    [r"^((a|aa)+a)+$", r"^(a(a|aa)+)+$", r"^((a|aa)+){3}$", r"(a+){1,40}$", r"(\d{1,9}){5,20}x", r"([a-z]{1,5}-?){1,10}$",
     r"^(a+?)+?$", r"^(a|aa)*?$", r"^((a|aa)+)+$", r"^(([a-z]+)*)*$", r"^(?:(?:a|aa)+b?)+$", r"^(?i:(a|aa)+)+$"]
)  # fmt: skip
def test_a_pattern_whose_failures_java_forgets_is_refused(pattern: str) -> None:
    # On Java 17 each took more than 1.5 seconds for 24 to 60 letters, and what a letter more takes grows as fast.
    assert endless(pattern)
    assert "can take exponential time" in str(misuse(compliance(f"name rlike r'{pattern}'")))


@pytest.mark.parametrize(
    "pattern",
    [r"^(a+)+$", r"^(a+?)+$", r"^((a|aa){1,9})+$", r"([A-Za-z]+ ?){1,5}$",
     r"^(\w+\s?)*$", r"^(?:a+?)+$", r"^((\w+,)+;)+$", r"^(b(a|aa)+)+$", r"^((a+)++)+$", r"^(([a-z])+.)+[A-Z]([a-z])+$",
     r"^([a-z]+(\.[a-z]+)*)+$"],
)  # fmt: skip
def test_a_pattern_that_java_remembers_is_not(pattern: str) -> None:
    assert not endless(pattern)
